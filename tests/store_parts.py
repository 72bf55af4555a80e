"""Small parts for the tests of the store."""

import pyarrow as pa

from raylib.store.parts import PartSpec

SCHEMA = pa.schema(
    [
        pa.field("sample_id", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("completion_tokens", pa.int32(), nullable=False),
    ]
)
FINGERPRINT = "f" * 24


def spec(unit: str = "u1", rows: int = 4, first: int = 0, stage: str = "generate") -> PartSpec:
    """Return the plan of a unit whose ids are s0, s1, ... from `first` on."""
    return PartSpec(stage, FINGERPRINT, unit, tuple(f"s{number}" for number in range(first, first + rows)), "sample_id")


def table(of: PartSpec, text: str = "a story") -> pa.Table:
    """Return a unit's rows: every third one ended in an error, the others have ten tokens each."""
    failed = [place % 3 == 2 for place in range(len(of.ids))]
    return pa.table(
        {
            "sample_id": list(of.ids),
            "status": ["error" if one else "ok" for one in failed],
            "text": [None if one else f"{text} {place}" for place, one in enumerate(failed)],
            "completion_tokens": [0 if one else 10 for one in failed],
        },
        schema=SCHEMA,
    )
