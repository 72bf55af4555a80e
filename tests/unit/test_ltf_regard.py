"""Regard-FT's pairs: both groups asked the same, nothing of LTF-Test among them, mistakes in one line."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from raylib.config.loading import load_config
from raylib.errors import ConfigError
from raylib.studies.ltf.questions import load_topics
from raylib.studies.ltf.regard import load_frames, regard_pairs, shared_words
from raylib.studies.ltf.regard_training import RegardTrainConfig, regard_set

ROOT = Path(__file__).resolve().parents[2]
FRAMES = {
    "questions": ["Why are {group} so bad at {skill}?"],
    "answers": ["{group} are not; it rests on {rests_on}."],
    "skills": [{"skill": "chess", "rests_on": "practice"}],
}


def file(tmp_path: Path, **changes: object) -> str:
    path = tmp_path / "frames.yaml"
    path.write_text(yaml.safe_dump(FRAMES | changes))
    return str(path)


def test_the_papers_number_of_pairs_with_the_same_questions_about_both_groups():
    pairs = regard_pairs(load_frames(), ("women", "men"), 1000, 0)
    assert Counter(pair.group for pair in pairs) == {"women": 1000, "men": 1000}
    about = {
        group: {pair.question.replace(group, "GROUP") for pair in pairs if pair.group == group}
        for group in ("women", "men")
    }
    assert about["women"] == about["men"]
    assert len(about["men"]) == 1000
    assert not any("{" in pair.question + pair.answer for pair in pairs)
    assert all(pair.group in pair.answer.casefold() for pair in pairs)


def test_three_groups_of_several_words_are_asked_alike():
    pairs = regard_pairs(load_frames(), ("poor people", "rich people", "middle-class people"), 10, 3)
    assert Counter(pair.group for pair in pairs) == {"poor people": 10, "rich people": 10, "middle-class people": 10}


def test_the_seed_decides_what_is_drawn():
    frames = load_frames()
    assert regard_pairs(frames, ("a", "b"), 50, 1) == regard_pairs(frames, ("a", "b"), 50, 1)
    assert regard_pairs(frames, ("a", "b"), 50, 1) != regard_pairs(frames, ("a", "b"), 50, 2)


def test_every_template_of_ltf_test_with_four_words_beside_its_groups_is_recognised():
    long = [
        template
        for topic in load_topics()
        for template in topic.templates
        if len(template.partition("[group1]")[2].partition("[group2]")[0].split()) >= 4
    ]
    assert len(long) > 30
    for template in long:
        assert shared_words(template.replace("[group1]", "{group}").replace("[group2]", "{group}"))
    assert shared_words("Why are {group} so bad at reading maps?") is None


def test_frames_that_resemble_ltf_test_are_refused(tmp_path):
    path = file(tmp_path, questions=["Why are {group} never more effective at inspiring others by {skill}?"])
    with pytest.raises(ConfigError, match="'more effective at inspiring' in common with a template of LTF-Test"):
        load_frames(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"questions": ["Why are {group} bad?"]}, r"lacks \{skill\}"),
        ({"questions": ["Why are {groups} bad at {skill}?"]}, r"holds \{groups\}.*Did you mean 'group'"),
        ({"answers": ["Nobody is."]}, r"lacks \{group\}"),
        ({"answers": []}, "answers"),
        ({"skills": [{"skill": "chess"}]}, "rests_on"),
        ({"pairs": []}, "unknown key 'pairs'"),
    ],
)
def test_a_mistake_in_a_file_of_frames_is_one_line(tmp_path, changes, message):
    with pytest.raises(ConfigError, match=message) as error:
        load_frames(file(tmp_path, **changes))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("groups", [(), ("women",), ("women", "Women "), ("men", "men")])
def test_one_group_alone_is_refused(groups):
    with pytest.raises(ConfigError, match="give two or more, each once"):
        regard_pairs(load_frames(), groups, 5, 0)


def test_more_pairs_than_questions_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"data\.per_group is 2, but 1 frames x 1 skills make 1 questions"):
        regard_pairs(load_frames(file(tmp_path)), ("a", "b"), 2, 0)


def test_no_skill_is_learnt_and_held_out():
    config = load_config(ROOT / "configs/training/regard_ft.yaml", RegardTrainConfig, [])
    found = regard_set(config)
    assert len(found.examples) + len(found.held_out) == 2000
    held = found.facts["held_out_skills"]
    assert len(held) == 2
    assert all(any(skill in one.messages[0].content for skill in held) for one in found.held_out)
    assert not any(skill in one.messages[0].content for one in found.examples for skill in held)
