"""Which prompts go on after each look: `sampling.until` as a pure function of the annotations so far.

A cell is judged at the looks that the configuration declares, on all its prompts with equally many samples each. It is
open until each of its shares is narrow enough (or the last look is reached); then its intervals are fixed, whatever its
prompts are drawn for afterwards. A prompt goes on while a cell of it is open, and so do all prompts of its cluster.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from raylib.config.run import UntilConfig
from raylib.errors import ConfigError
from raylib.pipeline.generate import Chunk
from raylib.pipeline.tally import Tally
from raylib.stats.sequential import confidence_of_a_look, looks, share_of_fixed_prompts
from raylib.studies.base import Study, StudyOptions, WatchedCell, WatchingStudy

_DIGITS = 9  # of recorded numbers: the last bits of a float may differ from one processor to another


class Judged(NamedTuple):
    """A share at the look at which its cell was closed. The interval holds whatever made the drawing stop."""

    cell: str
    share: str
    look: int
    """Counted from 1."""
    samples: int
    """Of each of the cell's prompts, up to that look."""
    observations: float
    estimate: float | None
    """None: nothing was observed."""
    low: float
    high: float
    half_width: float | None
    """None: nothing can be said (no observations, or no prompt with two samples)."""
    narrow: bool
    """False: the most samples were drawn, and it was not enough."""


class Drawing:
    """What was drawn and decided so far. Ask for `chunk`, draw it, `add` its annotations, `decide`, and again.

    Raises:
        ConfigError: the study watches no cell of these prompts.
    """

    def __init__(self, study: Study, options: StudyOptions, prompts: pa.Table, until: UntilConfig) -> None:
        self._study = watching(study)
        self._options, self._prompts, self._until = options, prompts, until
        self.looks = looks(until.first, until.growth, until.max)
        self.confidence = confidence_of_a_look(until.confidence, len(self.looks))
        self._open: tuple[WatchedCell, ...] = tuple(self._study.watched(options, prompts))
        if not self._open:
            raise _watches_nothing(study)
        self._cluster = dict(zip(prompts["prompt_id"].to_pylist(), prompts["cluster"].to_pylist(), strict=True))
        self._going = frozenset(self._cluster)
        self._place = 0
        self._tally = Tally()
        self.samples = dict.fromkeys(self._cluster, 0)
        """Samples of each prompt that are planned so far."""
        self.judged: list[Judged] = []

    @property
    def chunk(self) -> Chunk | None:
        """What is to be drawn before the next decision; None: nothing more."""
        if not self._going or self._place == len(self.looks):
            return None
        return Chunk(self._going, self.looks[self._place - 1] if self._place else 0, self.looks[self._place])

    def add(self, annotations: pa.Table) -> None:
        """Take note of an annotation part of the present chunk."""
        self._tally.add(annotations, self._study.observations(self._options, annotations, self._prompts))

    def decide(self) -> str:
        """Close the cells that are narrow enough, and say in one line what goes on."""
        for prompt in self._going:
            self.samples[prompt] = self.looks[self._place]
        self._place += 1
        found = [self._judge(cell) for cell in self._open]
        last = self._place == len(self.looks)
        closed = [last or all(one.narrow for one in shares) for shares in found]
        self.judged += [one for shares, done in zip(found, closed, strict=True) if done for one in shares]
        self._open = tuple(cell for cell, done in zip(self._open, closed, strict=True) if not done)
        clusters = {self._cluster[prompt] for cell in self._open for prompt in cell.prompts}
        self._going = frozenset(prompt for prompt, cluster in self._cluster.items() if cluster in clusters)
        widest = max((one for shares in found for one in shares), key=_width)
        width = "unknown" if widest.half_width is None else f"{widest.half_width:.3f}"
        return (
            f"look {self._place} of {len(self.looks)}: {len(self._going)} of {len(self._cluster)} prompts go on; widest half "
            f"width {width} in {widest.cell} {widest.share}"
        )

    def record(self) -> dict[str, Any]:
        """Return what a manifest keeps: looks, level, samples of each prompt, the intervals at the stop."""
        return {
            "half_width": self._until.half_width,
            "confidence": self._until.confidence,
            "confidence_of_a_look": round(self.confidence, _DIGITS),
            "looks": list(self.looks),
            "samples": dict(self.samples),
            "shares": [one._asdict() for one in self.judged],
        }

    def _judge(self, cell: WatchedCell) -> list[Judged]:
        result = []
        for share in cell.shares:
            moments = self._tally.moments(cell.cell, share, cell.prompts)
            found = share_of_fixed_prompts(moments, self.confidence)
            result.append(
                Judged(
                    cell=cell.cell, share=share, look=self._place, samples=self.looks[self._place - 1],
                    observations=_rounded(moments.n.sum()), estimate=_known(found.share), low=_rounded(found.low),
                    high=_rounded(found.high), half_width=_known(found.half_width),
                    narrow=bool(found.half_width <= self._until.half_width),
                )
            )  # fmt: skip
        return result


def watching(study: Study) -> WatchingStudy:
    """Return the study as one that can be sampled until its cells are narrow.

    Raises:
        ConfigError: it cannot.
    """
    if not isinstance(study, WatchingStudy):
        raise _watches_nothing(study)
    return study


def chunks_of(until: UntilConfig, samples: Mapping[str, int]) -> list[Chunk]:
    """Return the chunks that gave each prompt its number of samples (as `Drawing.samples` has them)."""
    ends = [look for look in looks(until.first, until.growth, until.max) if look <= max(samples.values(), default=0)]
    return [
        Chunk(frozenset(prompt for prompt, count in samples.items() if count >= stop), start, stop)
        for start, stop in zip([0, *ends], ends, strict=False)
    ]


def differences(recorded: Mapping[str, Any], recomputed: Mapping[str, Any]) -> Sequence[str]:
    """Return in one line each what a manifest's record says otherwise than its annotations give."""
    return [
        f"until: the recorded {name} are not what these annotations give; run jobs/audit.py with this config again"
        for name in recomputed
        if recorded.get(name) != recomputed[name]
    ]


def _watches_nothing(study: Study) -> ConfigError:
    return ConfigError(
        f"study {study.name} declares no shares that sampling.until could watch here: "
        "leave sampling.until out (--set sampling.until=null) and give --set samples=N"
    )


def _rounded(value: npt.ArrayLike) -> float:
    return round(float(np.asarray(value)), _DIGITS)


def _known(value: npt.ArrayLike) -> float | None:
    return _rounded(value) if np.isfinite(value) else None


def _width(one: Judged) -> float:
    return float("inf") if one.half_width is None else one.half_width
