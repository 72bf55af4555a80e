"""Which prompt each annotation answers."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from raylib.errors import DataError


def prompt_places(annotations: pa.Table, prompts: pa.Table) -> pa.ChunkedArray:
    """Return the row of `prompts` for each annotation, by prompt_id.

    Raises:
        DataError: an annotation of a prompt that the study does not have (names the sample).
    """
    place = pc.index_in(annotations["prompt_id"], prompts["prompt_id"].combine_chunks())
    if place.null_count:
        row = int(np.flatnonzero(place.is_null().to_numpy(zero_copy_only=False))[0])
        sample, prompt = (annotations[name][row].as_py() for name in ("sample_id", "prompt_id"))
        raise DataError(
            f"annotation {sample!r} names prompt {prompt!r}, which the study does not have; annotate with the same config"
        )
    return place
