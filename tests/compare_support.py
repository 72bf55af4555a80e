"""Finished LTF-Test runs on a store, made by hand: essays with given scores, no engine, no Ray."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from raylib.ids import digest, sample_id
from raylib.pipeline.annotate import annotation_unit_id
from raylib.pipeline.provenance import provenance_table
from raylib.results import RunResults, open_run
from raylib.schemas import COMPLETIONS
from raylib.store.local import LocalStore
from raylib.store.manifests import Manifest, manifest_reference, write_manifest
from raylib.store.parts import PartSpec, Receipt, commit
from raylib.store.tables import write_table
from raylib.studies.base import StudyOptions
from raylib.studies.ltf import STUDY
from raylib.studies.ltf.annotate import ANNOTATIONS
from raylib.studies.resampling import blocks_of
from raylib.studies.sums import add_up

OPTIONS = {"axes": ["nonce", "sexual_orientation"], "topics": ["LI", "RJP"]}
REPLICATES = 500
Score = Callable[[Mapping[str, Any], int], object]
"""Prompt and sample index -> a score, or None (unscored), or "refused" or "error"."""


def even(_prompt: Mapping[str, Any], _index: int) -> object:
    return 0


def ltf_run(
    root: Path, name: str, score: Score = even, *, options: Mapping[str, Any] | None = None, samples: int = 1,
    identity: Mapping[str, Any] | None = None, generation: Mapping[str, Any] | None = None,
    labeller: str = "judge", limit: int | None = None,
) -> RunResults:  # fmt: skip
    """Write a run whose essay of a prompt has the score that `score` says, in parts of 100 samples."""
    store = LocalStore(root)
    chosen = {**OPTIONS, **(options or {})}
    study_options = StudyOptions("ltf", chosen, REPLICATES, 3)
    prompts = STUDY.prompts(study_options).slice(0, limit)
    stage = digest(name)[:24]
    completions, labels = _samples(prompts, score, samples, stage)
    facts = {"study": "ltf", "model": {"weights": {"kind": "scripted"}}, **(generation or {})}
    texts = [
        _part(store, "generate", stage, f"u{start}", completions.slice(start, 100), COMPLETIONS)
        for start in range(0, completions.num_rows, 100)
    ]
    first = _manifest(store, name, "generate", stage, texts, None, {"identity": facts})
    marked = [
        _part(store, "annotate", stage, annotation_unit_id(stage, part), labels.slice(100 * place, 100), ANNOTATIONS)
        for place, part in enumerate(texts)
    ]
    judged = {"study": "ltf", "version": "1", "labeller": {"model": labeller}}
    second = _manifest(store, name, "annotate", stage, marked, "generate", {"identity": judged})
    own = {
        "study": "ltf", "version": STUDY.version, "options": chosen, "data": dict(STUDY.data_identity(study_options)),
        "statistics": {"replicates": REPLICATES, "seed": 3}, "fairsweep": "0", **(identity or {}),
    }  # fmt: skip
    _reduce(store, name, stage, study_options, prompts, labels, own, (first, second))
    return open_run(str(root), name)


def _samples(prompts: pa.Table, score: Score, samples: int, stage: str) -> tuple[pa.Table, pa.Table]:
    texts, labels = [], []
    for prompt in prompts.to_pylist():
        for index in range(samples):
            found = score(prompt, index)
            status = "error" if found == "error" else "ok"
            shared = {
                "sample_id": sample_id(stage, prompt["prompt_id"], index),
                "prompt_id": prompt["prompt_id"],
                "status": status,
            }
            texts.append(
                shared
                | {
                    "sample_index": index, "text": f"{stage} {prompt['question']}" if status == "ok" else None,
                    "prompt_tokens": 0, "completion_tokens": 0, "reasoning_tokens": 0, "attempt": 1,
                }
            )  # fmt: skip
            scored = found in (-1, 0, 1, 2)
            refused = found == "refused"
            labels.append(
                shared
                | {
                    "score": found if scored else 0 if refused else None,
                    "refusal": refused if scored or refused else None,
                    "judge_status": "scored" if scored or refused else "no_answer", "judge_reason": "as told",
                }
            )  # fmt: skip
    return pa.Table.from_pylist(texts, schema=COMPLETIONS), pa.Table.from_pylist(labels, schema=ANNOTATIONS)


def _part(store: LocalStore, stage: str, fingerprint: str, unit: str, table: pa.Table, schema: pa.Schema) -> Receipt:
    spec = PartSpec(stage, fingerprint, unit, tuple(table["sample_id"].to_pylist()), "sample_id")
    return commit(store, spec, table.combine_chunks(), schema)


def _manifest(
    store: LocalStore, run: str, stage: str, fingerprint: str, parts: list[Receipt], parent: str | None,
    provenance: Mapping[str, Any],
) -> Manifest:  # fmt: skip
    manifest = Manifest(
        stage=stage, fingerprint=fingerprint, run=run, parts=tuple(parts), quarantined=(), rejected=(),
        planned_units=len(parts), planned_rows=sum(part.rows for part in parts),
        parents=(manifest_reference(store, run, parent),) if parent else (), provenance=provenance,
    )  # fmt: skip
    write_manifest(store, manifest)
    return manifest


def _reduce(
    store: LocalStore, run: str, stage: str, options: StudyOptions, prompts: pa.Table, labels: pa.Table,
    identity: Mapping[str, Any], manifests: tuple[Manifest, Manifest],
) -> None:  # fmt: skip
    sums = add_up([STUDY.sums(options, labels, prompts)], STUDY.measures)
    replicates = STUDY.replicates(options, sums, blocks_of(REPLICATES))
    tables = {
        "estimates": STUDY.estimates(options, sums, replicates), "sums": sums,
        "provenance": provenance_table(identity, STUDY.measures, prompts, manifests),
    }  # fmt: skip
    receipts = [write_table(store, f"results/{stage}/{name}.parquet", table, name) for name, table in tables.items()]
    _manifest(store, run, "reduce", stage, receipts, "annotate", {"identity": dict(identity)})
