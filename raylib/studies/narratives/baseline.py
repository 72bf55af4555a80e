"""Comparison shares p*: what a story's cast is held against. Presets in `data/comparison/`, or a user's YAML file."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Literal

from pydantic import Field, ValidationError

from raylib.config.base import Frozen
from raylib.config.explain import explain
from raylib.errors import ConfigError, nearest
from raylib.studies.narratives.data_files import preset_path, read_yaml
from raylib.studies.narratives.extraction.gender import GENDERS
from raylib.studies.narratives.names import RACES, NameTable, Source

PAIRS = ("F-F", "M-M", "F-M", "F-NB", "M-NB", "NB-NB")
_GROUPS = {"race": RACES, "gender": GENDERS, "pair": PAIRS}

_ROUNDING = 1.0
"""Percent by which published shares may exceed 100 together. Races are not added up: in a census they overlap."""


class Share(Frozen):
    """One group's share of the comparison population."""

    share: float = Field(gt=0, le=100, description="Percent.")
    kind: Literal["population", "biographies"] = Field(description="What was counted: must match the name source.")
    source: str | None = Field(
        None, description="Which table was counted. Shares of biographies need it: each table has its own base rates."
    )


class Baseline(Frozen):
    """Comparison shares by axis and group; a group that is left out is not compared."""

    race: dict[str, Share]
    gender: dict[str, Share]
    pair: dict[str, Share] = Field(default_factory=dict)

    def share(self, axis: str, group: str) -> float | None:
        """Return p* as a fraction, or None where the preset has none."""
        shares: Mapping[str, Share] = getattr(self, axis)
        return shares[group].share / 100 if group in shares else None


def load_baseline(name: str) -> Baseline:
    """Return the preset `name` (a file of `data/comparison/`), or the YAML file at that path.

    A file may begin from another one with `extends: paper`; the shares that it gives itself win.

    Raises:
        ConfigError: no such preset or file, an unknown key or group, a share outside (0, 100], shares that are no percent, or of
            genders or pairs that add up to more than 100.
    """
    value, where = _read(name, ())
    try:
        baseline = Baseline.model_validate(value)
    except ValidationError as error:
        raise ConfigError(f"comparison shares {where}: {explain(error, Baseline)}") from None
    for axis, groups in _GROUPS.items():
        for group in getattr(baseline, axis):
            if group not in groups:
                raise ConfigError(f"comparison shares {where}: unknown {axis} {group!r}.{nearest(group, groups)}")
    _check_percent(baseline, where)
    return baseline


def _check_percent(baseline: Baseline, where: str) -> None:
    """Refuse fractions in the place of percent, and groups that cannot overlap with more than 100 percent together."""
    shares = {axis: [one.share for one in getattr(baseline, axis).values()] for axis in _GROUPS}
    listed = [share for group in shares.values() for share in group]
    if len(listed) > 1 and max(listed) <= 1:
        raise ConfigError(
            f"comparison shares {where}: no share exceeds 1 percent: they look like fractions; write 58.9, not 0.589"
        )
    for axis in ("gender", "pair"):
        if (total := sum(shares[axis])) > 100 + _ROUNDING:
            raise ConfigError(
                f"comparison shares {where}: the shares of {axis} add up to {total:.4g} percent; mend them"
            )


def _read(name: str, seen: tuple[str, ...]) -> tuple[object, str]:
    if name in seen:
        raise ConfigError(
            f"comparison shares: {' extends '.join((*seen, name))}, which never ends; remove one `extends`"
        )
    value, where = read_yaml(preset_path("comparison", name))
    if not isinstance(value, dict) or "extends" not in value:
        return value, where
    below, _ = _read(str(value["extends"]), (*seen, name))
    own = {key: part for key, part in value.items() if key != "extends"}
    if not isinstance(below, dict):
        return own, where
    given = {axis: (below.get(axis), part) for axis, part in own.items()}
    mixed = {
        axis: {**under, **part}
        for axis, (under, part) in given.items()
        if isinstance(under, dict) and isinstance(part, dict)
    }
    return {**below, **own, **mixed}, where


def check_kind(baseline: Baseline, table: NameTable, name: str) -> None:
    """Refuse shares of another kind of source than the name table's, race by race, for the races that it models.

    Shares of a population may come from another count of it (a census beside voter files). Shares of biographies are
    base rates of one collection, and fit only the table that was counted from the same one.

    Raises:
        ConfigError: they do not fit; names the race and both sources.
    """
    for race, share in baseline.race.items():
        if not table.models(race):
            continue
        source = table.source_of(race)
        if share.kind != source.kind:
            raise ConfigError(
                f"comparison shares {name!r}: {race} is a share of {share.kind}, but the name table counts {source.kind}; "
                "take both from the same kind of source"
            )
        if share.kind == "biographies" and share.source != source.id:
            theirs = f"those of {share.source}" if share.source else "of a table that it does not name (`source:`)"
            raise ConfigError(
                f"comparison shares {name!r}: {race} is a base rate of biographies, {theirs}, but the name table counts those "
                f"of {source.id}; each collection has its own base rates: take {_fitting(source)}"
            )


def _fitting(source: Source) -> str:
    """Say what comparison shares would fit a source of biographies."""
    own = files("raylib.studies.narratives").joinpath("data/comparison")
    presets = sorted(item.name.removesuffix(".yaml") for item in own.iterdir() if item.name.endswith(".yaml"))
    fitting = [
        preset for preset in presets if any(share.source == source.id for share in load_baseline(preset).race.values())
    ]
    if fitting:
        return f"baseline: {' or '.join(fitting)}"
    return f"a YAML file with its base rates, kind: biographies and source: {source.id}"
