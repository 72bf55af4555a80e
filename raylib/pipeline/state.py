"""What the driver knows of a stage while it runs."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from raylib.store.parts import Receipt, Rejected


class StageState:
    """Committed and quarantined units so far. Totals are kept as units end, not summed up again each time."""

    def __init__(
        self,
        receipts: Iterable[Receipt],
        rejected: Iterable[Rejected],
        quarantined: Mapping[str, dict[str, Any]],
    ) -> None:
        self.rejected = list(rejected)
        self.quarantined: dict[str, dict[str, Any]] = {}
        self.receipts: dict[str, Receipt] = {}
        self.statuses: Counter[str] = Counter()
        self.tokens = 0
        self._set_aside: dict[str, Receipt] = {}
        for receipt in receipts:
            self.commit(receipt)
        self.quarantined.update(quarantined)

    def commit(self, receipt: Receipt) -> None:
        """Take note of a part of a unit that has none yet."""
        self.receipts[receipt.unit_id] = receipt
        self.statuses.update(receipt.statuses)
        self.tokens += receipt.tokens
        self.quarantined.pop(receipt.unit_id, None)

    def set_aside(self, receipt: Receipt) -> None:
        """Take a part out of the totals while its failed samples are tried again."""
        del self.receipts[receipt.unit_id]
        self.statuses.subtract(receipt.statuses)
        self.tokens -= receipt.tokens
        self._set_aside[receipt.unit_id] = receipt

    def quarantine(self, record: dict[str, Any]) -> None:
        """Take note of a unit that was given up; one whose earlier part was set aside has that part back."""
        earlier = self._set_aside.pop(record["unit_id"], None)
        if earlier is not None:
            self.commit(earlier)
        else:
            self.quarantined[record["unit_id"]] = record

    @property
    def finished(self) -> int:
        """Units that need no more work."""
        return len(self.receipts) + len(self.quarantined)

    @property
    def rows(self) -> int:
        """Samples in committed parts."""
        return self.statuses.total()
