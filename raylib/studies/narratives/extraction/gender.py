"""From the words that refer to a character to the gender that the story gives it (the paper's Table S6a)."""

from collections.abc import Iterable

from raylib.studies.narratives.data_files import word_lists
from raylib.studies.narratives.extraction.roles import UNSPECIFIED, UNSURE

GENDERS = ("F", "M", "NB")
CLASS_OF = {word: gender for gender in GENDERS for word in word_lists("gender")[gender]}


def gender_of(references: Iterable[str]) -> str:
    """Return F, M or NB where all gendered words are of one class, `unsure` for several, `unspecified` for none.

    References are lower-cased and split at spaces; each word is looked up by itself.
    """
    classes = {CLASS_OF[word] for text in references for word in text.lower().split() if word in CLASS_OF}
    if len(classes) > 1:
        return UNSURE
    return classes.pop() if classes else UNSPECIFIED
