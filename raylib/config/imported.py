"""Options of texts that somebody else generated: which files, which columns, and what to do where they do not fit."""

from typing import Literal

from pydantic import Field, field_validator, model_validator

from raylib.config.base import Frozen
from raylib.ids import check_name


class ImportedColumns(Frozen):
    """Which column of the files holds what."""

    prompt: str | None = Field(None, description="The prompt's text; matched exactly but for Unicode form and ends.")
    prompt_id: str | None = Field(
        None, description="The prompt's id (jobs/prompts.py lists them), instead of its text."
    )
    text: str = Field(description="What the model answered.")
    model: str | None = Field(
        None, description="Which model answered; `model` beside `columns` says whose rows to take."
    )
    sample_id: str | None = Field(None, description="A row's own id; one that comes twice is an error.")
    finish_reason: str | None = Field(None, description="Why the text ends: stop, length, content_filter, refusal, ...")
    given: dict[str, str] = Field(
        default_factory=dict,
        description="Labels that come with the texts: what they are -> column of texts or lists of texts. The narratives "
        "study knows subject_name, subject_gender, subject_references and the same of object.",
    )
    scores: dict[str, str] = Field(default_factory=dict, description="Scores that come with the texts: name -> column.")

    @field_validator("given", "scores")
    @classmethod
    def _names(cls, value: dict[str, str]) -> dict[str, str]:
        for name in value:
            check_name(name, "engine.columns")
        return value

    @model_validator(mode="after")
    def _one_way_to_the_prompt(self) -> "ImportedColumns":
        if (self.prompt is None) == (self.prompt_id is None):
            raise ValueError("give either `prompt` (the column of prompt texts) or `prompt_id`, not both")
        if taken := sorted({"file", "row", "scores"} & set(self.given)):
            raise ValueError(
                f"{taken[0]!r} in `given` is taken (scores have a mapping of their own); choose another name"
            )
        return self

    def used(self) -> dict[str, str]:
        """Return what is read -> its column, for every column that is mapped."""
        plain = ("prompt", "prompt_id", "text", "model", "sample_id", "finish_reason")
        found = {name: getattr(self, name) for name in plain if getattr(self, name) is not None}
        found |= {f"given.{name}": column for name, column in self.given.items()}
        return found | {f"scores.{name}": column for name, column in self.scores.items()}


class ImportedOptions(Frozen):
    """Texts from files. Nothing is generated; `sampling`, `seed` and `resources.actors` of the run have no effect."""

    kind: Literal["imported"] = "imported"
    files: tuple[str, ...] = Field(min_length=1, description="CSV, JSON lines or Parquet files, in this order.")
    sha256: tuple[str, ...] = Field(
        (), description="Expected sha256 of each file; once imported, pinned files need not be there any more."
    )
    format: Literal["auto", "csv", "jsonl", "parquet"] = Field("auto", description="auto: by the files' endings.")
    encoding: str = Field("utf-8", description="Of CSV and JSON lines, for example cp1252, latin-1 or utf-16.")
    delimiter: str = Field(",", min_length=1, max_length=1, description="Between the cells of a CSV file.")
    columns: ImportedColumns
    model: str | None = Field(None, description="Take the rows whose `columns.model` is this.")
    unknown: Literal["refuse", "skip"] = Field(
        "refuse", description="What to do with rows whose prompt the study does not have. They are counted either way."
    )
    gaps: Literal["refuse", "allow"] = Field(
        "refuse", description="What to do with prompts that have fewer texts than the run's `samples`. allow: a missing text "
        "is a row with status error and error_type missing, which limits.error_rate does not count.",
    )  # fmt: skip

    @field_validator("encoding")
    @classmethod
    def _encoding(cls, value: str) -> str:
        try:
            "a".encode(value)
        except (LookupError, ValueError):
            raise ValueError(f"{value!r} is no text encoding; write for example utf-8, cp1252 or utf-16") from None
        return value

    @field_validator("sha256")
    @classmethod
    def _hashes(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        lowered = tuple(one.lower() for one in value)
        if any(len(one) != 64 or set(one) - set("0123456789abcdef") for one in lowered):
            raise ValueError("a sha256 has 64 hexadecimal digits (sha256sum FILE prints it)")
        return lowered

    @model_validator(mode="after")
    def _belongs_together(self) -> "ImportedOptions":
        if (self.columns.model is None) != (self.model is None):
            raise ValueError(
                "`columns.model` (a column) and `model` (whose rows to take) go together; give both or neither"
            )
        if self.sha256 and len(self.sha256) != len(self.files):
            raise ValueError(f"{len(self.sha256)} sha256 for {len(self.files)} files; give one for each, or none")
        return self
