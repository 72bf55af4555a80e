"""When a stage gives up: too many failed samples, or nothing that works at all. The message says what failed."""

from collections import Counter

from raylib.config.run import LimitsConfig
from raylib.errors import DataError, LimitError
from raylib.pipeline.state import StageState
from raylib.pipeline.unit import StagePlan
from raylib.store.base import ObjectStore
from raylib.store.parts import read_rows

_HOPELESS_AFTER = 3  # units quarantined while none was committed
_PARTS_LOOKED_AT = 20
_TOO_LONG = "prompt_too_long"


def check_limits(plan: StagePlan, limits: LimitsConfig, state: StageState, store: ObjectStore) -> None:
    """Raise if the stage cannot end well any more.

    Raises:
        LimitError: the first units all failed, or more samples than `limits.error_rate` ended in an error.
        DataError: so, and the reason is that prompts do not fit into the model's context.
    """
    if not state.receipts and len(state.quarantined) >= _HOPELESS_AFTER:
        reason = next(iter(state.quarantined.values()))["reason"]
        raise LimitError(
            f"{plan.name}: the first {len(state.quarantined)} units all failed {limits.unit_attempts} times and none "
            f"succeeded; the first because {reason}. Mend that, then run the same command with --retry"
        )
    errors = state.statuses["error"] - plan.excused
    if errors <= limits.error_rate * plan.samples:
        return
    kinds, example = _what_failed(plan, state, store)
    counted = ", ".join(f"{kind} x{count}" for kind, count in kinds.most_common(3))
    message = (
        f"{plan.name}: {errors} of {plan.samples} samples ended in an error ({errors / plan.samples:.1%}), more than "
        f"limits.error_rate {limits.error_rate:g}: {counted or 'see the generate stage and the notes here'}{example}. "
    )
    if set(kinds) == {_TOO_LONG}:
        raise DataError(
            message
            + "Raise model.engine.max_model_len if the model allows it, or lower sampling.max_tokens, and choose "
            "another --run name; or shorten the prompts"
        )
    raise LimitError(
        message + "Mend the cause and run the same command with --retry, or allow more with --set limits.error_rate=..."
    )


def _what_failed(plan: StagePlan, state: StageState, store: ObjectStore) -> tuple[Counter[str], str]:
    """Return how often each kind of error stands in the first parts with errors, and one of their messages."""
    kinds: Counter[str] = Counter()
    example = ""
    if "error_type" not in plan.schema.names:
        return kinds, example
    failed = [receipt for receipt in state.receipts.values() if receipt.statuses.get("error")]
    for receipt in failed[:_PARTS_LOOKED_AT]:
        for row in read_rows(store, receipt, plan.schema, ["status", "error_type", "error"]).to_pylist():
            if row["status"] == "error":
                kinds[row["error_type"]] += 1
                example = example or f" (for example: {row['error']})"
    return kinds, example
