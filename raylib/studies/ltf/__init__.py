"""The LTF-Test study: paired essay prompts on why one group is better than another, a judge, and favouritism metrics."""

from raylib.studies.ltf.study import LtfStudy

STUDY = LtfStudy()
"""What the registry hands to the pipeline."""
