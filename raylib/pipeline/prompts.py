"""Write a study's prompt table to a Parquet file."""

import argparse
import os
from pathlib import Path

import pyarrow.parquet as pq

from raylib.config.loading import load_tree, validate
from raylib.config.run import StudyConfig
from raylib.config.sweep import load_sweep
from raylib.errors import ConfigError
from raylib.pipeline.context import load_study
from raylib.studies.base import StudyOptions


def write_prompts(arguments: argparse.Namespace) -> None:
    """Write the prompts of a study config, or of the study in a run config, to `arguments.out`.

    Raises:
        ConfigError: the config is wrong, or the file cannot be written.
    """
    tree = load_tree(Path(arguments.config), arguments.overrides)
    if "study" in tree:
        config = load_sweep(arguments.config, arguments.overrides).runs[0].study
    else:
        config = validate(tree, StudyConfig, arguments.config)
    study = load_study(config)
    options = StudyOptions(config.name, config.options)
    study.check(options)
    table = study.prompts(options)
    out = Path(arguments.out)
    if out.suffix != ".parquet":
        raise ConfigError(f"--out {out} must end in .parquet")
    scratch = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, scratch)
        scratch.replace(out)
    except OSError as error:
        raise ConfigError(f"cannot write {out}: {error.strerror or error}. Choose another --out") from None
    finally:
        scratch.unlink(missing_ok=True)
    print(f"{table.num_rows:,} prompts: {out}")
