"""The report over several models: each one's estimates side by side, with the provenance of every run."""

from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa

from raylib.pipeline.report import FinishedRun, provenance_rows, put_report, report_input, warning_lines
from raylib.report.page import RunHeader, render


def write_comparison(name: str, runs: Sequence[FinishedRun], missing: Sequence[str]) -> str:
    """Write the report of the finished `runs` under the name that they share, and return where a person finds it.

    Args:
        name: of the sweep; the report lies in `runs/<name>/report/`, a CSV file of all estimates beside it.
        runs: at least one, of one study with one set of options.
        missing: names of models that have no finished run; the report says so.
    """
    first = runs[0].context
    data = [report_input(run) for run in runs]
    page = render(
        f"{first.config.study.name}: {', '.join(item.model for item in data)}",
        _header(name, runs, [item.counts for item in data], missing),
        first.study.comparison_sections(first.options, data),
    )
    models = [pa.array([item.model] * item.estimates.num_rows, pa.string()) for item in data]
    tables = [item.estimates.add_column(0, "model", names) for item, names in zip(data, models, strict=True)]
    return put_report(first.store, f"runs/{name}", page, pa.concat_tables(tables))


def _header(
    name: str, runs: Sequence[FinishedRun], counts: Sequence[Mapping[str, int]], missing: Sequence[str]
) -> RunHeader:
    config = runs[0].context.config
    total: Counter[str] = Counter()
    provenance, warnings = [], []
    if missing:
        warnings.append(f"Not in this report, since they have no finished run: {', '.join(missing)}.")
    for run, counted in zip(runs, counts, strict=True):
        model = run.context.config.shown_as
        total.update(counted)
        provenance.append(("Run", run.context.config.run))
        provenance += provenance_rows(run)
        warnings += [f"{model}: {line}" for line in warning_lines(run, counted)]
    return RunHeader(
        run=name, study=config.study.name, model=", ".join(run.context.config.shown_as for run in runs),
        when=max(run.reduction.created for run in runs), counts=dict(total), provenance=tuple(provenance),
        warnings=tuple(warnings),
        recompute=(
            f"python jobs/verify.py --config CONFIG --run {name}",
            f"python jobs/metrics.py --config CONFIG --run {name}",
        ),
    )  # fmt: skip
