"""BBQ, the bias benchmark for question answering: multiple choice about people, with and without enough context."""

from raylib.studies.bbq.study import BbqStudy

STUDY = BbqStudy()
"""What the registry hands to the pipeline."""
