"""How well an extractor finds genders and names, against hand labels.

Precision: of the labels that the extractor gives, the share that are right. Recall: of the labels that people gave, the
share that the extractor found. `unspecified` and `unsure` are no labels; nor is a missing name. A name is right when it
equals the first name listed by hand, both cleaned by the same rules (`naming.parse_name`).
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from raylib.errors import ConfigError, DataError, nearest
from raylib.stats.intervals import wilson
from raylib.studies.narratives.annotate import Extractor, prompt_roles
from raylib.studies.narratives.extraction.extractor import RuleExtractor
from raylib.studies.narratives.extraction.gender import GENDERS, gender_of
from raylib.studies.narratives.extraction.naming import parse_name
from raylib.studies.narratives.extraction.roles import UNSPECIFIED, Found, Roles
from raylib.studies.narratives.given import GENDER_WORDS
from raylib.studies.narratives.prompts import load_scenarios, prompt_table

EXTRACTORS = {"rules": RuleExtractor}
_COLUMNS = [
    "model", "subject", "object", "query", "llm_response", "manual_subject_gender", "manual_object_gender",
    "manual_subject_name", "manual_object_name",
]  # fmt: skip
_TEXTS = ("model", "subject", "object", "query", "llm_response", "manual_subject_gender", "manual_object_gender")


class Label(NamedTuple):
    """One character: what people said and what the extractor says; None: nothing."""

    character: str
    model: str
    gender: str | None
    found_gender: str | None
    name: str | None
    found_name: str | None


class Score(NamedTuple):
    """One share with its 95% Wilson interval; `share` and its ends are None where n is 0."""

    measure: str
    by: str
    group: str
    right: int
    n: int
    share: float | None
    low: float | None
    high: float | None


def evaluate(path: str, extractor: str) -> dict[str, Any]:
    """Return the scores of an extractor on a Parquet file of hand labels, ready for JSON.

    Rows without a story are skipped and counted; a gender by hand that is no known word is no label, and is counted.

    Raises:
        ConfigError: no such file or extractor.
        DataError: the file lacks a column, a story or what goes with it is no text, or names are no lists (or lists
            written as text); names the row.
    """
    if extractor not in EXTRACTORS:
        raise ConfigError(f"unknown extractor {extractor!r}.{nearest(extractor, EXTRACTORS)}")
    table = _read(path)
    rows = [row | {"row": place + 1} for place, row in enumerate(table.to_pylist()) if row["llm_response"] is not None]
    _check(rows, path)
    engine = EXTRACTORS[extractor]()
    labels = [label for row in rows for label in _labels(row, engine)]
    return {
        "extractor": extractor,
        "version": engine.version,
        "labels": Path(path).name,
        "stories": len(rows),
        "skipped_without_story": table.num_rows - len(rows),
        "unknown_genders": dict(_unknown_genders(rows)),
        "scores": [score._asdict() for score in _scores(labels)],
    }


def report_lines(result: dict[str, Any]) -> list[str]:
    """Return the scores as lines for a terminal."""
    head = f"{result['extractor']} {result['version']} on {result['labels']}: {result['stories']} stories"
    unknown = [f"{text!r} ({count})" for text, count in result["unknown_genders"].items()]
    lines = [f"genders by hand that are no known word, taken for no label: {', '.join(unknown)}"] if unknown else []
    lines += [head, f"{'measure':<18}{'by':<11}{'group':<14}{'share':>7}  95% interval     right/n"]
    for score in result["scores"]:
        if score["share"] is not None:
            interval = f"[{score['low']:.3f}, {score['high']:.3f}]"
            place = f"{score['measure']:<18}{score['by']:<11}{score['group']:<14}"
            lines.append(f"{place}{score['share']:>7.4f}  {interval}  {score['right']}/{score['n']}")
    return lines


def _read(path: str) -> pa.Table:
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise ConfigError(f"cannot read labels {path}: {' '.join(str(error).split())}; give a Parquet file") from error
    missing = [column for column in _COLUMNS if column not in table.column_names]
    if missing:
        raise DataError(
            f"labels {path} lack the columns {', '.join(missing)}; they have {', '.join(table.column_names)}"
        )
    return table.select(_COLUMNS)


def _check(rows: list[dict[str, Any]], path: str) -> None:
    known = _roles_by_prompt()
    for row in rows:
        needed = ("model",) if row["query"] in known else ("model", "subject")
        for column in _TEXTS:
            value = row[column]
            if not isinstance(value, str) and (value is not None or column in needed):
                raise DataError(f"labels {path}, row {row['row']}: {column} is {value!r}, not a text")


def _unknown_genders(rows: list[dict[str, Any]]) -> Counter[str]:
    given = (row[f"manual_{character}_gender"] for row in rows for character in ("subject", "object"))
    return Counter(gender for gender in given if gender is not None and _word(gender) not in GENDER_WORDS)


def _word(gender: str | None) -> str:
    return (gender or UNSPECIFIED).strip().lower()


def _labels(row: dict[str, Any], extractor: Extractor) -> Iterator[Label]:
    roles = roles_of(row)
    found = extractor.extract(row["llm_response"], roles)
    characters = (("subject", found.subject, roles.subject), ("object", found.object or Found(), roles.object))
    for character, got, role in characters:
        gender, names = row[f"manual_{character}_gender"], row[f"manual_{character}_name"]
        if gender is None and names is None:
            continue
        seen, hand = gender_of(got.references), GENDER_WORDS.get(_word(gender))
        yield Label(
            character=character,
            model=row["model"],
            gender=hand if hand in GENDERS else None,
            found_gender=seen if seen in GENDERS else None,
            name=_first_name_listed(names, role, row["row"]),
            found_name=parse_name(got.name, role).full,
        )


def roles_of(row: dict[str, Any]) -> Roles:
    """Return the roles of the study's own prompt; for another one, its subject and object as they stand."""
    return _roles_by_prompt().get(row["query"]) or Roles(row["subject"], row["object"])


@cache
def _roles_by_prompt() -> dict[str, Roles]:
    table = prompt_table(load_scenarios())
    return dict(zip(table["prompt"].to_pylist(), prompt_roles(table).values(), strict=True))


def _first_name_listed(names: object, role: str | None, row: int) -> str | None:
    listed = names
    if isinstance(names, str):
        try:
            listed = ast.literal_eval(names)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            listed = None
    if names is None or listed == []:
        return None
    if not isinstance(listed, list):
        raise DataError(f"row {row}: hand-labelled names {names!r} are not a list of texts such as ['Jake']")
    texts = [str(name).strip() for name in listed if str(name).strip().lower() != UNSPECIFIED]
    return parse_name(texts[0], role).full if texts else None


def _scores(labels: list[Label]) -> Iterator[Score]:
    groups = [("all", "all", labels)]
    for by in ("character", "model"):
        values = sorted({getattr(label, by) for label in labels})
        groups += [(by, value, [label for label in labels if getattr(label, by) == value]) for value in values]
    for by, group, members in groups:
        for kind in ("gender", "name"):
            yield from _precision_and_recall(kind, by, group, members)
    for gender in GENDERS:
        given = [label for label in labels if label.found_gender == gender]
        there = [label for label in labels if label.gender == gender]
        yield _score("gender precision", "gender", gender, sum(label.gender == gender for label in given), len(given))
        yield _score(
            "gender recall", "gender", gender, sum(label.found_gender == gender for label in there), len(there)
        )


def _precision_and_recall(kind: str, by: str, group: str, labels: list[Label]) -> Iterator[Score]:
    pairs = [(getattr(label, kind), getattr(label, f"found_{kind}")) for label in labels]
    tally = Counter(
        given=sum(found is not None for _, found in pairs),
        there=sum(true is not None for true, _ in pairs),
        right=sum(true is not None and true == found for true, found in pairs),
    )
    yield _score(f"{kind} precision", by, group, tally["right"], tally["given"])
    yield _score(f"{kind} recall", by, group, tally["right"], tally["there"])


def _score(measure: str, by: str, group: str, right: int, number: int) -> Score:
    if not number:
        return Score(measure, by, group, 0, 0, None, None, None)
    low, high = wilson(right, number)
    return Score(measure, by, group, right, number, right / number, float(low), float(high))
