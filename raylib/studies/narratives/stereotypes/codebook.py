"""The codes that raters give, as data (`data/codebook.yaml`, or a file of the same form)."""

from functools import cache
from pathlib import Path

from pydantic import Field, field_validator

from raylib.config.base import Frozen
from raylib.config.loading import validate
from raylib.errors import ConfigError
from raylib.studies.narratives.data_files import read_yaml

VALUES = ("yes", "no", "unsure")
"""What a rater can say of a code; nothing said is a missing rating."""

YES, NO, UNSURE = VALUES
SHEET_COLUMNS = ("sample_id", "rater", "prompt_id", "domain", "condition", "text")
"""Columns of a coding sheet before those of the codes."""


class Code(Frozen):
    """One stereotype: what it is, what counts as it and what does not."""

    code: str = Field(pattern=r"^[a-z][a-z0-9_]*$", description="Column of the coding sheet.")
    label: str
    definition: str
    include: str
    exclude: str
    example: str


class Codebook(Frozen):
    """All codes, in the order of the sheets."""

    version: int
    codes: tuple[Code, ...] = Field(min_length=1)

    @field_validator("codes")
    @classmethod
    def _unique(cls, value: tuple[Code, ...]) -> tuple[Code, ...]:
        names = [code.code for code in value]
        for name in names:
            if names.count(name) > 1 or name in SHEET_COLUMNS:
                raise ValueError(f"the code {name!r} is there twice, or is a column of every sheet; rename it")
        return value

    @property
    def names(self) -> tuple[str, ...]:
        """The codes' names."""
        return tuple(code.code for code in self.codes)


@cache
def load_codebook(path: str | None = None) -> Codebook:
    """Return the codebook of `path`, or the study's own.

    Raises:
        ConfigError: no such file, or a key that is unknown, missing or wrong; one line that names it.
    """
    value, where = read_yaml(Path(path) if path else "codebook.yaml")
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must hold the keys version and codes; see data/codebook.yaml")
    return validate(value, Codebook, where)
