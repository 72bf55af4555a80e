"""The first name in a full name, as an encyclopedia heads its biographies.

1. What follows a comma or a bracket is left out ("Albert, Duke of Prussia"), and so are quotation marks around a word.
2. Titles before a given name are passed over ("Pope Francis"); honorifics too where two more words follow ("Sir Isaac
   Newton"): a single one is a family or a stage name ("Mr. Bean"), as in the paper's rule for stories.
3. The next word is the first name if it is letters, with hyphens or apostrophes inside it, and more than one letter. An
   initial ("J. K. Rowling"), a word that stands before other names than given ones ("Ibn Battuta", "The Edge") or a
   number gives no first name: a later word would be a middle or a family name.
4. A name of one word is its own first name, as it is in a story.

Chinese, Korean and Vietnamese names put the family name first; their first word is taken like any other.
"""

import re
from functools import cache

from raylib.errors import ConfigError
from raylib.studies.narratives.data_files import read_yaml

_WORD = re.compile(r"[^\W\d_]+(?:[-'’‘ʻ`][^\W\d_]+)*", re.UNICODE)
_QUOTES = "'\"“”‘’ʻ`"
_END = re.compile(r"[,(\[]")


def given_name(full: str) -> str | None:
    """Return the first name in a full name as it is written there, or None where the rules find none."""
    lists = _sets()
    words = [word.strip(_QUOTES) for word in _END.split(full, maxsplit=1)[0].split()]
    for place, word in enumerate(words):
        lower, left = word.lower(), len(words) - place - 1
        if (lower in lists["titles"] and left >= 1) or (lower in lists["honorifics"] and left >= 2):
            continue
        named = len(word) > 1 and lower not in lists["no_first_name"] and lower not in lists["honorifics"]
        return word if named and _WORD.fullmatch(word) else None
    return None


@cache
def full_name_words() -> dict[str, list[str]]:
    """Return the lists of `data/names/full_names.yaml`: titles, honorifics, and words before other names."""
    value, where = read_yaml("names/full_names.yaml")
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must map names of lists to words")
    return value


@cache
def _sets() -> dict[str, frozenset[str]]:
    return {name: frozenset(words) for name, words in full_name_words().items()}
