"""What an earlier run measured: tokens, statuses, speed, sums. It may have been stopped half-way."""

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import ConfigError, DataError, nearest
from raylib.ids import check_name, fingerprint
from raylib.pipeline.generate import STAGE as GENERATE
from raylib.pipeline.records import StageRecords
from raylib.schemas import COMPLETIONS, SUMS
from raylib.store.base import ObjectStore
from raylib.store.documents import read_document
from raylib.store.manifests import existing_manifest
from raylib.store.part_file import PartError, part_prefix, read_parquet, schema_problem
from raylib.store.parts import read_rows

LOG = logging.getLogger(__name__)
_MOST_PARTS = 200
"""Parts read for the tokens of prompts and completions, spread evenly over the run."""


class Speed(NamedTuple):
    """New tokens a second of one actor: a range, since a run does not record how many of its actors were at work."""

    low: float
    high: float
    devices: tuple[str, ...]
    gpus_per_actor: float
    seconds: float
    """How long the process worked that was measured, loading the model included."""


class PilotTokens(NamedTuple):
    """Tokens of a sample, on average, of those whose tokens are known: neither failed nor imported."""

    prompt: float
    new: float
    """Reasoning included."""
    texts: int


@dataclass(frozen=True)
class Pilot:
    """A run's measurements."""

    run: str
    identity: Mapping[str, Any]
    """Its run.json: study, generation, samples, prompts."""
    finished: bool
    """Whether its completions are all there."""
    texts: int
    """Completions that were looked at for the tokens."""
    tokens: PilotTokens | None
    """None: of no text they are known."""
    statuses: Mapping[str, float]
    """Share of each status; refusals as the study's annotator sees them, where it ran."""
    speed: Speed | None
    sums: pa.Table | None
    """Schema SUMS; None: no metrics yet."""
    drawn: Mapping[str, int]
    """Samples of each prompt where `sampling.until` drew them; else empty, and all have as many as the identity says."""

    def samples_of(self, prompt: str) -> float:
        """Return how many samples of a prompt there are; those that failed or are missing count as none, on average."""
        planned = self.drawn.get(prompt, int(self.identity["samples"]))
        return planned * (1 - self.statuses.get("error", 0.0))

    @property
    def samples(self) -> float:
        """Samples a prompt, on average, without those that failed or are missing."""
        prompts = self.drawn or [""]
        return sum(map(self.samples_of, prompts)) / len(prompts)

    @property
    def prompts(self) -> int:
        """Prompts that it asked."""
        return int(self.identity["prompts"])


def read_pilot(store: ObjectStore, run: str, study: str) -> Pilot:
    """Return what a run of `study` measured.

    Raises:
        ConfigError: the store has no such run (the nearest name is given), it is one of another study, or none of its
            texts was committed.
        DataError: its records or parts cannot be read.
    """
    identity = _identity(store, check_name(run, "--pilot"))
    if identity["study"]["name"] != study:
        raise ConfigError(
            f"pilot {run!r} is a run of study {identity['study']['name']!r}, this config plans {study!r}: give a pilot of "
            "that study, or none"
        )
    manifest, annotation = existing_manifest(store, run, GENERATE), existing_manifest(store, run, "annotate")
    stage = fingerprint(GENERATE, identity["generation"])
    keys = [receipt.key for receipt in manifest.parts] if manifest else _committed(store, stage)
    texts = _texts(store, keys)
    if texts is None:
        raise ConfigError(f"pilot {run!r} has no committed text yet: let it run until a unit is finished")
    counted = [receipt.statuses for made in (annotation or manifest,) if made for receipt in made.parts]
    return Pilot(
        run=run,
        identity=identity,
        finished=manifest is not None,
        texts=texts.num_rows,
        tokens=_tokens(texts),
        statuses=_shares(counted or [Counter(texts["status"].to_pylist())]),
        speed=_speed(StageRecords(store, run, GENERATE)),
        sums=_sums(store, run),
        drawn=manifest.provenance.get("until", {}).get("samples", {}) if manifest else {},
    )


def _identity(store: ObjectStore, run: str) -> dict[str, Any]:
    key = f"runs/{run}/run.json"
    if store.exists(key):
        return _checked(read_document(store, key), f"{store.url}/{key}")
    runs = {info.key.split("/")[1] for info in store.list("runs/") if info.key.endswith("/run.json")}
    if not runs:
        raise ConfigError(
            f"no pilot {run!r}: {store.url} holds no run yet; make one with jobs/audit.py --run {run} --set samples=5"
        )
    raise ConfigError(f"no pilot {run!r} in {store.url}.{nearest(run, runs)}")


def _checked(identity: dict[str, Any], where: str) -> dict[str, Any]:
    try:
        _ = identity["study"]["name"], dict(identity["generation"]), int(identity["samples"]), int(identity["prompts"])
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"{where} lacks what a run records ({type(error).__name__}: {error}): another version wrote it; choose "
            "another pilot"
        ) from None
    return identity


def _committed(store: ObjectStore, stage: str) -> list[str]:
    """Return the keys of the newest revision of each unit of a stage."""
    prefix = part_prefix(GENERATE, stage)
    newest: dict[str, tuple[int, str]] = {}
    for info in store.list(prefix):
        unit, _, revision = info.key[len(prefix) :].removesuffix(".parquet").partition(".")
        number = int(revision) if revision.isdecimal() else 0
        newest[unit] = max(newest.get(unit, (-1, "")), (number, info.key))
    return [key for _, key in newest.values()]


def _texts(store: ObjectStore, keys: Sequence[str]) -> pa.Table | None:
    step = max(1, -(-len(keys) // _MOST_PARTS))
    tables = []
    for key in keys[::step]:
        try:
            _, table = read_parquet(store.get(key))
        except (PartError, KeyError) as error:
            LOG.warning("pilot: part %s is not used: %s", key, error)
            continue
        if problem := schema_problem(table.schema, COMPLETIONS):
            LOG.warning("pilot: part %s is not used: %s", key, problem)
            continue
        tables.append(table.select(["status", "prompt_tokens", "completion_tokens"]))
    return pa.concat_tables(tables) if sum(table.num_rows for table in tables) else None


def _tokens(texts: pa.Table) -> PilotTokens | None:
    known = texts.filter(pc.and_(pc.not_equal(texts["status"], "error"), pc.greater(texts["prompt_tokens"], 0)))
    if not known.num_rows:
        return None
    prompt, new = (float(pc.mean(known[name]).as_py()) for name in ("prompt_tokens", "completion_tokens"))
    return PilotTokens(prompt, new, known.num_rows)


def _shares(counted: Sequence[Mapping[str, int]]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for statuses in counted:
        total.update(statuses)
    return {status: total[status] / total.total() for status in sorted(total)}


def _speed(records: StageRecords) -> Speed | None:
    """Return the speed of the process that wrote the most tokens; None where no snapshot says how many actors it had."""
    snapshots = [item for item in records.snapshots() if item.get("tokens_per_s") and item.get("actors")]
    if not snapshots:
        return None
    longest = max(snapshots, key=lambda item: item["tokens_per_s"] * item["seconds"])
    fewest, most = longest["actors"]
    rate = longest["tokens_per_s"]
    devices = tuple(sorted({str(info["device"]) for info in records.infos() if info.get("device")}))
    return Speed(rate / most, rate / fewest, devices, float(longest.get("gpus_per_actor", 0)), longest["seconds"])


def _sums(store: ObjectStore, run: str) -> pa.Table | None:
    manifest = existing_manifest(store, run, "reduce")
    receipt = next((part for part in manifest.parts if part.unit_id == "sums"), None) if manifest else None
    return read_rows(store, receipt, SUMS) if receipt else None
