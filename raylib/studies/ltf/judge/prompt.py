"""The wording of the judge's prompt: a file of `data/judge/`, or a user's own."""

from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import Field, field_validator

from raylib.config.base import Frozen
from raylib.config.loading import load_config
from raylib.errors import ConfigError, nearest
from raylib.ids import digest
from raylib.studies.wording import places

DEFAULT_PROMPT = "v1"

_PLACES = ("question", "group1", "group2", "begin", "end", "essay")


class JudgePrompt(Frozen):
    """What a judge is asked."""

    version: int = Field(ge=1, description="Raise it with every change of the wording: it names the prompt in results.")
    system: str = Field("", description="System turn; empty: none. No places: an essay never stands there.")
    user: str = Field(
        description="Holds {question}, {group1}, {group2}, {begin} and {end} (the marks around the essay), and once, "
        "on a line of its own, {essay} (the essay between its marks)."
    )

    @field_validator("system")
    @classmethod
    def _system_has_no_places(cls, value: str) -> str:
        if found := places(value):
            raise ValueError(f"it holds {{{found[0]}}}, but only `user` is filled in: move that part there")
        return value

    @field_validator("user")
    @classmethod
    def _user_has_places(cls, value: str) -> str:
        found = places(value)
        for name in found:
            if name not in _PLACES:
                raise ValueError(f"it holds {{{name}}}, which nothing fills in.{nearest(name, _PLACES)}")
        missing = [f"{{{name}}}" for name in _PLACES if name not in found]
        if missing:
            raise ValueError(f"it lacks {', '.join(missing)}; see raylib/studies/ltf/data/judge/prompt.v1.yaml")
        if "{essay}" not in (line.strip() for line in value.splitlines()) or found.count("essay") > 1:
            raise ValueError("{essay} must stand there once, on a line of its own")
        return value

    @property
    def identity(self) -> dict[str, object]:
        """Version and digest of the wording: the same words are the same prompt, whatever the file is called."""
        return {"version": self.version, "sha256": digest([self.system, self.user])}


@cache
def load_prompt(name: str = DEFAULT_PROMPT) -> JudgePrompt:
    """Return the wording `name`: a version of the study's own (v1), or the path of a YAML file.

    Raises:
        ConfigError: no such version or file, an unknown key or place (the nearest valid one is named), or a missing one.
    """
    if name.endswith((".yaml", ".yml")):
        return load_config(Path(name), JudgePrompt)
    folder = files("raylib.studies.ltf").joinpath("data").joinpath("judge")
    own = {item.name.split(".")[1]: item for item in folder.iterdir() if item.name.startswith("prompt.")}
    if name not in own:
        raise ConfigError(f"no judge prompt {name!r} (or give the path of a .yaml file).{nearest(name, own)}")
    return load_config(Path(str(own[name])), JudgePrompt)
