"""Sheets that people fill in: essays to label, and essays on which annotators differ. Neither says what the judge thinks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from raylib.errors import ConfigError, DataError
from raylib.report.visible import make_visible
from raylib.studies.ltf.calibration.essays import Matched
from raylib.studies.ltf.calibration.labels import ID, MARKS
from raylib.studies.ltf.judge.columns import SECTIONS
from raylib.studies.ltf.prompts import human_annotated

NO_TEXT = "[no text: the endpoint refused to answer; a refusal]"
_ESSAY = (ID, "question", "essay")


def drawn_ids(annotations: pa.Table, prompts: pa.Table, number: int | None, seed: int) -> list[str]:
    """Return the essays to label, in random order: whoever labels the first ones only still labels a random draw.

    Samples that ended in an error are none.

    Args:
        annotations: columns sample_id, prompt_id, status.
        prompts: of the study.
        number: so many at random, each essay with the same chance; None: all of the prompts of the paper's human set.
        seed: of the draw and the order.

    Raises:
        ConfigError: more are asked for than there are.
        DataError: no essay is of the human set.
    """
    rows = [row for row in annotations.select([ID, "prompt_id", "status"]).to_pylist() if row["status"] != "error"]
    if number is None:
        human = set(human_annotated(prompts)["prompt_id"].to_pylist())
        rows = [row for row in rows if row["prompt_id"] in human]
        if not rows:
            raise DataError("no essay of this run is of the paper's human set: draw some at random with --draw N")
    elif number > len(rows):
        raise ConfigError(f"--draw {number}: the run has {len(rows):,} essays; ask for at most as many")
    order = np.random.Generator(np.random.Philox(key=seed)).permutation(len(rows))
    return [rows[place][ID] for place in order[:number].tolist()]


def annotation_sheet(ids: Sequence[str], essays: Mapping[str, Mapping[str, Any]]) -> pa.Table:
    """Return an empty sheet, one row an essay: `essays` gives question and text by sample id."""
    schema = pa.schema([(name, pa.string()) for name in (*_ESSAY, *SECTIONS, "refusal")])
    return pa.Table.from_pylist([_shown(key, essays[key]) for key in ids], schema=schema)


def disagreement_sheet(matched: Matched, essays: Mapping[str, Mapping[str, Any]]) -> pa.Table:
    """Return the essays on which annotators differ, with what each said, and empty columns for who decides.

    Filled in, it is what --adjudicated takes.
    """
    names = [name for name in MARKS if not np.isnan(matched.ratings[name]).all()]
    wanted = [name for name in names if name != "score"] if SECTIONS[0] in names else names
    said = {f"{who}: {name}": (name, column) for name in names for column, who in enumerate(matched.annotators)}
    place = {key: row for row, key in enumerate(matched.judged.sample_ids)}
    rows = []
    for key in matched.left.unsettled:
        values = {title: matched.ratings[name][place[key], column] for title, (name, column) in said.items()}
        rows.append({**_shown(key, essays[key]), **{title: _cell(value) for title, value in values.items()}})
    schema = pa.schema(
        [(name, pa.string()) for name in _ESSAY]
        + [(title, pa.int8()) for title in said]
        + [(name, pa.string()) for name in wanted]
    )
    return pa.Table.from_pylist(rows, schema=schema)


def _shown(key: str, essay: Mapping[str, Any]) -> dict[str, object]:
    """Hidden characters are written out: what an annotator sees is what is there."""
    text = NO_TEXT if essay["text"] is None else str(essay["text"]).replace("\r\n", "\n").replace("\r", "\n")
    return {ID: key, "question": essay["question"], "essay": make_visible(text)}


def _cell(value: float) -> int | None:
    return None if np.isnan(value) else int(value)
