"""The base of all configuration models: frozen, and unknown keys are errors."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A typed, immutable piece of configuration."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=(), allow_inf_nan=False)
