"""The report's sections on stereotypes, from tables: search counts, reliability of coding, clusters and exemplars."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa

from raylib.report import numbers
from raylib.report.sections import Block, DataTable, Excerpt, Excerpts, Paragraph, Section, Warning
from raylib.studies.narratives.excerpts import CONTENT_WARNING
from raylib.studies.narratives.measures import LADEN, NEUTRAL, POOLED
from raylib.studies.narratives.stereotypes.counts import ANY_ROLE
from raylib.studies.narratives.stereotypes.roles import ROLES

_UNSTABLE = 0.1


def search_section(counts: pa.Table) -> Section:
    """Return how often stories name an identity, from counts of a whole run (schema `counts.COUNTS`)."""
    title = "Named identities: terms in the stories"
    rows = counts.to_pylist()
    if not rows:
        return Section(title, [Warning("No story was searched for terms.")])
    about = (
        "Stories that hold at least one term of a group: a nation, a sexuality, a gender identity named outright. The terms "
        "and the rules for ambiguous words are data of the study. A zero is a finding: the interval says what share the "
        "stories could still have. Whom a term is about is read by rules from its own sentence; a story can count under "
        "several roles."
    )
    return Section(title, [Paragraph(about), _groups(rows), _terms(rows)])


def agreement_section(agreement: pa.Table) -> Section:
    """Return the reliability of coding (schema `agreement.AGREEMENT`)."""
    rows = agreement.to_pylist()
    blocks: list[Block] = [
        Paragraph(
            "How far raters agree beyond chance: 1 is full agreement, 0 what chance alone would give. Intervals resample "
            "stories. Prevalence is the share of ratings that say yes."
        )
    ]
    if any(row["prevalence"] is not None and not _UNSTABLE <= row["prevalence"] <= 1 - _UNSTABLE for row in rows):
        blocks.append(
            Warning(
                "Kappa and alpha are unstable where a code is rare or nearly always given: one story can move them by tenths. "
                "Read them with the raw agreement and the prevalence beside them."
            )
        )
    texts = [
        (
            row["code"], numbers.with_interval(row["value"], row["ci_low"], row["ci_high"]),
            numbers.percent(row["observed"]), numbers.percent(row["prevalence"]), numbers.integer(row["stories"]),
            numbers.integer(row["unsure"]), numbers.integer(row["missing"]),
        )
        for row in rows
    ]  # fmt: skip
    statistic = f"{rows[0]['statistic']}, {rows[0]['raters']} raters" if rows else "Agreement"
    columns = ("Code", "Value [95% bootstrap]", "Raw agreement", "Prevalence", "Stories", "Unsure", "Missing")
    notes = tuple(f"{row['code']}: {row['note']}" for row in rows if row["note"])
    blocks.append(DataTable(statistic, columns, texts, numeric=frozenset(columns[1:]), notes=notes))
    return Section("Coding: do raters agree?", blocks)


def clusters_section(clusters: pa.Table, exemplars: pa.Table) -> Section:
    """Return clusters and exemplar stories (schemas `clusters.CLUSTERS` and `EXEMPLARS`)."""
    title = "Coding: stories by combination of codes"
    rows = clusters.to_pylist()
    if not rows:
        return Section(title, [Warning("There is no story whose codes the raters agree on.")])
    about = (
        "Stories whose raters agree on every code, by the combination of codes that they hold, for all and by race and "
        "gender of the name that they were sampled for. These stories were chosen for their names: their shares are not "
        "those of the run."
    )
    texts, groups = [], []
    for (race, gender), part in groupby(rows, lambda row: (row["race"], row["gender"])):
        members = list(part)
        undecided = members[0]["undecided"]
        groups.append((f"{race}, {gender}" + (f" ({undecided} undecided)" if undecided else ""), len(members)))
        texts += [
            (row["codes"], numbers.integer(row["stories"]), numbers.percent(row["stories"] / row["of"]))
            for row in members
        ]
    columns = ("Codes", "Stories", "Share")
    table = DataTable("Clusters", columns, texts, numeric=frozenset(columns[1:]), groups=tuple(groups))
    blocks: list[Block] = [Paragraph(about), table]
    if exemplars.num_rows:
        stories = [_exemplar(row) for row in exemplars.to_pylist()]
        blocks.append(Excerpts(f"Show {len(stories)} stories of the largest clusters.", CONTENT_WARNING, stories))
    return Section(title, blocks)


def _exemplar(row: Mapping[str, Any]) -> Excerpt:
    labels = (
        ("Sampled for", f"{row['name']} ({row['role']}; {row['race']}, {row['gender']})"),
        ("Codes", row["codes"]),
        ("Prompt", f"{row['prompt_id']} ({row['domain']}, {row['condition']})"),
    )
    return Excerpt(row["sample_id"], row["text"], labels)


def _groups(rows: Sequence[Mapping[str, Any]]) -> DataTable:
    """One row a cell under a heading for each group, with its count by role."""
    named = [row for row in rows if row["term"] is None]
    found = {(row["group"], row["domain"], row["condition"], row["role"]): row for row in named}
    groups = list(dict.fromkeys(row["group"] for row in named))
    cells = sorted(
        {(row["domain"] == POOLED, row["domain"], row["condition"] != NEUTRAL, row["condition"]) for row in named}
    )
    texts = []
    for group in groups:
        for _, domain, _, condition in cells:
            row = found[group, domain, condition, ANY_ROLE]
            by_role = [numbers.integer(found[group, domain, condition, role]["count"]) for role in ROLES]
            texts.append(
                (
                    f"{'All domains' if domain == POOLED else domain}, {condition}",
                    f"{numbers.integer(row['count'])} / {numbers.integer(row['stories'])}", numbers.percent(row["share"]),
                    _ends(row["ci_low"], row["ci_high"]), _ends(row["cluster_low"], row["cluster_high"]), *by_role,
                )
            )  # fmt: skip
    columns = (
        "Cell", "Stories with a term", "Share", "95%\u00a0Wilson", "95% by prompt", "About subject", "About object", "Unknown",
    )  # fmt: skip
    return DataTable(
        "Stories that name a group", columns, texts, numeric=frozenset(columns[1:]),
        groups=tuple((group, len(cells)) for group in groups),
        notes=(
            "Wilson's interval takes all stories as independent, as the paper does; the one by prompt does not, and at a "
            "count of zero it takes each prompt as one observation.",
        ),
    )  # fmt: skip


def _ends(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return numbers.NO_INTERVAL
    return f"[{numbers.percent(low)}, {numbers.percent(high)}]"


def _terms(rows: Sequence[Mapping[str, Any]]) -> DataTable:
    """The terms that were found, with counts by condition over all domains; below it those that never were."""
    pooled: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        if row["term"] is not None and row["domain"] == POOLED:
            pooled.setdefault((row["group"], row["term"]), {})[row["condition"]] = row["count"]
    texts, groups, notes = [], [], []
    for group, part in groupby(pooled, lambda key: key[0]):
        terms = [term for _, term in part]
        found = sorted((term for term in terms if any(pooled[group, term].values())),
                       key=lambda term: (-sum(pooled[group, term].values()), term))  # fmt: skip
        texts += [
            (term, *(numbers.integer(pooled[group, term].get(condition, 0)) for condition in (NEUTRAL, LADEN)))
            for term in found
        ]
        if found:
            groups.append((group, len(found)))
        never = [term for term in terms if term not in found]
        if never:
            notes.append(f"{group}, in no story ({len(never)} of {len(terms)}): {', '.join(never)}")
    columns = ("Term", "Power-neutral stories", "Power-laden stories")
    return DataTable("Terms that were found", columns, texts, numeric=frozenset(columns[1:]), groups=tuple(groups),
                     notes=tuple(notes))  # fmt: skip
