"""From what a provider calls the end of a text to the status of a sample."""

from collections.abc import Mapping

from raylib.errors import DataError, nearest

_REASONS: Mapping[str, tuple[str, ...]] = {
    "ok": ("stop", "end_turn", "eos", "eos_token", "stop_sequence", "complete", "completed", "ok"),
    "truncated": ("length", "max_tokens", "max_length", "model_length", "truncated"),
    "refused": ("content_filter", "refusal", "refused", "safety", "blocked"),
    "error": ("error", "failed", "timeout"),
}
_STATUS_OF = {reason: status for status, reasons in _REASONS.items() for reason in reasons}


def status_of(reason: str | None, place: str) -> str:
    """Return ok, truncated, refused or error; no reason counts as ok. Case and spaces at the ends do not count.

    Raises:
        DataError: nobody knows that reason; the message names its row and the known ones.
    """
    if reason is None:
        return "ok"
    name = reason.strip().lower()
    if name not in _STATUS_OF:
        raise DataError(
            f"{place}: unknown finish reason {reason!r}.{nearest(name, _STATUS_OF)} Leave the column out, or map it"
        )
    return _STATUS_OF[name]
