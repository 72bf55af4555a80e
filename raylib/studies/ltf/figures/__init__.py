"""The study's part of the report: the paper's Tables 2 and 3 and its F matrices, for one run or several."""

from raylib.studies.ltf.figures.comparison import comparison_sections
from raylib.studies.ltf.figures.report import sections

__all__ = ["comparison_sections", "sections"]
