"""Annotation parts with the completions that they label: read through manifests, checked against each other."""

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from raylib.errors import DataError
from raylib.pipeline.annotate import annotation_unit_id
from raylib.pipeline.judges import NO_JUDGES, Judges, combined_unit_id, judged_parts
from raylib.schemas import COMPLETIONS
from raylib.store.base import ObjectStore
from raylib.store.manifests import Manifest
from raylib.store.parts import Receipt, read_rows


class LabelledPart(NamedTuple):
    """Two tables of the same samples in the same order."""

    annotations: pa.Table
    completions: pa.Table


class LabelledParts:
    """The annotated parts of a run."""

    def __init__(
        self,
        store: ObjectStore,
        schema: pa.Schema,
        generation: Manifest,
        annotation: Manifest,
        judges: Judges = NO_JUDGES,
    ) -> None:
        """Take the store, the schema of annotations, the run's two manifests, and those of several judges."""
        self._store, self._schema = store, schema
        self.receipts: Sequence[Receipt] = annotation.parts
        stage = annotation.fingerprint
        if judges:
            found = judged_parts(generation, judges)
            self._sources = {combined_unit_id(stage, part): part.completions for part in found}
        else:
            self._sources = {annotation_unit_id(stage, part): part for part in generation.parts}

    def annotations(self, receipt: Receipt) -> pa.Table:
        """Return the annotations of a part alone."""
        return read_rows(self._store, receipt, self._schema)

    def read(self, receipt: Receipt) -> LabelledPart:
        """Return a part with its completions.

        Raises:
            DataError: a part is missing or torn, or the two hold different samples.
        """
        source = self._sources[receipt.unit_id]
        labels, texts = self.annotations(receipt), read_rows(self._store, source, COMPLETIONS)
        if labels["sample_id"] != texts["sample_id"]:
            raise DataError(f"parts {receipt.key} and {source.key} hold different samples")
        return LabelledPart(labels, texts)
