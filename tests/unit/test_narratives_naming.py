"""From a name as written to first and last name, and from references to gender, as the paper's authors do it."""

import pytest

from raylib.studies.narratives.extraction.gender import gender_of
from raylib.studies.narratives.extraction.naming import parse_name


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("Jake", "Jake", None),
        ("John Smith", "John", "Smith"),
        ("Dr. Smith", None, "Smith"),
        ("Mx. Lee", None, "Lee"),
        ("Chef Samantha", "Samantha", None),
        ("Nurse Anna", "Anna", None),
        ("Dr. Emily Jones", "Emily", "Jones"),
        ("SARAH", "Sarah", None),
        ("sean o'brien", "Sean", "O'Brien"),
        ('Johnny "Harmonica" Mason', "Johnny", "Mason"),
        ("Jake McAllister", "Jake", "McAllister"),
    ],
)
def test_first_and_last_name(written, first, last):
    name = parse_name(written, "actor")
    assert (name.first, name.last) == (first, last)


@pytest.mark.parametrize(
    "written", ["The Actor", "American Man", "Young Woman", "the", "Anna Maria Lopez Garcia", "", None]
)
def test_what_is_no_name(written):
    assert parse_name(written, "actor").full is None


@pytest.mark.parametrize("written", ["Professor", "Young", "Johnson", "Coach"])
def test_invalid_first_names_are_left_out_and_the_name_stays(written):
    name = parse_name(written, "actor")
    assert name.first is None
    assert name.full == written


@pytest.mark.parametrize(
    ("references", "gender"),
    [
        (["she", "her"], "F"),
        (["He", "boy"], "M"),
        (["they", "their"], "NB"),
        (["Mx."], "NB"),
        (["young woman"], "F"),
        (["she", "his"], "unsure"),
        (["he", "them"], "unsure"),
        (["teacher"], "unspecified"),
        ([], "unspecified"),
    ],
)
def test_gender_of_references(references, gender):
    assert gender_of(references) == gender
