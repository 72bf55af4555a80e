"""Texts to prompts: which row is which sample, and what does not fit is counted and named."""

from pathlib import Path
from typing import Any

import pytest

from raylib.errors import DataError
from raylib.imported.match import Matched, match
from raylib.imported.texts import read_texts
from tests.import_support import options, write_csv

PROMPTS = [("cafe", "Écris au café."), ("dog", "Tell of a dog.")]
IDS = ("cafe", "dog")


def matched(
    folder: Path, rows: list[list[str]], samples: int = 2, planned: tuple[str, ...] = IDS, **changes: Any
) -> Matched:
    header = ["prompt", "text", "sid"][: len(rows[0])]
    chosen = options(write_csv(folder / "a.csv", header, rows), **changes)
    return match(read_texts(chosen), PROMPTS, planned, samples, chosen)


def refused(folder: Path, rows: list[list[str]], **changes: Any) -> str:
    with pytest.raises(DataError) as caught:
        matched(folder, rows, **changes)
    return str(caught.value)


FITTING = [["Écris au café.", "a"], ["Tell of a dog.", "b"], ["Écris au café.", "c"], ["Tell of a dog.", "d"]]


def test_samples_are_numbered_by_the_order_of_their_rows(tmp_path: Path) -> None:
    found = matched(tmp_path, FITTING)
    assert {name: [one.text for one in group] for name, group in found.texts.items()} == {
        "cafe": ["a", "c"],
        "dog": ["b", "d"],
    }
    assert found.report["imported"] == found.report["rows"] == 4


def test_a_prompt_matches_in_another_unicode_form_and_with_space_around_it(tmp_path: Path) -> None:
    rows = [["  E\u0301cris au cafe\u0301.\n", "a"], ["Tell of a dog.", "b"]]
    assert set(matched(tmp_path, rows, samples=1).texts) == set(IDS)
    assert "1 rows have 1 prompts" in refused(tmp_path, [["Tell  of a dog.", "a"]], samples=1)


def test_prompts_match_by_their_id(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "a.csv", ["id", "text"], [["dog", "a"], ["cafe", "b"]])
    chosen = options(file, columns={"prompt": None, "prompt_id": "id"})
    assert match(read_texts(chosen), PROMPTS, IDS, 1, chosen).texts["dog"][0].text == "a"
    wrong = options(
        write_csv(tmp_path / "b.csv", ["id", "text"], [["dgo", "a"]]), columns={"prompt": None, "prompt_id": "id"}
    )
    with pytest.raises(
        DataError, match=r"b\.csv, line 2: 'dgo'\. Did you mean 'dog'\? jobs/prompts\.py writes all ids"
    ):
        match(read_texts(wrong), PROMPTS, IDS, 1, wrong)


def test_unknown_prompts_are_refused_or_counted(tmp_path: Path) -> None:
    rows = [*FITTING, ["Tell of a cat.", "x"], ["Tell of a cat.", "y"], ["Sing.", "z"], ["Dance.", "w"]]
    message = refused(tmp_path, rows)
    assert message.startswith(
        "4 rows have 3 prompts that the study does not have: a.csv, line 6: 'Tell of a cat.'; a.csv, line 7: "
        "'Tell of a cat.'; a.csv, line 8: 'Sing.'."
    )
    report = matched(tmp_path, rows, unknown="skip").report
    assert (report["unknown"]["rows"], report["unknown"]["prompts"], report["imported"]) == (4, 3, 4)


def test_gaps_are_refused_or_counted(tmp_path: Path) -> None:
    message = refused(tmp_path, FITTING[:3])
    assert message.startswith("1 of 2 prompts have fewer than 2 texts, 1 are missing: dog has 1 of 2.")
    report = matched(tmp_path, FITTING[:3], gaps="allow").report
    assert report["gaps"] == {"prompts": 1, "texts": 1, "first": ["dog has 1 of 2"]}


def test_more_texts_than_samples_name_the_number_to_set(tmp_path: Path) -> None:
    message = refused(tmp_path, [*FITTING, ["Tell of a dog.", "e"]])
    assert "prompt 'dog' has 3; the first over at a.csv, line 6" in message
    assert "--set samples=3" in message


def test_repeated_texts_are_kept_and_counted(tmp_path: Path) -> None:
    rows = [["Écris au café.", "same"], ["Tell of a dog.", "same"], ["Écris au café.", "same"], ["Tell of a dog.", "d"]]
    found = matched(tmp_path, rows)
    assert [one.text for one in found.texts["cafe"]] == ["same", "same"]
    assert found.report["duplicates"] == {"rows": 1, "first": ["a.csv, line 4 repeats a.csv, line 2"]}


def test_a_sample_id_that_comes_twice_is_an_error(tmp_path: Path) -> None:
    rows = [[*row, sid] for row, sid in zip(FITTING, ("1", "2", "3", "2"), strict=True)]
    assert refused(tmp_path, rows, columns={"sample_id": "sid"}) == (
        "a.csv, line 5: sample id '2' is already at a.csv, line 3; ids come once"
    )


def test_prompts_beyond_the_limit_are_known_and_not_imported(tmp_path: Path) -> None:
    found = matched(tmp_path, FITTING, planned=("cafe",))
    assert set(found.texts) == {"cafe"}
    assert (found.report["beyond_limit"], found.report["unknown"]["rows"], found.report["gaps"]["texts"]) == (2, 0, 0)


def test_two_prompts_of_one_text_must_be_matched_by_id(tmp_path: Path) -> None:
    chosen = options(write_csv(tmp_path / "a.csv", ["prompt", "text"], [["Same.", "a"]]))
    with pytest.raises(DataError, match="'one' and 'two' have the same text"):
        match(read_texts(chosen), [("one", "Same."), ("two", "Same. ")], ("one",), 1, chosen)
