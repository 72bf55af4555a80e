"""Small facts of a stage that are written while it runs: quarantined units, what ran, how far it is.

All are immutable objects under `runs/<run>/<stage>/`; a later one never replaces an earlier one.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from raylib.errors import DataError
from raylib.ids import digest
from raylib.store.base import ObjectStore
from raylib.store.documents import read_document

LOG = logging.getLogger(__name__)
_QUARANTINE_KEYS = {"unit_id", "reason", "attempts", "ids", "fingerprint"}


class StageRecords:
    """Reads and writes the records of one stage of one run."""

    def __init__(self, store: ObjectStore, run: str, stage: str) -> None:
        self._store = store
        self._prefix = f"runs/{run}/{stage}"
        self._known: set[str] = set()

    def add_quarantined(self, record: Mapping[str, Any]) -> None:
        """Keep why a unit was given up (keys unit_id, reason, attempts, ids, fingerprint)."""
        self._put(f"quarantine/{record['unit_id']}.{digest(dict(record))[:8]}.json", record)

    def quarantined(self, fingerprint: str) -> dict[str, dict[str, Any]]:
        """Return the newest record of each unit of a stage fingerprint that was given up."""
        records = (record for record in self._readable("quarantine/") if record.keys() >= _QUARANTINE_KEYS)
        return {record["unit_id"]: record for record in records if record["fingerprint"] == fingerprint}

    def add_info(self, info: Mapping[str, Any]) -> None:
        """Keep what a worker said of itself (engine, device, versions); equal ones are kept once."""
        name = digest(dict(info))[:16]
        if name not in self._known:
            self._put(f"workers/{name}.json", info)
            self._known.add(name)

    def infos(self) -> list[dict[str, Any]]:
        """Return the distinct kinds of worker that this stage ran on."""
        return list(self._readable("workers/"))

    def add_progress(self, snapshot: Mapping[str, Any]) -> None:
        """Keep how far the stage is, under the present time."""
        self._put(f"progress/{datetime.now(UTC):%Y%m%dT%H%M%S.%f}.json", snapshot)

    def snapshots(self) -> list[dict[str, Any]]:
        """Return the snapshots of all processes that worked on this stage, the oldest first."""
        return list(self._readable("progress/"))

    def _readable(self, folder: str) -> Iterator[dict[str, Any]]:
        """Yield the records of a folder. A torn one is said and left out: a unit whose record is torn is tried again."""
        for info in self._store.list(f"{self._prefix}/{folder}"):
            try:
                yield read_document(self._store, info.key)
            except DataError as error:
                LOG.warning("a record is left out: %s", error)

    def _put(self, name: str, value: Mapping[str, Any]) -> None:
        self._store.put_if_absent(f"{self._prefix}/{name}", json.dumps(value, indent=1, sort_keys=True).encode())
