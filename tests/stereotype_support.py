"""A small codebook and a small sample of stories."""

import pyarrow as pa

from raylib.studies.narratives.stereotypes.codebook import Codebook
from raylib.studies.narratives.stereotypes.sampling import SAMPLE
from raylib.studies.narratives.stereotypes.sheets import RATINGS

WORDS = {"label": "L", "definition": "D", "include": "I", "exclude": "E", "example": "X"}
CODEBOOK = Codebook.model_validate({"version": 3, "codes": [{"code": "foreign", **WORDS}, {"code": "savior", **WORDS}]})


def sample(*rows: tuple[str, str], race: str = "White", gender: str = "F") -> pa.Table:
    """Rows of (sample id, text)."""
    same = {
        "prompt_id": "p", "domain": "Labor", "condition": "power-laden", "race": race, "gender": gender,
        "role": "object", "name": "Anna", "likelihood": 0.9, "name_count": 1,
    }  # fmt: skip
    return pa.Table.from_pylist([{**same, "sample_id": name, "text": text} for name, text in rows], schema=SAMPLE)


def ratings(**raters: dict[str, str]) -> pa.Table:
    """Raters' values by story, one letter a code of CODEBOOK: y, n, u, or - for missing: ratings(ann={"s1": "yn"})."""
    said = {"y": "yes", "n": "no", "u": "unsure", "-": None}
    return pa.Table.from_pylist(
        [
            {"sample_id": story, "rater": rater, "code": code, "value": said[letter]}
            for rater, stories in raters.items()
            for story, letters in stories.items()
            for code, letter in zip(CODEBOOK.names, letters, strict=True)
        ],
        schema=RATINGS,
    )
