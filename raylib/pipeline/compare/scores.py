"""Scores of a run's samples for `studies.flips`: one part with its texts in memory at a time, of each sample a few numbers."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from raylib.pipeline.annotate import judge_stage
from raylib.pipeline.compare.runs import ComparedRun
from raylib.pipeline.labelled import LabelledParts
from raylib.pipeline.labellers import combining
from raylib.studies.comparing import ScoringStudy
from raylib.studies.flips import Flips, flips

KEY = "prompt"
"""What `flips` calls the study's `prompt_key`."""


def flipped(a: ComparedRun, b: ComparedRun) -> Flips | None:
    """Return the prompts that flipped from A to B; None where the study gives samples no score."""
    if not isinstance(a.study, ScoringStudy):
        return None
    return flips(read_scores(a, a.study), read_scores(b, a.study))


def read_scores(run: ComparedRun, study: ScoringStudy) -> pd.DataFrame:
    """Return one row a sample: prompt, sample_index, sample_id, score (NaN where there is none), refused."""
    ids = run.prompts["prompt_id"].combine_chunks()
    keys = run.prompts[run.comparable.prompt_key].combine_chunks()
    frames = []
    for annotations, completions in _parts(run):
        scores = study.sample_scores(run.options, annotations)
        columns = {
            KEY: keys.take(pc.index_in(annotations["prompt_id"], ids)),
            "sample_index": completions["sample_index"],
            "sample_id": annotations["sample_id"],
            "score": scores.score,
            "refused": scores.refused,
        }
        frames.append(pa.table(columns).to_pandas())
    empty = pd.DataFrame({KEY: [], "sample_index": [], "sample_id": [], "score": [], "refused": []})
    frame = pd.concat(frames, ignore_index=True) if frames else empty
    return frame.astype({"score": np.float64})


class Sample(NamedTuple):
    """A sample as the report shows it."""

    text: str
    labels: Mapping[str, object]


def read_samples(run: ComparedRun, wanted: set[str]) -> dict[str, Sample]:
    """Return samples by id, with their texts and labels; the parts are read one at a time."""
    found: dict[str, Sample] = {}
    for annotations, completions in _parts(run):
        own = pc.is_in(annotations["sample_id"], pa.array(sorted(wanted), pa.string()))
        texts = completions.filter(own)["text"].to_pylist()
        for row, text in zip(annotations.filter(own).to_pylist(), texts, strict=True):
            found[row["sample_id"]] = Sample(text or "", row)
        if len(found) == len(wanted):
            break
    return found


def _parts(run: ComparedRun) -> Iterator[tuple[pa.Table, pa.Table]]:
    generation, annotation = (run.results.manifest(stage) for stage in ("generate", "annotate"))
    names = annotation.provenance["identity"].get("judges", {})
    judges = {name: run.results.manifest(judge_stage(name)) for name in names}
    schema = combining(run.study).combined_schema if judges else run.study.annotation_schema
    parts = LabelledParts(run.results.store, schema, generation, annotation, judges)
    for receipt in parts.receipts:
        yield parts.read(receipt)
