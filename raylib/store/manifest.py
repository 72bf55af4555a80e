"""The manifest of a stage: the parts it is made of, what is missing, and where it came from."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from raylib.errors import DataError
from raylib.ids import canonical_json, digest
from raylib.store.receipt import Receipt
from raylib.store.survey import Rejected

SCHEMA_VERSION = 1
TIMINGS = "timings"
"""The key of `provenance` whose values change from one run to the next without changing what the manifest says."""


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class Manifest:
    """A finished stage of a run. Every planned unit is in `parts` or in `quarantined`."""

    stage: str
    fingerprint: str
    run: str
    parts: tuple[Receipt, ...]
    """In the order of the plan."""
    quarantined: tuple[Mapping[str, Any], ...]
    """Units given up: mappings with `unit_id`, `reason`, `attempts` and `ids` (how many samples are missing)."""
    rejected: tuple[Rejected, ...]
    """Objects that stand where parts should and are none; kept for whoever looks for the cause."""
    planned_units: int
    planned_rows: int
    parents: tuple[Mapping[str, str], ...] = ()
    """The manifests that this stage read: `key` and `sha256` of each."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    created: str = field(default_factory=_now)
    """UTC, ISO 8601."""
    schema_version: int = SCHEMA_VERSION

    @property
    def rows(self) -> int:
        """Rows in all parts."""
        return sum(receipt.rows for receipt in self.parts)

    def to_json(self) -> str:
        """Return the manifest as canonical JSON.

        Raises:
            ConfigError: `provenance` or a record holds something that JSON has no exact form for.
        """
        value = {name: getattr(self, name) for name in self.__dataclass_fields__}
        value["parts"] = [receipt.to_dict() for receipt in self.parts]
        value["rejected"] = [item._asdict() for item in self.rejected]
        value["rows"] = self.rows
        return canonical_json(value)

    @classmethod
    def from_json(cls, text: str) -> "Manifest":
        """Return the manifest that `to_json` wrote.

        Raises:
            DataError: the text is no manifest, or one of a newer version.
        """
        try:
            value = json.loads(text)
            version = int(value["schema_version"])
            if version > SCHEMA_VERSION:
                raise DataError(
                    f"it has schema version {version}, this fairsweep knows {SCHEMA_VERSION}; update fairsweep"
                )
            del value["rows"]
            value["parts"] = tuple(Receipt.from_dict(part) for part in value["parts"])
            value["rejected"] = tuple(Rejected(**item) for item in value["rejected"])
            value["quarantined"] = tuple(value["quarantined"])
            for record in value["quarantined"]:
                _ = record["unit_id"], record["reason"], record["attempts"], int(record["ids"])
            value["parents"] = tuple(value["parents"])
            return cls(**value)
        except (ValueError, TypeError, KeyError) as error:
            raise DataError(f"it is not a manifest ({type(error).__name__}: {error})") from error

    def statement(self) -> str:
        """Return a digest of what the manifest says, leaving out when it was written and how long things took."""
        value = json.loads(self.to_json())
        del value["created"]
        value["provenance"].pop(TIMINGS, None)
        return digest(value)
