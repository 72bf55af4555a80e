"""The Laissez-Faire-Harms study: open-ended stories, who appears in them and in which role."""

from raylib.studies.narratives.study import NarrativesStudy

STUDY = NarrativesStudy()
"""What the registry hands to the pipeline."""
