"""A run as its readers see it: tables by name, every byte compared with what its manifests record."""

import os
from collections.abc import Iterator
from functools import cached_property

import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import ConfigError, DataError, nearest
from raylib.ids import check_name
from raylib.store.base import ObjectStore
from raylib.store.manifests import Manifest, read_manifest, staleness
from raylib.store.open import StoreOptions, open_store
from raylib.store.reading import read_table

_PARENTS = {"annotate": "generate", "reduce": "annotate"}


def open_run(
    store: str | os.PathLike[str],
    run: str,
    *,
    endpoint: str | None = None,
    region: str | None = None,
    access_key_env: str | None = None,
    secret_key_env: str | None = None,
) -> "RunResults":
    """Return the results of a run; nothing is read before it is asked for.

    Args:
        store: a folder or s3://bucket/prefix, as a config's `store.url`.
        run: the run's name.
        endpoint: http(s)://host:port of an S3-compatible server.
        region: of the bucket.
        access_key_env: NAME of the environment variable with the access key.
        secret_key_env: NAME of the environment variable with the secret key.

    Raises:
        ConfigError: the store's address is wrong, or the store has no such run (the nearest one is named).
    """
    opened = open_store(StoreOptions(os.fspath(store), endpoint, region, access_key_env, secret_key_env))
    results = RunResults(opened, run)
    if next(iter(opened.list(f"runs/{run}/")), None) is None:
        names = {info.key.split("/")[1] for info in opened.list("runs/")}
        raise ConfigError(
            f"no run {run!r} in {opened.url}.{nearest(run, names)} A run is there once jobs/audit.py has begun it"
        )
    return results


class RunResults:
    """The tables of one run, as pyarrow Tables (`.to_pandas()` gives a data frame).

    All properties raise DataError where the stage has not run yet (the message says which job runs it), where it was made
    from an older one, or where a part is missing or changed (the message names it).
    """

    def __init__(self, store: ObjectStore, run: str) -> None:
        self.run = check_name(run, "run")
        self.store = store
        self._manifests: dict[str, Manifest] = {}

    def __repr__(self) -> str:
        return f"<results of run {self.run!r} in {self.store.url}>"

    @cached_property
    def estimates(self) -> pa.Table:
        """One row a number of the report, with its intervals (schema `raylib.schemas.ESTIMATES`)."""
        return self.table("estimates")

    @cached_property
    def sums(self) -> pa.Table:
        """The sufficient statistics that the estimates are computed from (schema `raylib.schemas.SUMS`)."""
        return self.table("sums")

    @cached_property
    def provenance(self) -> pa.Table:
        """What the numbers rest on: settings, parts with their hashes, prompts by cluster (`schemas.PROVENANCE`)."""
        return self.table("provenance")

    @cached_property
    def completions(self) -> pa.Table:
        """One row a sample: text, status, seed, tokens (schema `raylib.schemas.COMPLETIONS`)."""
        return self._stage("generate")

    @cached_property
    def annotations(self) -> pa.Table:
        """One row a sample: its labels, in the study's own columns."""
        return self._stage("annotate")

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Names of the result tables."""
        return tuple(receipt.unit_id for receipt in self.manifest("reduce").parts)

    def table(self, name: str) -> pa.Table:
        """Return a result table by its name. Raises ConfigError (nearest name) for one that is not there."""
        for receipt in self.manifest("reduce").parts:
            if receipt.unit_id == name:
                return read_table(self.store, receipt)
        raise ConfigError(f"run {self.run!r} has no result table {name!r}.{nearest(name, self.tables)}")

    def samples_of(self, cell: str) -> pa.Table:
        """Return the samples that the numbers of a cell rest on: their labels, and their `text` as the last column.

        Args:
            cell: as in `estimates`, for example Labor/power-neutral.

        Raises:
            ConfigError: no sample was counted in such a cell (the nearest one is named).
        """
        counted = self.sums["cell"]
        own = pc.or_(pc.equal(counted, cell), pc.starts_with(counted, f"{cell}/"))
        clusters = self.sums.filter(own)["cluster"].unique()
        if not len(clusters):
            raise ConfigError(
                f"run {self.run!r} counted nothing in cell {cell!r}.{nearest(cell, counted.unique().to_pylist())}"
            )
        known = self.provenance.filter(pc.equal(self.provenance["kind"], "cluster"))
        prompts = known.filter(pc.is_in(known["value"], clusters))["name"]
        labels = self.annotations.filter(pc.is_in(self.annotations["prompt_id"], prompts.combine_chunks()))
        texts = self.completions
        place = pc.index_in(labels["sample_id"], texts["sample_id"].combine_chunks())
        return labels.append_column("text", texts["text"].take(place))

    def parts(self, stage: str) -> Iterator[pa.Table]:
        """Yield the tables of a stage one at a time: for runs that do not fit into memory.

        Args:
            stage: generate, annotate, or annotate-NAME for the labels of one of several labellers.
        """
        for receipt in self.manifest(stage).parts:
            yield read_table(self.store, receipt)

    def manifest(self, stage: str) -> Manifest:
        """Return the newest manifest of a stage (generate, annotate, reduce): fingerprint, settings, what is missing.

        Raises:
            DataError: there is none yet, or a later run of the stage before made it stale.
        """
        if stage not in self._manifests:
            manifest = read_manifest(self.store, self.run, stage)
            parent = "generate" if stage.startswith("annotate-") else _PARENTS.get(stage)
            if parent is not None and (stale := staleness(self.store, manifest, parent)):
                raise DataError(f"run {self.run!r}: {stale}")
            self._manifests[stage] = manifest
        return self._manifests[stage]

    def _stage(self, stage: str) -> pa.Table:
        tables = list(self.parts(stage))
        if not tables:
            raise DataError(
                f"run {self.run!r}: stage {stage!r} has no part (all its units are quarantined): see "
                f"manifest({stage!r}).quarantined, mend the cause and run the job again with --retry"
            )
        return pa.concat_tables(tables)
