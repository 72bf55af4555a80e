"""Files of texts: every value as it stands there, and every defect named by file and row."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from raylib.errors import ConfigError, DataError
from raylib.imported.files import file_hashes
from raylib.imported.texts import ImportedText, read_texts
from tests.import_support import options, write_csv

ACCENTED = "Écris une histoire."


def refused(file: Path, **changes: object) -> str:
    with pytest.raises(DataError) as caught:
        read_texts(options(file, **changes))
    return str(caught.value)


def written(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def texts_of(read: list[ImportedText]) -> list[tuple[str, str | None]]:
    return [(one.prompt, one.text) for one in read]


def test_csv_keeps_line_breaks_quotes_and_delimiters_inside_cells(tmp_path: Path) -> None:
    rows = [["p1", 'He said "hi",\r\nand left'], ["p2", "= plain"]]
    read = read_texts(options(write_csv(tmp_path / "a.csv", ["prompt", "text"], rows)))
    assert texts_of(read) == [("p1", 'He said "hi",\r\nand left'), ("p2", "= plain")]
    assert [one.place for one in read] == ["a.csv, line 2", "a.csv, line 4"]


def test_the_three_formats_give_the_same_texts(tmp_path: Path) -> None:
    rows = [[ACCENTED, "one"], ["q", "two\u2028lines"]]
    first = write_csv(tmp_path / "a.csv", ["prompt", "text"], rows)
    lines = '{"prompt": "%s", "text": "one"}\n\n{"text": "two\u2028lines", "prompt": "q"}\n' % ACCENTED  # noqa: UP031
    second = written(tmp_path / "a.jsonl", lines)
    third = tmp_path / "a.parquet"
    pq.write_table(pa.table({"prompt": [ACCENTED, "q"], "text": ["one", "two\u2028lines"], "other": [1, 2]}), third)
    read = [texts_of(read_texts(options(file))) for file in (first, second, third)]
    assert read[0] == read[1] == read[2] == [(ACCENTED, "one"), ("q", "two\u2028lines")]


def test_a_cell_of_more_than_128_kb_is_read(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "a.csv", ["prompt", "text"], [["p", "word " * 40_000]])
    assert len(read_texts(options(file))[0].text or "") == 200_000


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", b"\xef\xbb\xbfprompt,text\np,t\n")
    assert texts_of(read_texts(options(file))) == [("p", "t")]


def test_another_encoding_names_line_byte_and_the_option(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", f"prompt,text\np,plain\n{ACCENTED},t\n".encode("cp1252"))
    assert refused(file) == (
        "a.csv, line 3: byte 20 (0xc9) is not utf-8: set model.engine.encoding (for example cp1252 or latin-1)"
    )
    assert read_texts(options(file, encoding="cp1252"))[1].prompt == ACCENTED


def test_utf_16_is_recognised_with_and_without_its_mark(tmp_path: Path) -> None:
    text = "prompt,text\np,t\n"
    assert "for example utf-16)" in refused(written(tmp_path / "a.csv", text.encode("utf-16")))
    assert "NUL character" in refused(written(tmp_path / "b.csv", text.encode("utf-16-le")))
    assert texts_of(read_texts(options(tmp_path / "a.csv", encoding="utf-16"))) == [("p", "t")]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", 'prompt,text\np,t\nq,"never\nclosed\n', "a.csv, line 3: a quote that begins in this row"),
        ("a.csv", "prompt,text\np,t\nq", "a.csv, line 3: 1 cells, the header has 2: the row is cut off"),
        ("a.csv", 'prompt,text\np,"a" b\n', "a.csv, line 2: ',' expected after '\"'"),
        ("a.csv", "prompt,text,text\np,t,u\n", "names column 'text' twice"),
        ("a.csv", "prompt,txt\np,t\n", "a.csv has no column 'text' (model.engine.columns.text). Did you mean 'txt'?"),
        ("a.csv", "prompt,text\n", "a.csv: there is no row"),
        ("a.csv", "", "a.csv is empty (0 bytes)"),
        ("a.csv", "prompt,text\n,t\n", "a.csv, line 2: column 'prompt' is empty"),
        ("a.jsonl", '{"prompt": "p", "text": "t"}\n{"prompt": "q", "te', "a.jsonl, line 2: no whole JSON"),
        ("a.jsonl", '["p", "t"]\n', "a.jsonl, line 1: holds list, expected a mapping"),
        ("a.jsonl", '{"prompt": "p", "text": 5}\n', "a.jsonl, line 1: column 'text' holds 5 (int), expected a text"),
        ("a.jsonl", '{"prompt": "p", "text": "\\ud800"}\n', "a.jsonl, line 1: column 'text' holds half a character"),
        ("a.parquet", "PAR1 and no more", "a.parquet: no whole Parquet file"),
    ],
)
def test_a_broken_file_is_named_with_the_row(tmp_path: Path, name: str, data: str, message: str) -> None:
    assert message in refused(written(tmp_path / name, data))


def test_a_parquet_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"prompt": ["p"] * 50, "text": ["t"] * 50}), file)
    file.write_bytes(file.read_bytes()[:-20])
    assert "a.parquet: no whole Parquet file" in refused(file)


def test_a_parquet_column_of_another_type_names_its_first_row(tmp_path: Path) -> None:
    pq.write_table(pa.table({"prompt": ["p", "q"], "text": pa.array([None, 2.5])}), tmp_path / "a.parquet")
    assert refused(tmp_path / "a.parquet") == "a.parquet, row 2: column 'text' holds 2.5 (float), expected a text"


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("1_0", "holds '1_0' (str), expected a number"),
        ("nan", "holds nan: leave a score"),
        ("inf", "holds inf"),
        ("high", "holds 'high' (str), expected a number"),
    ],
)
def test_a_score_that_is_no_number_is_refused(tmp_path: Path, cell: str, message: str) -> None:
    file = write_csv(tmp_path / "a.csv", ["prompt", "text", "tox"], [["p", "t", "0.5"], ["p", "u", cell]])
    assert f"a.csv, line 3: column 'tox' {message}" in refused(file, columns={"scores": {"toxicity": "tox"}})


def test_labels_and_scores_travel_as_json_with_the_row_that_they_stood_in(tmp_path: Path) -> None:
    first = '{"prompt": "p", "text": "t", "who": ["Ann", "Anna"], "tox": 1}'
    lines = f'{first}\n{{"prompt": "p", "text": "u", "who": null, "tox": null}}'
    columns = {"given": {"subject_name": "who"}, "scores": {"toxicity": "tox"}}
    read = read_texts(options(written(tmp_path / "a.jsonl", lines), columns=columns))
    assert [one.given for one in read] == [
        '{"file":1,"row":1,"scores":{"toxicity":1.0},"subject_name":["Ann","Anna"]}',
        '{"file":1,"row":2}',
    ]


def test_only_the_rows_of_the_declared_model_are_taken(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "a.csv", ["prompt", "text", "m"], [["p", "t", "gpt4"], ["", "", "llama"]])
    assert texts_of(read_texts(options(file, columns={"model": "m"}, model="gpt4"))) == [("p", "t")]
    assert "no row of model 'gpt-4'. Did you mean 'gpt4'? Valid: gpt4, llama." in refused(
        file, columns={"model": "m"}, model="gpt-4"
    )


def test_finish_reasons_and_empty_texts_become_statuses(tmp_path: Path) -> None:
    rows = [
        ["t", "stop"],
        ["t", "LENGTH"],
        ["", "content_filter"],
        ["", "stop"],
        ["t", ""],
        [" \n", ""],
        ["t", "error"],
    ]
    file = write_csv(tmp_path / "a.csv", ["prompt", "text", "why"], [["p", *row] for row in rows])
    read = read_texts(options(file, columns={"finish_reason": "why"}))
    assert [one.status for one in read] == ["ok", "truncated", "refused", "error", "ok", "error", "error"]
    bad = write_csv(tmp_path / "b.csv", ["prompt", "text", "why"], [["p", "t", "lenght"]])
    message = refused(bad, columns={"finish_reason": "why"})
    assert message.startswith("b.csv, line 2: unknown finish reason 'lenght'. Did you mean 'length'?")


def test_a_missing_file_and_an_unknown_ending_are_errors_of_the_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read .*gone\.csv.*No such file"):
        read_texts(options(tmp_path / "gone.csv"))
    with pytest.raises(ConfigError, match=r"set model\.engine\.format"):
        read_texts(options(written(tmp_path / "a.txt", "prompt,text\np,t\n")))
    assert texts_of(read_texts(options(tmp_path / "a.txt", format="csv"))) == [("p", "t")]


def test_a_pinned_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", "prompt,text\np,t\n")
    (pinned,) = file_hashes(options(file))
    assert len(read_texts(options(file, sha256=[pinned.upper()]))) == 1
    file.write_text("prompt,text\np,another\n")
    assert f"expected {pinned}" in refused(file, sha256=[pinned])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": {"prompt_id": "id"}}, "give either `prompt`"),
        ({"columns": {"model": "m"}}, "go together"),
        ({"encoding": "utf-9"}, "no text encoding"),
        ({"encoding": "hex"}, "no text encoding"),
        ({"sha256": ["ab"]}, "64 hexadecimal digits"),
        ({"sha256": ["a" * 64, "b" * 64]}, "2 sha256 for 1 files"),
        ({"columns": {"given": {"scores": "s"}}}, "is taken"),
    ],
)
def test_options_that_contradict_each_other_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        options(Path("a.csv"), **changes)


def test_a_number_too_large_for_a_score_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", '{"prompt": "p", "text": "t", "tox": 1%s}\n' % ("0" * 400))
    message = refused(file, columns={"scores": {"toxicity": "tox"}})
    assert message.startswith("a.jsonl, line 1: column 'tox' holds 1000")
    assert message.endswith("expected a number below 1.8e308")


def test_a_key_that_stands_twice_in_a_line_is_refused_as_a_column_is(tmp_path: Path) -> None:
    file = written(tmp_path / "a.jsonl", '{"prompt": "p", "text": "t"}\n{"prompt": "p", "text": "a", "text": "b"}\n')
    assert refused(file) == "a.jsonl, line 2: column 'text' is there twice; rename one"


def test_blank_lines_before_the_header_of_a_csv_file_are_left_out(tmp_path: Path) -> None:
    read = read_texts(options(written(tmp_path / "a.csv", "\r\n\nprompt,text\n\np,t\n")))
    assert [(one.place, one.text) for one in read] == [("a.csv, line 5", "t")]
    twice = written(tmp_path / "b.csv", "\nprompt,text,text\np,t,u\n")
    assert refused(twice) == "b.csv, line 2: the header names column 'text' twice; rename one"
