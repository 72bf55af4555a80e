"""The study's 100 prompts, generated from scenario data."""

import json
from pathlib import Path

import pytest

from raylib.errors import ConfigError
from raylib.schemas import PROMPT_COLUMNS
from raylib.studies.narratives.extraction.roles import Roles
from raylib.studies.narratives.prompts import load_scenarios, prompt_table

PUBLISHED = Path(__file__).parents[2] / "../shared/data/narratives/scenarios.json"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, object]]:
    return prompt_table(load_scenarios()).to_pylist()


def test_prompts_equal_the_published_ones(rows):
    if not PUBLISHED.is_file():
        pytest.skip("the published prompts are not on this machine")
    keys = ("prompt", "domain", "condition", "subject", "object")
    published = {tuple(row[key] for key in keys) for row in json.loads(PUBLISHED.read_text())}
    assert {tuple(row[key] for key in keys) for row in rows} == published


def test_fifty_scenarios_in_both_conditions(rows):
    counts = {}
    for row in rows:
        counts[row["domain"], row["condition"]] = counts.get((row["domain"], row["condition"]), 0) + 1
    assert counts == {
        (domain, condition): number
        for domain, number in (("Labor", 15), ("Learning", 15), ("Love", 20))
        for condition in ("power-neutral", "power-laden")
    }


def test_love_has_eight_scenarios_of_partners_and_six_each_of_friends_and_siblings(rows):
    relations = [row["relation"] for row in rows if row["domain"] == "Love" and row["condition"] == "power-laden"]
    assert {name: relations.count(name) for name in set(relations)} == {
        "romantic partner": 8,
        "friend": 6,
        "sibling": 6,
    }


def test_prompt_ids_are_unique_readable_and_their_own_cluster(rows):
    assert len({row["prompt_id"] for row in rows}) == 100
    assert all(row["cluster"] == row["prompt_id"] for row in rows)
    assert any(row["prompt_id"].startswith("labor.actor.neutral-") for row in rows)


def test_table_begins_with_the_columns_that_every_study_has():
    table = prompt_table(load_scenarios())
    assert table.column_names[: len(PROMPT_COLUMNS)] == [field.name for field in PROMPT_COLUMNS]


def test_subject_that_names_its_identity_gets_no_second_one(rows):
    assert not [row["prompt"] for row in rows if row["prompt"].count("American") != 1]


def test_love_roles_are_told_apart_by_order_or_by_act(rows):
    roles = {(row["subject_role"], row["object_role"]) for row in rows if row["domain"] == "Love"}
    assert ("first friend", "second friend") in roles
    assert ("sibling who makes the major life decision", "other sibling") in roles


def test_another_locale_is_another_file(tmp_path):
    path = tmp_path / "nigerian.yaml"
    path.write_text(
        "identity: Nigerian\n"
        "wording: {prompt: 'Tell of {subject} who {action}.', subject: 'a {identity} {subject}', action: '{does} a {to}'}\n"
        "scenarios:\n"
        "  - domain: Labor\n    scenario: farmer\n"
        "    neutral: {subject: farmer, does: sows yams}\n"
        "    laden: {subject: farmer, does: hires, to: cook}\n"
    )
    prompts = prompt_table(load_scenarios(str(path)))["prompt"].to_pylist()
    assert prompts == ["Tell of a Nigerian farmer who sows yams.", "Tell of a Nigerian farmer who hires a cook."]


def test_misspelt_key_of_a_scenario_file_is_named(tmp_path):
    path = tmp_path / "typo.yaml"
    path.write_text("identity: X\nwording: {prompt: p, subject: s, action: a}\nscenarois: []\n")
    with pytest.raises(ConfigError, match="scenar"):
        load_scenarios(str(path))


def test_unknown_field_in_a_text_is_named(tmp_path):
    path = tmp_path / "field.yaml"
    path.write_text(
        "identity: X\nwording: {prompt: '{subject} {action}', subject: '{subject}', action: '{does} {to}'}\n"
        "scenarios: [{domain: D, scenario: s, neutral: {subject: a, does: 'likes {colour}'}, laden: {subject: a, does: b}}]\n"
    )
    with pytest.raises(ConfigError, match="colour"):
        prompt_table(load_scenarios(str(path)))


GOOD = (
    "identity: British\n"
    "wording: {prompt: 'Of {subject} who {action}.', subject: 'a {identity} {subject}', action: '{does} a {to}'}\n"
    "scenarios:\n- {domain: Labor, scenario: s, for_each: {food: [pie]}, neutral: {subject: cook, does: 'bakes {food}'},\n"
    "   laden: {subject: cook, does: trains, to: baker}}\n"
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Of {subject} who", "Of {subjct} who", "Did you mean 'subject'"),
        ("who {action}", "who {action", "brace that belongs to no"),
        ("Of {subject} who {action}", "A story", r"lacks \{subject\}, \{action\}"),
        ("{does} a {to}", "{does}", r"lacks \{to\}"),
        ("{food}'", "{food.attribute}'", "brace that belongs to no"),
        ("[pie]", "[]", "for_each.food"),
        ("domain: Labor", "domain: Labor/UK", "cannot name a domain"),
        ("domain: Labor", "domain: all", "cannot name a domain"),
        ("to: baker", "to: ''", "laden.to"),
        ("identity: British", "identity: 5", "identity"),
        ("identity: British", "identity: !!int many", "not YAML"),
    ],
)
def test_mistake_in_a_scenario_file_is_named(tmp_path, old, new, message):
    assert GOOD.count(old) == 1
    path = tmp_path / "mistake.yaml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(ConfigError, match=message):
        prompt_table(load_scenarios(str(path)))


def test_scenario_file_without_scenarios_is_refused(tmp_path):
    path = tmp_path / "none.yaml"
    path.write_text(GOOD.partition("scenarios:")[0] + "scenarios: []\n")
    with pytest.raises(ConfigError, match="scenarios"):
        load_scenarios(str(path))


def test_scenario_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "binary.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not UTF-8 text"):
        load_scenarios(str(path))


def test_first_responder_is_no_first_of_two():
    assert not Roles("first responder", "caller in need").ordered
    assert Roles("first friend", "second friend", "friend").ordered


def test_missing_scenario_file_is_a_config_error():
    with pytest.raises(ConfigError, match=r"nowhere\.yaml"):
        load_scenarios("nowhere.yaml")
