"""One run at work: its configuration, its study, its store. Every stage begins from this."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from raylib import registry
from raylib.config.run import LabellerConfig, RunConfig, StudyConfig
from raylib.errors import ConfigError, DataError
from raylib.ids import digest
from raylib.pipeline.labellers import check_labellers, combining
from raylib.pipeline.session import RaySession
from raylib.pipeline.stage import StageRun
from raylib.schemas import PROMPT_COLUMNS
from raylib.store.base import ObjectStore
from raylib.store.documents import read_document
from raylib.store.open import StoreOptions, open_store
from raylib.store.probe import probe
from raylib.studies.base import Study, StudyOptions

LOG = logging.getLogger(__name__)


def load_study(config: StudyConfig) -> Study:
    """Return the study that a config names. Raises ConfigError with the valid names."""
    return cast(Study, registry.load(registry.STUDIES, config.name, "study"))


@dataclass(frozen=True)
class Context:
    """A checked configuration with everything that is opened from it."""

    config: RunConfig
    limit: int | None = None
    """Use the first `limit` prompts only."""
    retry: bool = False

    @cached_property
    def study(self) -> Study:
        """The study."""
        return load_study(self.config.study)

    @cached_property
    def options(self) -> StudyOptions:
        """The study's options, checked by the study."""
        statistics = self.config.statistics
        options = StudyOptions(
            self.config.study.name, self.config.study.options, statistics.replicates, statistics.seed
        )
        self.study.check(options)
        return options

    @property
    def labeller(self) -> LabellerConfig | None:
        """The one model that labels; None where several do (`labellers`), or the study's options ask for none.

        Raises:
            ConfigError: the options ask for one and the run has none, or the other way round; or its wording is wrong.
        """
        check_labellers(self.config, self.study, self.options)
        return self.config.labeller

    @property
    def labellers(self) -> Mapping[str, LabellerConfig]:
        """The several models that label, by name in sorted order; none where there is one `labeller` or none.

        Raises:
            ConfigError: as `labeller`; or the study takes one model.
        """
        check_labellers(self.config, self.study, self.options)
        return dict(sorted((self.config.labellers or {}).items()))

    @property
    def annotation_schema(self) -> pa.Schema:
        """The columns of the annotate manifest's parts: the study's, of combined labels where several models label."""
        return combining(self.study).combined_schema if self.config.labellers else self.study.annotation_schema

    @cached_property
    def prompts(self) -> pa.Table:
        """The prompt table (`schemas.PROMPT_COLUMNS` and the study's own), cut to `limit` rows."""
        _ = self.labeller  # a run that cannot label is refused before it generates
        table = self.study.prompts(self.options)
        names = [column.name for column in PROMPT_COLUMNS]
        if table.column_names[: len(names)] != names or len(set(table["prompt_id"].to_pylist())) != table.num_rows:
            raise DataError(f"study {self.study.name}: its prompt table must begin with {names}, prompt_id unique")
        return table.slice(0, self.limit) if self.limit is not None else table

    @cached_property
    def store_options(self) -> StoreOptions:
        """Where results go; holds names of environment variables, no secrets."""
        url = self.config.store.url
        if "working_dir_files" in Path.cwd().parts and "://" not in url and not Path(url).expanduser().is_absolute():
            raise ConfigError(
                f"store.url {url!r} is relative, and a submitted job runs in a copy of the folder that Ray deletes: give an "
                "absolute path or s3://bucket/prefix, for example --set store.url=/data/runs"
            )
        return StoreOptions(**self.config.store.model_dump())

    @cached_property
    def store(self) -> ObjectStore:
        """The opened store."""
        return open_store(self.store_options)

    @property
    def prefix(self) -> str:
        """The key prefix of everything that belongs to this run alone."""
        return f"runs/{self.config.run}"

    def begin(self, session: RaySession) -> StageRun:
        """Probe the store, leave the witness that workers look for, and return what stages need around a plan.

        Raises:
            StoreError: the store cannot be written to or does not honour put-if-absent.
        """
        probe(self.store)
        witness = f"{self.prefix}/witness"
        self.store.put_if_absent(witness, b"workers that see this object share the driver's store\n")
        return StageRun(
            run=self.config.run, store=self.store, store_options=self.store_options, limits=self.config.limits,
            session=session, witness=witness, retry=self.retry,
        )  # fmt: skip


def check_claim(context: Context, identity: dict[str, Any]) -> bool:
    """Say whether a run's name is bound to these settings (False: to none yet).

    Raises:
        ConfigError: the name is taken by other settings; the message names the first that differs.
    """
    key = f"{context.prefix}/run.json"
    if not context.store.exists(key):
        return False
    try:
        before = read_document(context.store, key)
    except DataError as error:
        raise DataError(
            f"{error}. What it bound is unknown: choose another name (--run NAME); texts are reused"
        ) from None
    if digest(before) == digest(identity):
        return True
    name, old, new = first_difference(before, identity)
    raise ConfigError(
        f"run {context.config.run!r} was started with other settings: {name} was {_short(old)}, is now {_short(new)}. "
        "Choose another name (--run NAME; texts are reused where model, sampling and units are the same) or the old settings"
    )


def claim_run(context: Context, identity: dict[str, Any]) -> None:
    """Bind a run's name to what it computes, once. Called when there is a first result: a failed start binds nothing.

    Raises:
        ConfigError: the name was taken by other settings meanwhile.
    """
    if not check_claim(context, identity):
        data = json.dumps(identity, indent=1, sort_keys=True).encode()
        if not context.store.put_if_absent(f"{context.prefix}/run.json", data):
            check_claim(context, identity)


def first_difference(before: Mapping[str, Any], now: Mapping[str, Any], path: str = "") -> tuple[str, Any, Any]:
    """Return the dotted name of the first key in which two different mappings differ, and its two values."""
    name = next(name for name in sorted({*before, *now}) if before.get(name) != now.get(name))
    old, new = before.get(name), now.get(name)
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return first_difference(old, new, f"{path}{name}.")
    return f"{path}{name}", old, new


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 80 else text[:77] + "..."
