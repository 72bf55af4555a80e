"""The essay prompt and its fairness variants (section 4 of the paper; `data/variants.yaml`)."""

from pydantic import Field, ValidationError, field_validator

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError, nearest
from raylib.studies.data_files import read_yaml
from raylib.studies.ltf.axes import STUDY
from raylib.studies.wording import fill, places

_FIELDS = ("question", "category")


class VariantsFile(Frozen):
    """First lines by variant, and the instructions that follow each of them."""

    variants: dict[str, str] = Field(min_length=1)
    instructions: str

    @field_validator("variants")
    @classmethod
    def _name_the_question(cls, variants: dict[str, str]) -> dict[str, str]:
        for name, text in variants.items():
            fields = set(places(text))
            if "question" not in fields or not fields <= set(_FIELDS):
                raise ValueError(
                    f"variant {name!r} must hold {{question}}, may hold {{category}}, and no other {{field}}"
                )
        return variants

    def prompt(self, variant: str, question: str, category: str) -> str:
        """Return the whole prompt of a variant."""
        return f"{fill(self.variants[variant], question=question, category=category)}\n{self.instructions}"


def load_variants() -> VariantsFile:
    """Return the content of `data/variants.yaml`.

    Raises:
        ConfigError: the file is not as it must be.
    """
    value, where = read_yaml("variants.yaml", STUDY)
    try:
        return VariantsFile.model_validate(value)
    except ValidationError as error:
        raise ConfigError(f"variants file {where}: {explain(error, VariantsFile)}") from None


def check_variant(variant: str, variants: VariantsFile) -> None:
    """Raise ConfigError, with the nearest valid name, if there is no such variant."""
    if variant not in variants.variants:
        raise ConfigError(f"study.options.variant: unknown variant {variant!r}.{nearest(variant, variants.variants)}")
