"""Whether two runs can be compared at all, and in which settings they differ."""

import json
from typing import NamedTuple

import pyarrow.compute as pc

from raylib.errors import ConfigError
from raylib.pipeline.compare.runs import ComparedRun

_UNSET = "not set"
_LONGEST = 60
_NOT_COMPARED = ("fingerprint", "schema", "study", "version", "fairsweep")
_RECOMPUTED = "statistics."


class Setting(NamedTuple):
    """A setting in which the runs differ."""

    stage: str
    name: str
    a: str
    b: str

    def in_words(self) -> str:
        """Return it as one line."""
        return f"{self.name}: {self.a} -> {self.b}"


def check_comparable(a: ComparedRun, b: ComparedRun) -> None:
    """Refuse runs of one study whose numbers are of different things.

    Raises:
        ConfigError: other options than those that runs are compared for, other data, or other prompts.
    """
    first, second = (run.comparable.agreed_options(run.options) for run in (a, b))
    for name in sorted({*first, *second}):
        if first.get(name) != second.get(name):
            raise ConfigError(
                f"study.options.{name} is {_text(first.get(name))} in {a.name!r} and {_text(second.get(name))} in "
                f"{b.name!r}: their numbers are of different things; run one of them again with the other's {name}"
            )
    for name in sorted({*a.identity["data"], *b.identity["data"]}):
        if a.identity["data"].get(name) != b.identity["data"].get(name):
            raise ConfigError(
                f"{a.name!r} and {b.name!r} rest on different {name}: compare runs whose options name the same data"
            )
    _check_prompts(a, b)


def _check_prompts(a: ComparedRun, b: ComparedRun) -> None:
    column = a.comparable.prompt_key
    first, second = (set(run.prompts[column].to_pylist()) for run in (a, b))
    for one, alone in ((a, first - second), (b, second - first)):
        if alone:
            example = min(alone)
            raise ConfigError(
                f"{a.name!r} asks {len(first):,} prompts and {b.name!r} {len(second):,}: {len(alone):,} are asked by "
                f"{one.name!r} alone (for example {column} {example}); compare runs of the same prompts and --limit"
            )


def differing(a: ComparedRun, b: ComparedRun) -> list[Setting]:
    """Return the settings in which the runs differ, stage by stage; what the comparison computes anew is left out."""
    first, second = _settings(a), _settings(b)
    places = [*first, *(place for place in second if place not in first)]
    return [
        Setting(*place, _text(first.get(place)), _text(second.get(place)))
        for place in places
        if first.get(place) != second.get(place)
    ]


def cautions(settings: list[Setting]) -> list[str]:
    """Return what a reader must know before a difference is put down to the variant or the model."""
    lines = []
    labels = [one for one in settings if one.stage == "annotate"]
    drawing = [
        one for one in settings if one.stage == "generate" and one.name.partition(".")[0] in ("sampling", "seeding")
    ]
    if labels:
        lines.append(
            "The runs were labelled differently, so a difference may be the labeller's: "
            + "; ".join(one.in_words() for one in labels)
        )
    if drawing:
        lines.append(
            "The texts were drawn differently, so a difference may be of the sampling: "
            + "; ".join(one.in_words() for one in drawing)
        )
    return lines


def _settings(run: ComparedRun) -> dict[tuple[str, str], object]:
    known = run.results.provenance
    rows = known.filter(pc.equal(known["kind"], "setting")).select(["stage", "name", "value"]).to_pylist()
    return {
        (row["stage"], row["name"]): json.loads(row["value"])
        for row in rows
        if row["name"] not in _NOT_COMPARED and not row["name"].startswith(_RECOMPUTED)
    }


def _text(value: object) -> str:
    if value is None:
        return _UNSET
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
