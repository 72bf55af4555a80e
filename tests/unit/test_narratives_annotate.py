"""One annotation a completion, in order, whatever the text is."""

import pyarrow as pa
import pytest

from raylib.errors import ConfigError, DataError
from raylib.schemas import COMPLETIONS
from raylib.studies.base import StudyOptions
from raylib.studies.narratives import STUDY
from raylib.studies.narratives.refusals import is_refusal

OPTIONS = StudyOptions("narratives")


def prompt_id(start: str) -> str:
    return next(name for name in STUDY.prompts(OPTIONS)["prompt_id"].to_pylist() if name.startswith(start))


def completions(*rows: tuple[str, str, str | None]) -> pa.Table:
    """Rows of (prompt id, status, text)."""
    empty = {field.name: None for field in COMPLETIONS}
    counts = dict.fromkeys(("sample_index", "prompt_tokens", "completion_tokens", "reasoning_tokens", "attempt"), 0)
    return pa.Table.from_pylist(
        [
            empty | counts | {"sample_id": f"s{index}", "prompt_id": prompt, "status": status, "text": text}
            for index, (prompt, status, text) in enumerate(rows)
        ],
        schema=COMPLETIONS,
    )


def annotate(*rows: tuple[str, str, str | None]) -> list[dict[str, object]]:
    prompts = STUDY.prompts(OPTIONS)
    table = STUDY.annotator(OPTIONS).annotate(completions(*rows), prompts)
    assert table.schema.equals(STUDY.annotation_schema)
    return table.to_pylist()


def test_one_row_a_completion_in_order():
    actor, friends = prompt_id("labor.actor.neutral"), prompt_id("love.friend-shopping.neutral")
    rows = annotate(
        (friends, "ok", "Omar met Nadia."), (actor, "error", None), (actor, "ok", "Omar bowed to his fans.")
    )
    assert [row["sample_id"] for row in rows] == ["s0", "s1", "s2"]
    assert [row["status"] for row in rows] == ["ok", "error", "ok"]
    assert [row["subject_name"] for row in rows] == ["Omar", None, "Omar"]


def test_object_columns_are_null_where_the_prompt_has_one_character():
    row = annotate((prompt_id("labor.actor.neutral"), "ok", "Omar bowed."))[0]
    assert (row["object_name"], row["object_references"], row["object_gender"]) == (None, None, None)


def test_object_without_a_trace_is_unspecified_not_null():
    row = annotate((prompt_id("labor.doctor.laden"), "ok", "Dr. Okafor slept."))[0]
    assert (row["object_name"], row["object_references"], row["object_gender"]) == (None, [], "unspecified")


def test_last_name_alone_gives_no_first_name():
    row = annotate((prompt_id("labor.doctor.neutral"), "ok", "Dr. Okafor slept. He was tired."))[0]
    assert (row["subject_name"], row["subject_first_name"], row["subject_gender"]) == ("Dr. Okafor", None, "M")


def test_refusal_gets_a_status_and_no_characters():
    row = annotate((prompt_id("labor.actor.neutral"), "ok", "I'm sorry, but I can't write that story about John."))[0]
    assert (row["status"], row["subject_name"], row["subject_gender"]) == ("refused", None, None)
    assert row["notes"]


def test_truncated_story_is_annotated():
    row = annotate((prompt_id("labor.actor.neutral"), "truncated", "Omar took his"))[0]
    assert (row["status"], row["subject_name"], row["subject_gender"]) == ("truncated", "Omar", "M")


def test_empty_story_is_unspecified():
    row = annotate((prompt_id("labor.actor.neutral"), "ok", ""))[0]
    assert (row["status"], row["subject_name"], row["subject_gender"]) == ("ok", None, "unspecified")


BAD = {
    "empty": ("", None, "unspecified", "no text"),
    "blank": (" \n\t", None, "unspecified", "no text"),
    "another script": ("彼女は舞台に立った。Она поклонилась. 彼は笑った。", None, "unspecified", None),
    "ten thousand words": ("Omar bowed to his fans. " * 2_000, "Omar", "M", None),
    "full of markup": ("<div>**_Omar_**</div> <script>x</script> bowed to `his` fans. " * 20, "Omar", "M", None),
    "no name": ("The actor bowed. She smiled.", None, "F", None),
    "a name in capitals": ("OMAR BOWED. HE SMILED.", "Omar", "M", None),
    "all in capitals, with a title": (
        "DR. OMAR HADDAD WAS TIRED. WILL HE SLEEP? MARY HELD HIS HAND.",
        "Dr. Omar",
        "M",
        None,
    ),
    "one name in capitals": ("That night OMAR bowed to his fans.", "Omar", "M", None),
    "null bytes": ("Omar\x00 bowed\x00 to his fans.", "Omar", "M", None),
    "an open quote": ('"' * 501 + " Omar bowed.", "Omar", "unspecified", None),
}


@pytest.mark.parametrize(("text", "name", "gender", "notes"), BAD.values(), ids=BAD)
def test_strange_story_has_a_defined_label_and_the_next_one_its_own(text, name, gender, notes):
    actor = prompt_id("labor.actor.neutral")
    strange, plain = annotate((actor, "ok", text), (actor, "ok", "Nadia bowed to her fans."))
    assert (strange["status"], strange["subject_name"], strange["subject_gender"]) == ("ok", name, gender)
    assert strange["notes"] == notes
    assert (plain["subject_name"], plain["subject_gender"]) == ("Nadia", "F")


def test_two_characters_of_one_name_are_one_name_and_a_character_without():
    friends = prompt_id("love.friend-shopping.neutral")
    row = annotate((friends, "ok", "Two friends, Nadia and Nadia, laughed. Nadia waved her hand."))[0]
    assert (row["status"], row["subject_name"], row["object_name"]) == ("ok", "Nadia", None)
    assert (row["subject_gender"], row["object_gender"]) == ("F", "unspecified")


def test_completion_of_no_prompt_is_a_data_error():
    with pytest.raises(DataError, match="nobody"):
        annotate(("nobody", "ok", "text"))


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that request.",
        "I cannot fulfill this request.",
        "As an AI language model, I cannot create stories about real people.",
        "I’m unable to write that story.",
        "I apologize, but I do not feel comfortable writing this.",
    ],
)
def test_refusals(text):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "I can't help but smile when I think of Sarah.",
        "\"I'm sorry, I can't help you,\" said the clerk.",
        "Unfortunately, John could not pay. He told his friend so.",
        "As an American chef, I couldn't help but watch the student.",
        "Omar was tired. " * 30 + "I'm sorry, but I can't assist with that request.",
        "",
    ],
)
def test_stories_that_are_no_refusals(text):
    assert not is_refusal(text)


def test_unknown_option_names_the_nearest_valid_one():
    with pytest.raises(ConfigError, match="Did you mean 'baseline'"):
        STUDY.check(StudyOptions("narratives", {"baselin": "paper"}))


def test_default_options_pass_the_check():
    STUDY.check(OPTIONS)


def test_annotation_identity_changes_with_nothing_but_extractor_names_and_terms():
    assert set(STUDY.annotation_identity(OPTIONS)) == {"extractor", "extractor_version", "names", "terms"}


def test_terms_of_a_story_come_once_a_role_and_are_null_without_a_story():
    doctor = prompt_id("labor.doctor.laden")
    rows = annotate(
        (doctor, "ok", "Dr. Okafor met her patient Sam, a Navajo boy. Navajo songs filled the room. Sam is Navajo."),
        (doctor, "ok", "Dr. Okafor slept."),
        (doctor, "error", None),
        (doctor, "ok", "I'm sorry, but I can't write about a gay patient."),
    )
    assert rows[0]["terms"] == [{"term": "Navajo", "role": "object"}, {"term": "Navajo", "role": "unknown"}]
    assert [row["terms"] for row in rows[1:]] == [[], None, None]
