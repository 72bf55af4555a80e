"""What is known of a committed part without reading it: small enough to travel through Ray and stand in a manifest."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


@dataclass(frozen=True)
class Receipt:
    """One part on the store."""

    unit_id: str
    key: str
    revision: int
    rows: int
    size: int
    """Bytes of the object."""
    sha256: str
    """Of the object's bytes, 64 hexadecimal digits."""
    statuses: Mapping[str, int] = field(default_factory=dict)
    """Rows by their `status`; empty for a table without that column."""
    tokens: int = 0
    """Sum of `completion_tokens`; 0 for a table without that column."""

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Receipt":
        """Return the receipt that `to_dict` made. Raises TypeError for a mapping with other keys."""
        return cls(**value)

    def to_json(self) -> str:
        """Return the receipt as one line of JSON."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Receipt":
        """Return the receipt that `to_json` wrote."""
        return cls.from_dict(json.loads(text))


def receipt_of(unit_id: str, key: str, revision: int, data: bytes, table: pa.Table) -> Receipt:
    """Return the receipt of an object from its bytes and the table that they hold."""
    names = table.column_names
    statuses = Counter(table["status"].to_pylist()) if "status" in names else Counter()
    tokens = pc.sum(table["completion_tokens"]).as_py() if "completion_tokens" in names else 0
    return Receipt(
        unit_id=unit_id,
        key=key,
        revision=revision,
        rows=table.num_rows,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        statuses={str(status): statuses[status] for status in sorted(statuses)},
        tokens=int(tokens or 0),
    )
