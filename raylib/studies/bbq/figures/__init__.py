"""The study's part of the report: accuracy and bias by category, as the benchmark's paper lays them out."""

from raylib.studies.bbq.figures.comparison import comparison_sections
from raylib.studies.bbq.figures.report import sections

__all__ = ["comparison_sections", "sections"]
