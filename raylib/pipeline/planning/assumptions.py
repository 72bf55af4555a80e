"""What a plan assumes where nothing was measured: speeds by device and size class, and how alike texts are."""

from importlib.resources import files
from pathlib import Path

from pydantic import Field, model_validator

from raylib.config.base import Frozen
from raylib.config.loading import load_config


class Correlation(Frozen):
    """A plausible range of the intraclass correlation of the texts of one prompt."""

    low: float = Field(ge=0, le=1, description="Texts of one prompt hardly resemble each other.")
    high: float = Field(ge=0, le=1, description="They resemble each other much.")
    note: str = Field(description="What the range rests on.")

    @model_validator(mode="after")
    def _ordered(self) -> "Correlation":
        if self.low > self.high:
            raise ValueError("low is above high; give the smaller figure as low")
        return self


class Speed(Frozen):
    """A plausible range of one device's speed with models up to a size."""

    up_to_billion: float = Field(gt=0, description="Billions of parameters, at most.")
    low: float = Field(gt=0, description="New tokens a second.")
    high: float = Field(gt=0, description="New tokens a second.")
    note: str = Field(description="What the range rests on.")

    @model_validator(mode="after")
    def _ordered(self) -> "Speed":
        if self.low > self.high:
            raise ValueError("low is above high; give the smaller figure as low")
        return self


class Device(Frozen):
    """A kind of GPU, or a CPU (without memory_gb), and how fast it is."""

    name: str = Field(description="As the plan shows it.")
    memory_gb: float | None = Field(None, gt=0, description="Memory of one GPU; None: a CPU.")
    speeds: tuple[Speed, ...] = Field(min_length=1, description="By size class.")

    def speed(self, billions: float) -> Speed | None:
        """Return the speed of the smallest class that holds the model; None: the model is larger than all of them."""
        fitting = [speed for speed in self.speeds if billions <= speed.up_to_billion]
        return min(fitting, key=lambda speed: speed.up_to_billion, default=None)


class Assumptions(Frozen):
    """The whole file."""

    correlation: Correlation
    devices: tuple[Device, ...] = Field(min_length=1, description="What a run could run on.")


def load_assumptions(path: str | None = None) -> Assumptions:
    """Return the assumptions of `path`, or the package's own. Raises ConfigError for a wrong file (one line)."""
    own = files("raylib.pipeline.planning").joinpath("data").joinpath("assumptions.yaml")
    return load_config(Path(str(own)) if path is None else path, Assumptions)
