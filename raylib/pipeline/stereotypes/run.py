"""The commands that read a run: search and sample. Nothing is written to its store."""

from argparse import Namespace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import ConfigError, DataError
from raylib.pipeline.arguments import Arguments
from raylib.pipeline.chain import run_identity
from raylib.pipeline.context import Context, check_claim
from raylib.pipeline.labelled import LabelledParts
from raylib.pipeline.table_files import write_both
from raylib.store.manifests import read_manifest, staleness
from raylib.studies.narratives.annotate import prompt_roles
from raylib.studies.narratives.names import load_names
from raylib.studies.narratives.options import parse_options
from raylib.studies.narratives.stereotypes.counts import term_counts
from raylib.studies.narratives.stereotypes.sampling import SampleOptions, draw_sample, with_texts
from raylib.studies.narratives.stereotypes.search import Searcher
from raylib.studies.narratives.stereotypes.sums import term_measures, term_sums
from raylib.studies.narratives.stereotypes.tagging import HITS, search_part
from raylib.studies.narratives.stereotypes.terms import load_terms
from raylib.studies.sums import add_up

_STUDY = "narratives"


def search(arguments: Namespace) -> None:
    """Write hits and counts of all annotated stories of a run."""
    terms = load_terms(arguments.terms)
    context, parts = _open(arguments)
    prompts, measures, searcher = context.prompts, term_measures(terms), Searcher(terms)
    roles = prompt_roles(prompts)
    hits, sums = [HITS.empty_table()], add_up([], measures)
    for receipt in parts.receipts:
        part = parts.read(receipt)
        found, tagged = search_part(searcher, part.completions, part.annotations, prompts, roles, arguments.window)
        hits.append(found)
        sums = add_up([sums, term_sums(tagged, prompts, terms)], measures)
    whole, counts = pa.concat_tables(hits), term_counts(sums, terms)
    folder = Path(arguments.out)
    found_terms = len(set(whole["term"].to_pylist()))
    print(
        f"{whole.num_rows:,} hits of {found_terms} of {len(terms.group_of)} terms: {write_both(folder, 'hits', whole)}"
    )
    print(f"counts by group, term, domain, condition and role: {write_both(folder, 'counts', counts)}")


def sample(arguments: Namespace) -> None:
    """Write the stories that are chosen for coding."""
    options = SampleOptions(
        threshold=arguments.threshold, names=arguments.names, per_stratum=arguments.per_stratum, seed=arguments.seed,
        races=tuple(arguments.race),
    )  # fmt: skip
    context, parts = _open(arguments)
    annotations = (parts.annotations(receipt) for receipt in parts.receipts)
    names = load_names(parse_options(context.options).names)
    rows = draw_sample(annotations, context.prompts, names, options)
    if not rows:
        raise DataError(
            f"run {context.config.run!r} has no story with a name above --threshold {options.threshold}: lower it, or "
            "generate more samples"
        )
    table = with_texts(rows, _texts(parts, {row["sample_id"] for row in rows}))
    stories = len(set(table["sample_id"].to_pylist()))
    print(f"{stories:,} stories, {table.num_rows:,} characters: {write_both(Path(arguments.out), 'sample', table)}")


def _open(arguments: Namespace) -> tuple[Context, LabelledParts]:
    """Return a run and its annotated parts, through its manifests.

    Raises:
        ConfigError: another study, or other settings than the run was started with.
        DataError: the run is not annotated yet, or its annotations are of older texts.
    """
    asked = Arguments(arguments.config, tuple(arguments.overrides), arguments.run, arguments.limit, False, False)
    context = Context(asked.load(), asked.limit)
    if context.config.study.name != _STUDY:
        raise ConfigError(f"study {context.config.study.name!r} has no stereotypes to look for; give a run of {_STUDY}")
    check_claim(context, run_identity(context))
    run = context.config.run
    generation = read_manifest(context.store, run, "generate")
    annotation = read_manifest(context.store, run, "annotate")
    stale = staleness(context.store, annotation, "generate")
    if stale:
        raise DataError(f"run {run!r}: {stale}")
    return context, LabelledParts(context.store, context.study.annotation_schema, generation, annotation)


def _texts(parts: LabelledParts, wanted: set[str]) -> dict[str, str]:
    """Return the texts of some samples; each part is read again, so that no more than one is in memory."""
    names, found = pa.array(sorted(wanted)), dict[str, str]()
    for receipt in parts.receipts:
        if len(found) == len(wanted):
            break
        table = parts.read(receipt).completions
        table = table.filter(pc.is_in(table["sample_id"], names))
        found |= dict(zip(table["sample_id"].to_pylist(), table["text"].to_pylist(), strict=True))
    return found
