"""The comparison as a page: what differs, the differences by axis, which were found, which prompts flipped."""

from collections import Counter
from collections.abc import Iterator, Sequence

import raylib
from raylib.pipeline.compare.flip_sections import flip_section
from raylib.pipeline.compare.result import FOUND, Compared, Row
from raylib.pipeline.compare.runs import STAGES, ComparedRun
from raylib.pipeline.compare.summary import in_all
from raylib.pipeline.report import count_samples
from raylib.report import numbers
from raylib.report.difference_plot import MOST_ROWS, DifferencePanel, DifferenceRow, difference_plot
from raylib.report.page import RunHeader, render
from raylib.report.sections import Block, DataTable, Figure, Folded, Paragraph, Points, Section, Warning
from raylib.studies.rows import OK

_COLUMNS = ("A", "B", "B − A [95%]", "Change", "p", "q", "Detectable", "n of A / B", "Clusters")
_MOST_FOUND, _MOST_OF_AXIS = 25, 250
_METHOD = (
    ("B − A", "Both runs are resampled together: each replicate draws the same clusters (templates or prompts) for both, so "
     "what a cluster does to both runs cancels. The interval holds the middle 95% of the replicates' differences. No interval: "
     "one cluster, or replicates that do not vary; that is not certainty."),
    ("p and q", "p is two-sided: B − A over its paired bootstrap standard error, against t with one degree of freedom less than "
     "there are clusters. With few clusters the interval is too narrow and p is not, so they may disagree: believe p. q is p "
     "adjusted for all differences of the table (Benjamini and Hochberg): among those below .05, one in twenty is expected to "
     "be none."),
    ("Detectable", "The smallest true difference that this design would find with 80% power at the 5% level, from the paired "
     "standard error. An interval that holds 0 rules out differences beyond it, not smaller ones."),
    ("Change", "B / A − 1, with its 95% interval, only where A's own interval leaves 0 out; else unknown. −50% is half as far "
     "from 0, whatever the sign of A. Whether a degree of bias is above 0 at all, its corrected form says."),
)  # fmt: skip


def comparison_page(found: Compared) -> str:
    """Return the report as one HTML file."""
    sections = [
        Section("What differs", list(_settings(found))),
        Section("Differences", list(_headlines(found))),
        *([flip_section(found)] if found.flips is not None else []),
        Section("All differences", list(_all(found))),
        Section("How to read the numbers", [Points(_METHOD)]),
    ]
    return render(f"{found.a.study.name}: {found.b.name} against {found.a.name}", _header(found), sections)


def _header(found: Compared) -> RunHeader:
    runs = (found.a, found.b)
    counts: Counter[str] = Counter()
    for run in runs:
        counts.update(count_samples(run.results.manifest("generate"), run.results.manifest("annotate")))
    stores = list(dict.fromkeys(run.results.store.url for run in runs))
    command = f"python jobs/compare.py {found.a.name} {found.b.name} --store {stores[0]}"
    return RunHeader(
        run=f"A: {found.a.name}, B: {found.b.name}", study=found.a.study.name,
        model=", ".join(f"{name}: {_model(run)}" for name, run in zip("AB", runs, strict=True)),
        when=max(run.results.manifest("reduce").created for run in runs), counts=dict(counts),
        provenance=tuple(row for name, run in zip("AB", runs, strict=True) for row in _provenance(name, run)),
        warnings=tuple(found.cautions),
        recompute=(command + (f" --store-b {stores[1]}" if len(stores) > 1 else "") + " --out FOLDER",),
    )  # fmt: skip


def _model(run: ComparedRun) -> str:
    """Return what is known of a run's model: where its weights came from."""
    model = run.results.manifest("generate").provenance.get("identity", {}).get("model", {})
    weights = model.get("weights", {})
    return ", ".join(str(value) for value in weights.values() if value is not None) or "imported texts"


def _provenance(name: str, run: ComparedRun) -> Iterator[tuple[str, str]]:
    yield f"Run {name}", f"{run.name} in {run.results.store.url}"
    yield f"Fingerprints {name}", ", ".join(f"{stage} {run.results.manifest(stage).fingerprint}" for stage in STAGES)
    if name == "B":
        yield "Study version", f"{run.study.name} {run.study.version}"
        yield (
            "Bootstrap",
            f"{run.draws.replicates:,} replicates, seed {run.draws.seed}, the same clusters for both runs",
        )
        yield "fairsweep", raylib.__version__


def _settings(found: Compared) -> Iterator[Block]:
    if not found.settings:
        yield Paragraph("Nothing that changes a text or a label: the same settings, so a difference is chance alone.")
        return
    rows = [(one.stage, one.name, one.a, one.b) for one in found.settings]
    yield DataTable("Settings in which the runs differ", ("Stage", "Setting", "A", "B"), rows)


def _headlines(found: Compared) -> Iterator[Block]:
    fitting = {panel: rows for panel, rows in found.headlines.items() if len(rows) <= MOST_ROWS}
    if fitting:
        grid = [DifferencePanel(panel, [_plotted(*row) for row in rows]) for panel, rows in fitting.items()]
        said = "; ".join(
            f"{panel}, {label}: {numbers.with_interval(row['difference'], row['low'], row['high'])}"
            for panel, rows in fitting.items()
            for label, row in rows
        )
        yield Figure(
            "Differences by axis", difference_plot(grid, "B − A"), f"B − A with 95% intervals. {said}",
            "Right of 0: B has more. Each panel has its own scale.", difference_plot(grid, "B − A", narrow=True),
        )  # fmt: skip
    for panel, rows in found.headlines.items():
        yield _table(panel, "Axis", [(label, row) for label, row in rows])
    yield Paragraph(in_all(found) + ".")
    if found.found:
        shown = [(_named(row), row) for row in found.found[:_MOST_FOUND]]
        of = f"{len(shown)} of {numbers.integer(len(found.found))}" if len(found.found) > len(shown) else "all"
        yield _table(f"Differences with q < {FOUND:g}", "Statistic", shown, f"The clearest first; {of} are shown.")
    elif found.tested:
        yield Paragraph(f"No difference has q < {FOUND:g}. What the design could have found stands under Detectable.")
    else:
        yield Warning("No difference has an interval, so none can be told from chance.")


def _plotted(label: str, row: Row) -> DifferenceRow:
    return DifferenceRow(label, row["status"], *(row[name] for name in ("difference", "low", "high", "detectable")))


def _all(found: Compared) -> Iterator[Block]:
    axes = list(dict.fromkeys(row["axis"] for row in found.rows))
    left_out = 0
    for axis in axes:
        rows = [row for row in found.rows if row["axis"] == axis]
        shown = rows[:_MOST_OF_AXIS]
        left_out += len(rows) - len(shown)
        table = _table(axis, "Statistic", [(_named(row), row) for row in shown])
        yield Folded(axis, f"{numbers.integer(len(shown))} of {numbers.integer(len(rows))} differences", [table])
    where = "All of them are in differences.csv and differences.parquet beside this page."
    yield Paragraph(f"{numbers.integer(left_out)} are not on this page. {where}" if left_out else where)


def _named(row: Row) -> str:
    return f"{row['statistic']} · {row['cell']} · {row['group']}"


def _table(title: str, first: str, rows: Sequence[tuple[str, Row]], caption: str = "") -> DataTable:
    columns = (first, *_COLUMNS)
    return DataTable(
        title,
        columns,
        [(label, *_texts(row)) for label, row in rows],
        caption,
        frozenset(columns[1:]),
        (),
        _notes(rows),
    )


def _texts(row: Row) -> tuple[str, ...]:
    counts = f"{numbers.integer(row['n_a'])} / {numbers.integer(row['n_b'])}"
    if row["status"] != OK:
        known = (numbers.number(row["estimate_a"]), numbers.number(row["estimate_b"]))
        return (*known, row["status"], *[""] * 4, counts, numbers.integer(row["clusters"]))
    return (
        numbers.number(row["estimate_a"]), numbers.number(row["estimate_b"]),
        numbers.with_interval(row["difference"], row["low"], row["high"]), change(row),
        numbers.p_value(row["p_value"]), numbers.p_value(row["q_value"]), numbers.number(row["detectable"]), counts,
        numbers.integer(row["clusters"]),
    )  # fmt: skip


def change(row: Row) -> str:
    """Return the relative change: "−87.0% [−91.2%, −80.1%]", "unknown" where A may be 0."""
    if row["relative"] is None:
        return numbers.UNKNOWN
    ends = [numbers.percent(row[name]) for name in ("relative_low", "relative_high")]
    return f"{_signed(row['relative'])} " + (
        f"[{ends[0]}, {ends[1]}]" if row["relative_low"] is not None else f"({numbers.NO_INTERVAL})"
    )


def _signed(share: float) -> str:
    return ("+" if share > 0 else "") + numbers.percent(share)


def _notes(rows: Sequence[tuple[str, Row]]) -> tuple[str, ...]:
    """Return each note once, with the rows that it is about unless it is about all of them."""
    about: dict[str, list[str]] = {}
    for label, row in rows:
        for note in (row["note"] or "").split("; "):
            if note:
                about.setdefault(note, []).append(label)
    return tuple(note if len(labels) == len(rows) else f"{_some(labels)}: {note}" for note, labels in about.items())


def _some(labels: Sequence[str]) -> str:
    more = len(labels) - 3
    return ", ".join(labels[:3]) + (f" and {more:,} more" if more > 0 else "")
