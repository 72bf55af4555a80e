"""The reduce stage: annotation parts -> sums by (cell, cluster) -> replicates -> estimates with intervals, as tables.

`map_reduce` does the work on the cluster; this module says what it depends on, and what it leaves on the store.
"""

import logging
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

import raylib
from raylib.errors import DataError
from raylib.ids import fingerprint
from raylib.pipeline.context import Context
from raylib.pipeline.judges import read_judges
from raylib.pipeline.map_reduce import ReduceWork, map_parts, map_replicates
from raylib.pipeline.provenance import provenance_table
from raylib.pipeline.session import RaySession
from raylib.pipeline.weights import marked, mixed_cells, samples_by_cluster, weighted
from raylib.schemas import ESTIMATES, PROVENANCE, REPLICATES, SUMS, TALLIES
from raylib.store.content import content_digest
from raylib.store.manifests import Manifest, existing_manifest, read_manifest
from raylib.store.parts import read_rows
from raylib.store.tables import write_table
from raylib.studies.comparisons import with_q_values

LOG = logging.getLogger(__name__)
STAGE = "reduce"
TABLES = {
    "estimates": ESTIMATES,
    "replicates": REPLICATES,
    "sums": SUMS,
    "tallies": TALLIES,
    "provenance": PROVENANCE,
}
"""What the stage leaves, by name, as one Parquet object each."""


def reduce_identity(context: Context, annotation: Manifest) -> dict[str, Any]:
    """Return what the estimates depend on."""
    return {
        "study": context.study.name,
        "version": context.study.version,
        "options": dict(context.options.options),
        "data": dict(context.study.data_identity(context.options)),
        "statistics": context.config.statistics.model_dump(mode="json"),
        "fairsweep": raylib.__version__,
        "parts": [receipt.sha256 for receipt in annotation.parts],
        "prompts": context.prompts["prompt_id"].to_pylist(),
        **({"samples": samples} if (samples := annotation.provenance.get("samples")) else {}),
    }


def reduce_parts(context: Context, session: RaySession, annotation: Manifest, parent: Mapping[str, str]) -> Manifest:
    """Compute the estimates of a run and return the manifest that names their table."""
    identity = reduce_identity(context, annotation)
    stage = fingerprint(STAGE, identity)
    done = _earlier(context)
    if done is not None and done.fingerprint == stage and done.parents == (parent,) and _readable(context, done):
        return done
    if not annotation.parts:
        raise DataError(
            f"run {annotation.run!r} has no annotated part (all its units are quarantined): there is nothing to estimate. "
            "Mend the cause in the manifest's 'quarantined' and run the same command with --retry"
        )
    session.expect_work(f"{STAGE}: {len(annotation.parts)} parts to add up")
    session.connect()
    work = ReduceWork(context.config.study, context.options, context.store_options, context.annotation_schema)
    sums, tallies = map_parts(work, annotation.parts)
    samples = samples_by_cluster(context.prompts, annotation.provenance.get("samples"))
    weights = mixed_cells(sums, samples)
    alike = weighted(sums, weights)
    replicates = map_replicates(work, alike)
    estimates = marked(context.study.estimates(context.options, alike, replicates), weights, samples)
    if estimates.schema != ESTIMATES:
        raise DataError(f"study {context.study.name}: estimates have another schema than raylib.schemas.ESTIMATES")
    generation = read_manifest(context.store, context.config.run, "generate")
    read = (generation, *read_judges(context).values(), annotation)
    tables = {
        "estimates": with_q_values(estimates),
        "replicates": replicates,
        "sums": sums,
        "tallies": tallies,
        "provenance": provenance_table(identity, context.study.measures, context.prompts, read),
    }
    LOG.info("reduce    %s, %d replicates", _told(estimates), context.options.replicates)
    receipts = tuple(
        write_table(context.store, _table_key(stage, name, tables[name]), tables[name], name) for name in TABLES
    )
    return Manifest(
        stage=STAGE, fingerprint=stage, run=context.config.run, parts=receipts, quarantined=(), rejected=(),
        planned_units=len(receipts), planned_rows=sum(receipt.rows for receipt in receipts), parents=(parent,),
        provenance={"identity": {**identity, "parts": len(annotation.parts), "prompts": len(identity["prompts"])}},
    )  # fmt: skip


def _told(estimates: pa.Table) -> str:
    """Return how many estimates there are, and how many have no number: nearly all where no text could be labelled."""
    without = estimates["estimate"].null_count
    return f"{estimates.num_rows} estimates" + (
        f" ({without} without a number; their notes say why)" if without else ""
    )


def _table_key(stage: str, name: str, table: pa.Table) -> str:
    """Return where a table goes. Provenance names parts by revision, so the same numbers can have several."""
    suffix = f"-{content_digest(table)[:12]}" if name == "provenance" else ""
    return f"results/{stage}/{name}{suffix}.parquet"


def _earlier(context: Context) -> Manifest | None:
    """Return the manifest of an earlier reduce; one that nobody can read counts as none, and a newer one is written."""
    try:
        return existing_manifest(context.store, context.config.run, STAGE)
    except DataError as error:
        LOG.warning("reduce: computing again, since %s", error)
        return None


def _readable(context: Context, manifest: Manifest) -> bool:
    """Say whether the tables of an earlier reduce are still there, byte for byte; if not, they are computed again."""
    problems = table_problems(context, manifest)
    for problem in problems:
        LOG.warning("reduce: computing again, since %s", problem)
    return not problems


def table_problems(context: Context, manifest: Manifest) -> list[str]:
    """Return what is wrong with the tables of a reduce manifest: missing, torn, of another schema; [] if nothing is."""
    problems = []
    for name, schema in TABLES.items():
        receipt = next((part for part in manifest.parts if part.unit_id == name), None)
        if receipt is None:
            problems.append(f"the manifest names no table {name!r}")
            continue
        try:
            read_rows(context.store, receipt, schema)
        except DataError as error:
            problems.append(str(error))
    return problems
