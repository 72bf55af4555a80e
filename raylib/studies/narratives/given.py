"""Labels that came with imported texts, in the place of what an extractor finds.

A completion's `given` is a JSON mapping that may hold subject_name, subject_gender, subject_references and the same of
object. Names and references are a text ("she, her"), a list of texts, or a list written as a text ("['Jake']"). A gender
that is given decides; without one the references do, by the study's own word lists.
"""

import ast
import json
from collections.abc import Mapping

from raylib.errors import DataError, nearest
from raylib.studies.narratives.annotate import Row, character
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.extraction.roles import UNSPECIFIED, UNSURE, Found, Roles

VERSION = "1"
"""Raised whenever another label would follow from the same given ones."""

_FIELDS = tuple(f"{who}_{what}" for who in ("subject", "object") for what in ("name", "gender", "references"))
_NO_LABELS = ("file", "row", "scores")
GENDER_WORDS = {
    **{gender.lower(): gender for gender in (*GENDERS, UNSURE, UNSPECIFIED)},
    "female": "F", "woman": "F", "male": "M", "man": "M", "non-binary": "NB", "nonbinary": "NB",
}  # fmt: skip
"""Word for a gender in hand labels, in small letters -> what the study calls it."""


class GivenLabels:
    """Labels by what came with the texts. A character without one makes an error row: unknown, not unspecified."""

    def characters(self, row: Row, text: str, asked: Roles) -> dict[str, object]:
        """Return the labels of a story.

        Raises:
            DataError: a label that the study does not know, or one of another type; the row is named.
        """
        given = json.loads(row["given"] or "{}")
        for name in given:
            if name not in _FIELDS and name not in _NO_LABELS:
                raise DataError(f"{_place(given)}: unknown label {name!r} in columns.given.{nearest(name, _FIELDS)}")
        roles = {"subject": asked.subject} | ({"object": asked.object} if asked.object is not None else {})
        bare = [who for who in roles if not any(name.startswith(who) for name in given)]
        if bare:
            return {"status": "error", "notes": f"no label of the {' and the '.join(bare)} came with this text"}
        labels = [_label(who, given, role) for who, role in roles.items()]
        return {name: value for label in labels for name, value in label.items()}


def _place(given: Mapping[str, object]) -> str:
    return f"imported file {given.get('file')}, row {given.get('row')}"


def _label(who: str, given: Mapping[str, object], role: str | None) -> dict[str, object]:
    names = _texts(given.get(f"{who}_name"), given)
    references = [word.lower() for text in _texts(given.get(f"{who}_references"), given) for word in _split(text)]
    label = character(who, Found(names[0] if names else None, tuple(dict.fromkeys(references))), role)
    gender = given.get(f"{who}_gender")
    return label | ({f"{who}_gender": _gender(gender, given)} if gender is not None else {})


def _gender(value: object, given: Mapping[str, object]) -> str:
    name = str(value).strip().lower()
    if name not in GENDER_WORDS:
        raise DataError(f"{_place(given)}: unknown gender {value!r}.{nearest(name, GENDER_WORDS)}")
    return GENDER_WORDS[name]


def _texts(value: object, given: Mapping[str, object]) -> list[str]:
    """Return the texts of a label, without empty ones and the word `unspecified`."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            raise DataError(f"{_place(given)}: label {value!r} is not a list such as ['Jake', 'Jim']") from None
    texts = value if isinstance(value, list) else [value]
    found = [str(text).strip() for text in texts if text is not None]
    return [text for text in found if text and text.lower() != UNSPECIFIED]


def _split(references: str) -> list[str]:
    return [word.strip() for part in references.split("/") for word in part.split(",") if word.strip()]
