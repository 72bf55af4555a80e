"""Files of texts to import, and small runs that import them."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from raylib.config.imported import ImportedOptions
from raylib.studies.base import StudyOptions
from raylib.studies.narratives import STUDY
from tests.pipeline_support import PROMPTS, SAMPLES, write_run

PROMPT_TABLE = STUDY.prompts(StudyOptions("narratives")).select(["prompt_id", "prompt"]).to_pylist()
"""All prompts of the narratives study."""


def options(*files: Path, columns: dict[str, Any] | None = None, **changes: Any) -> ImportedOptions:
    """Return import options for files with the columns prompt and text."""
    tree = {"files": [str(file) for file in files], "columns": {"prompt": "prompt", "text": "text"} | (columns or {})}
    return ImportedOptions.model_validate(tree | changes)


def write_csv(path: Path, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """Write a CSV file and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def story(place: int, sample: int) -> str:
    """Return a story of one woman or one man; all differ."""
    name, word = (("Mary", "She"), ("John", "He"))[sample % 2]
    return f"{name} bowed to guest {place}-{sample}. {word} smiled."


def story_rows(prompts: int = PROMPTS, samples: int = SAMPLES) -> list[list[str]]:
    """Return (prompt, text) rows, sample by sample, so that the rows of one prompt do not stand together."""
    return [
        [PROMPT_TABLE[place]["prompt"], story(place, sample)] for sample in range(samples) for place in range(prompts)
    ]


def write_import(folder: Path, store: Path, file: Path, engine: dict[str, Any] | None = None, **changes: Any) -> Path:
    """Write the config of a small run that imports a file with the columns prompt and text."""
    tree = {"kind": "imported", "files": [str(file)], "columns": {"prompt": "prompt", "text": "text"}} | (engine or {})
    model = {"name": "theirs", "source": "imported", "engine": tree}
    return write_run(folder, store, model=model, **changes)
