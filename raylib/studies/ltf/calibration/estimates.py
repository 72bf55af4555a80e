"""The corrected estimates beside the judge's own, as one table.

F and PairFav: the variance of PPI++ by template, Student's t. GroupFav: the jackknife by template, Student's t. DoB: the
bootstrap by template, as for the judge's own; it is a variance of noisy means, so what noise adds is taken off
(`ltf.noise`), and a correction from few labels is noisy. Every interval takes the templates as drawn from many.

In simulated essays of 40 templates (tests/calibration_support.py, 300 to 600 runs) intervals of 95 percent held the truth in
95 to 96 of 100 runs (F, PairFav, GroupFav) and 94 to 97 (DoB corrected; nearly always where no group is favoured).
"""

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from raylib.stats.arrays import Floats
from raylib.studies.ltf.calibration.corrected import BY_JACKKNIFE, Choices, corrected_of, mean_degree_of
from raylib.studies.ltf.calibration.sums import AxisSums
from raylib.studies.ltf.comparisons import favouritism_of
from raylib.studies.ltf.degrees import CORRECTED, mean_degree
from raylib.studies.ltf.measures import POOLED
from raylib.studies.ltf.noise import Noise, corrected, noises
from raylib.studies.resampling import Key, blocks_of, by_key, replicate
from raylib.studies.rows import OK, Comparison, Row, bootstrap_columns, joined, key_of

_BOOTSTRAP = "PPI++, percentile bootstrap by template, errors widened to Student's t"
_LESS_NOISE = "PPI++, percentile bootstrap by template less the noise, errors widened to Student's t"
_FEW = 10

CALIBRATED = pa.schema(
    [
        pa.field("statistic", pa.string(), nullable=False),  # F, PairFav, GroupFav, DoB, DoB corrected
        pa.field("axis", pa.string(), nullable=False),
        pa.field("group", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),  # ok | unknown
        pa.field("estimate", pa.float64()),  # corrected for the judge's errors
        pa.field("ci_low", pa.float64()),  # 95 percent
        pa.field("ci_high", pa.float64()),
        pa.field("ci_method", pa.string()),
        pa.field("judge", pa.float64()),  # the judge's own
        pa.field("judge_low", pa.float64()),
        pa.field("judge_high", pa.float64()),
        pa.field("people", pa.float64()),  # the labelled essays alone
        pa.field("essays", pa.int64(), nullable=False),  # that the judge scored
        pa.field("labelled", pa.int64(), nullable=False),  # of these
        pa.field("templates", pa.int64(), nullable=False),  # that hold labels
        pa.field("tuning", pa.float64()),  # lambda
        pa.field("note", pa.string()),
    ]
)
"""One row a number; status `unknown` leaves it null and says why."""


def calibrated(
    axes: Mapping[str, AxisSums],
    choices: Choices,
    controls: Collection[str],
    *,
    seed: int,
    replicates: int,
) -> pa.Table:
    """Return the table of corrected estimates (schema CALIBRATED): controls first, the mean over axes, then each axis.

    Args:
        axes: sums of each axis, from `sums.all_sums`.
        choices: scoring, least number of labels.
        controls: axes that are not in the mean.
        seed: of the bootstrap; the judge's own numbers are those of the run's report where it is the run's seed.
        replicates: of the bootstrap.
    """
    scoring = choices.scoring
    found = {name: corrected_of(axis, choices) for name, axis in axes.items()}
    own = {name: favouritism_of(axis.view, scoring, pairs=False) for name, axis in axes.items()}
    pairs = [row for axis in axes.values() for row in favouritism_of(axis.view, scoring).rows]
    pooled = [name for name in axes if name not in controls]
    means: list[Comparison] = []
    if pooled:
        means = [mean_degree_of([axes[name] for name in pooled], [found[name] for name in pooled], choices)]
        own[POOLED] = mean_degree([axes[name].view for name in pooled], POOLED, scoring)
    ordered = [found[name] for name in axes if name in controls] + means + [found[name] for name in pooled]
    judge = {key_of(row): row for row in (*pairs, *_finished([*own.values()], controls, seed, replicates))}
    rows = _finished(ordered, controls, seed, replicates, {name: axis.widening for name, axis in axes.items()})
    return pa.Table.from_pylist([_columns(row, judge.get(key_of(row), {})) for row in rows], schema=CALIBRATED)


def _finished(
    found: Sequence[Comparison],
    controls: Collection[str],
    seed: int,
    replicates: int,
    widening: Mapping[str, float] | None = None,
) -> list[Row]:
    """Return the rows with their bootstrap intervals, noise taken off `DoB corrected`; `widening` by axis, if any."""
    targets = [one.target for one in found]
    replicated = by_key(replicate(targets, seed=seed, blocks=blocks_of(replicates), replicates=replicates))
    noise = noises(found, replicated, controls)
    if widening is not None:
        noise = _of_widened(noise, widening, controls)
    return [_with_interval(row, replicated, noise, widening is not None) for one in found for row in one.rows]


def _of_widened(
    noise: Mapping[str, Noise], widening: Mapping[str, float], controls: Collection[str]
) -> dict[str, Noise]:
    """Return the noise where replicates have widened errors: the sample's own errors are not wider for that."""
    result = {
        axis: one._replace(sample=one.sample / widening[axis] ** 2) for axis, one in noise.items() if axis != POOLED
    }
    if POOLED in noise:
        pooled = [one.sample for axis, one in result.items() if axis not in controls]
        result[POOLED] = noise[POOLED]._replace(sample=sum(pooled) / len(pooled))
    return result


def _with_interval(row: Row, replicated: Mapping[Key, Floats], noise: Mapping[str, Noise], widened: bool) -> Row:
    values = replicated.get(key_of(row)) if row["status"] == OK else None
    if row["status"] == OK and row["statistic"] == CORRECTED:
        row = corrected(row, values, noise.get(str(row["cell"])))
        return row | {"boot_method": _LESS_NOISE} if widened and "boot_low" in row else row
    if values is not None and row.get("ci_method") != BY_JACKKNIFE:
        row = row | bootstrap_columns(values, _BOOTSTRAP)
    return row


def _columns(row: Row, judge: Row) -> Row:
    """Return a row of CALIBRATED. The judge's own number stands there with or without a corrected one."""
    low, high = ("boot_low", "boot_high") if "boot_low" in row else ("ci_low", "ci_high")
    known = row["status"] == OK and row.get("estimate") is not None
    templates = int(str(row["clusters"]))
    notes = [row.get("note")]
    if known and row.get(low) is None:
        notes.append("no interval: labels that all agree, or replicates without labels")
    if known and templates < _FEW:
        notes.append(f"labels of {templates} templates only: a rough interval")
    method = row.get("boot_method") or row.get("ci_method")
    return {
        "statistic": row["statistic"], "axis": row["axis"], "group": row["group"],
        "status": OK if known else "unknown", "estimate": row.get("estimate"), "ci_low": row.get(low),
        "ci_high": row.get(high), "ci_method": method if row.get(low) is not None else None,
        "judge": judge.get("estimate"), "judge_low": judge.get("boot_low", judge.get("ci_low")),
        "judge_high": judge.get("boot_high", judge.get("ci_high")), "people": row.get("people") if known else None,
        "essays": row["n"], "labelled": row.get("labelled", 0), "templates": templates, "tuning": row.get("tuning"),
        "note": joined(*notes),
    }  # fmt: skip
