"""The chat template of a folder, as transformers would find it."""

import hashlib
import json
from pathlib import Path

import pytest

from raylib.errors import ModelError
from raylib.models.template import chat_template, chat_template_sha256


def configure(folder: Path, value: object) -> None:
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": value}), encoding="utf-8")


def test_the_template_file_wins_over_the_configuration(tmp_path: Path) -> None:
    configure(tmp_path, "old")
    (tmp_path / "chat_template.jinja").write_text("new ü", encoding="utf-8")
    assert chat_template(tmp_path) == "new ü"
    assert chat_template_sha256(tmp_path) == hashlib.sha256("new ü".encode()).hexdigest()


def test_a_base_model_has_no_template_and_no_hash(tmp_path: Path) -> None:
    assert chat_template(tmp_path) is None
    configure(tmp_path, None)
    assert chat_template(tmp_path) is None
    assert chat_template_sha256(tmp_path) is None


def test_of_named_templates_the_default_is_taken(tmp_path: Path) -> None:
    configure(tmp_path, [{"name": "tools", "template": "t"}, {"name": "default", "template": "d"}])
    assert chat_template(tmp_path) == "d"


def test_named_templates_without_a_default_are_an_error(tmp_path: Path) -> None:
    configure(tmp_path, [{"name": "tools", "template": "t"}])
    with pytest.raises(ModelError, match="tools and no default"):
        chat_template(tmp_path)


def test_a_torn_configuration_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text('{"chat_', encoding="utf-8")
    with pytest.raises(ModelError, match="is not a JSON object"):
        chat_template(tmp_path)
