"""The study's part of the report: the paper's figures 1 to 3 and table 2, for one model or several."""

from raylib.studies.narratives.figures.report import figures_of, sections
from raylib.studies.narratives.figures.titles import cell_title

__all__ = ["cell_title", "figures_of", "sections"]
