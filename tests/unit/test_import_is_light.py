"""`import raylib` must cost nothing, and a dry run must not start Ray."""

import subprocess
import sys

import pytest

HEAVY = ("ray", "torch", "vllm", "transformers", "pandas", "polars", "pyarrow", "boto3", "matplotlib", "pydantic")


def test_import_raylib_loads_no_heavy_package() -> None:
    code = f"import raylib, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


@pytest.mark.parametrize(
    "module", ["raylib.pipeline.chain", "raylib.config.run", "raylib.pipeline.entry", "raylib.pipeline.planning.job"]
)
def test_planning_loads_neither_ray_nor_torch(module: str) -> None:
    code = f"import {module}, sys; print([n for n in ('ray', 'torch', 'vllm', 'transformers') if n in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )
