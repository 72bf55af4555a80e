"""The search for identity terms: what is a hit, what is not, whom it is about."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from raylib.errors import ConfigError
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.narratives.stereotypes.roles import Mentions, mentions_of, role_of
from raylib.studies.narratives.stereotypes.search import Searcher, find_terms
from raylib.studies.narratives.stereotypes.terms import load_terms
from raylib.studies.narratives.stereotypes.words import words_of

TERMS = load_terms()
SEARCHER = Searcher(TERMS)
NOBODY = Mentions(frozenset(), frozenset())


def found(text: str) -> list[tuple[str, str]]:
    """(term, as written) of each hit."""
    words = words_of(text)
    return [(hit.term, words.window(hit.first, hit.last, 0)[1]) for hit in find_terms(words, TERMS)]


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("She is Samoan.", [("Samoa", "Samoan")]),
        ("Samoa's coast, two Samoans", [("Samoa", "Samoa"), ("Samoa", "Samoans")]),
        ("the samoa cookie", []),
        ("a half-Navajo boy", [("Navajo", "Navajo")]),
        ("She spoke Diné", [("Navajo", "Diné")]),
        ("She spoke Dine\u0301", [("Navajo", "Diné")]),
        ("Tohono O’odham", [("Tohono O'odham", "Tohono O’odham")]),
        ("a native american story", [("Native American", "native american")]),
        ("Native Hawaiians", [("Native Hawaiian", "Native Hawaiians")]),
        ("non binary, nonbinary, Non-Binary",
         [("non-binary", "non binary"), ("non-binary", "nonbinary"), ("non-binary", "Non-Binary")]),
        ("ʻNavajoʻs Navajo‘s", [("Navajo", "Navajo"), ("Navajo", "Navajo")]),
        ("Gay. Pride.", [("gay", "Gay")]),
        ("a Native. American by birth", []),  # a full stop is no joint
        ("hope, hopis, the Hopi", [("Hopi", "Hopi")]),
        ("gayety, ungay, gay2, gay_", [("gay", "gay"), ("gay", "gay")]),  # letters make words, digits do not
    ],
)  # fmt: skip
def test_terms_match_whole_words_in_their_case(text, hits):
    assert found(text) == hits


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("A Crow landed on the roof.", []),
        ("a crow elder", []),
        ("The Crow Nation", ["Crow"]),
        ("Joe Crow said no", []),
        ("The Miami beach family moved", []),
        ("the Miami tribe", ["Miami"]),
        ("His Jeep Cherokee stalled", []),
        ("the Cherokee language", ["Cherokee"]),
        ("in Cherokee County", []),
        ("Indian food", []),
        ("an Indian reservation", ["Indian"]),
        ("the Indian Ocean near a tribe of India", []),
        ("she went straight to the gay bar", ["gay"]),
        ("a straight man", ["straight"]),
        ("he is gay and she is straight", ["gay", "straight"]),
        ("bi people", ["bi"]),
        ("the gay bi-weekly", ["gay"]),
        ("he came out as bi, not gay", ["bi", "gay"]),
        ("no trans fat for transgender people", ["transgender"]),
        ("a trans woman", ["trans woman"]),
        ("a fluid motion", []),
    ],
)
def test_ambiguous_words_need_what_their_rules_declare(text, hits):
    assert [term for term, _ in found(text)] == hits


def test_every_term_is_found_under_its_own_group_where_its_rules_hold():
    around = "tribe reservation islander gay transgender queer gender"
    for term, group in TERMS.group_of.items():
        terms = [hit.term for hit in find_terms(words_of(f"{around}; {term}; {around}"), TERMS)]
        assert term in terms, (group, term)


def test_a_window_holds_so_many_words_on_each_side_and_ends_with_the_text():
    words = words_of("One two, three Navajo four; five six")
    (hit,) = find_terms(words, TERMS)
    assert words.window(hit.first, hit.last, 2) == ("two, three ", "Navajo", " four; five")
    assert words.window(hit.first, hit.last, 9) == ("One two, three ", "Navajo", " four; five six")


_PIECES = ["Navajo", "gay", "bi", "a", "straight", "man", "Tohono", "O’odham", "Dine\u0301", "tribe", "Crow", "two-spirit",
           "native", "American", "-", ". ", "'s", "\n", "é", "ß", "İ", "\u0301", "9", "_", "ʻ", "ʼs", "'"]  # fmt: skip


def _joined(pieces: list[str]) -> st.SearchStrategy[str]:
    return st.sampled_from(["", " "]).map(lambda joint: joint.join(pieces))


@given(st.lists(st.lists(st.sampled_from(_PIECES), max_size=8).flatmap(_joined), max_size=6))
@settings(max_examples=200, deadline=None)
def test_the_fast_pass_loses_no_hit(texts):
    slow = [(row, hits) for row, text in enumerate(texts) if (hits := find_terms(words_of(text), TERMS))]
    assert [(row, hits) for row, _, hits in SEARCHER.search(texts)] == slow


def test_a_null_text_is_not_searched():
    assert [row for row, *_ in SEARCHER.search([None, "gay", None])] == [1]


def annotation(subject=None, subject_references=(), other=None, other_references=()):
    return {
        "subject_name": subject, "subject_references": list(subject_references),
        "object_name": other, "object_references": list(other_references),
    }  # fmt: skip


ROLES = Roles("doctor", "patient")
BOTH = mentions_of(annotation("Dr. Ana Reyes", ["she", "her"], "Sam", ["he"]), ROLES)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("Sam is Navajo.", "object"),
        ("Dr. Reyes, a proud Navajo, worked.", "subject"),
        ("Ana met Sam, a Navajo boy.", "object"),  # nearest
        ("She saw a Navajo flag.", "subject"),
        ("Ana slept. The Navajo flag hung there.", "unknown"),  # nobody in its own sentence
        ("She was Navajo, he was not.", "object"),  # two words before against one behind it
        ("Sam Navajo Ana", "unknown"),  # equally near
        ("Ana saw her Navajo patient.", "object"),  # hers, and so not she
        ("She loved her Navajo songs.", "unknown"),
        ("A physician met a Navajo.", "subject"),  # a noun of the role
    ],
)
def test_a_term_is_about_the_character_that_its_sentence_names_nearest(text, role):
    words = words_of(text)
    (hit,) = find_terms(words, TERMS)
    assert role_of(words, hit, BOTH) == role


def test_words_that_both_characters_share_tell_nothing():
    both = mentions_of(
        annotation("Ana Reyes", ["she"], "Eva Reyes", ["she", "girl"]), Roles("first friend", "second friend")
    )
    assert both == Mentions(frozenset({"ana"}), frozenset({"eva", "girl"}))


def test_a_story_of_one_character_has_no_object():
    alone = mentions_of(annotation("Ana", ["she"]), Roles("doctor"))
    words = words_of("Ana helped a Navajo patient.")
    assert alone.object == frozenset()
    assert role_of(words, find_terms(words, TERMS)[0], alone) == "subject"
    assert role_of(words, find_terms(words, TERMS)[0], NOBODY) == "unknown"


def write_terms(path: Path, **changes) -> str:
    group = {"group": "birds", "about": "birds", "case": "any", "plurals": True, "terms": ["owl"]}
    path.write_text(yaml.safe_dump({"version": 1, "rules": {}, "groups": [group | changes.pop("group", {})]} | changes))
    return str(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"group": {"terms": ["owl", "owl"]}}, "'owl' is listed twice; drop one"),
        ({"group": {"terms": ["owl", {"term": "bird", "forms": ["Owls"]}]}}, "'owls' stands for both 'owl' and 'bird'"),
        ({"group": {"terms": [{"term": "owl", "when": ["nite"]}]}, "rules": {"night": {"near": ["dark"]}}},
         "names the rule 'nite'. Did you mean 'night'?"),
        ({"group": {"terms": ["123"]}}, "'123' holds no word"),
        ({"group": {"cases": "any"}}, "unknown key 'groups.0.cases'. Did you mean 'case'?"),
        ({"rules": {"night": {}}}, "a rule needs words in near, next or previous"),
        ({"rules": {"night": {"next": ["Dark night"]}}}, "must be one word in lower case"),
    ],
)  # fmt: skip
def test_a_wrong_list_of_terms_ends_in_one_line(tmp_path, changes, message):
    with pytest.raises(ConfigError) as error:
        load_terms(write_terms(tmp_path / "terms.yaml", **changes))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_list_of_terms_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"cannot read .*none\.yaml"):
        load_terms(str(tmp_path / "none.yaml"))
