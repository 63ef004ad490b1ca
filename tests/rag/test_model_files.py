import threading
from pathlib import Path

import pytest

from rag.embedding import FastembedEmbedder, SentenceTransformerEmbedder
from rag.errors import InputError
from rag.model_files import built_once, locate, revision
from rag.reranking import CrossEncoderReranker


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MESSLATTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    return tmp_path / "cache"


@pytest.mark.parametrize("name", ["foo", "foo/bar", "foo/bar/baz", "e5_small"])
@pytest.mark.parametrize(
    ("make", "option", "remedy"),
    [
        (SentenceTransformerEmbedder, "embedding.model", "use e5-small or minilm (no network needed) or a folder"),
        (CrossEncoderReranker, "reranker.model", "use reranker-de (no network needed) or a folder"),
        (FastembedEmbedder, "embedding.model", "use such a folder, or e5-small or minilm"),
    ],
)
def test_an_unknown_name_is_one_clear_line(make: type, option: str, remedy: str, name: str) -> None:
    with pytest.raises(InputError) as error:
        make(name)
    assert str(error.value).startswith(f"{option}={name}: ")
    assert remedy in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match=r"the folder has no tokenizer\.json, no weights; use a"):
        locate("embedding.model", str(tmp_path), {"a": Path})
    with pytest.raises(
        InputError, match=r"nor a folder with onnx/model\.onnx, tokenizer\.json, tokenizer_config\.json"
    ):
        FastembedEmbedder(str(tmp_path))


def test_names_are_checked_without_opening(tmp_path: Path) -> None:
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (tmp_path / name).write_text("not read")
    assert locate("embedding.model", str(tmp_path), {})() == tmp_path
    assert locate("embedding.model", "e5-small", {"e5-small": lambda: tmp_path / "x"})() == tmp_path / "x"


def test_a_folder_is_built_once_though_two_want_it(cache: Path) -> None:
    both_building = threading.Barrier(2)

    def build(folder: Path) -> None:
        both_building.wait(timeout=10)
        (folder / "weights").write_text("complete")

    threads = [threading.Thread(target=built_once, args=("m-1", build)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [path.name for path in (cache / "models").iterdir()] == ["m-1"]
    assert (built_once("m-1", build) / "weights").read_text() == "complete"


def test_a_build_that_fails_leaves_nothing(cache: Path) -> None:
    def build(folder: Path) -> None:
        (folder / "weights").write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        built_once("m-1", build)
    assert list((cache / "models").iterdir()) == []


def test_the_revision_follows_the_content(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "weights").write_text("1")
    first = revision(tmp_path / "m")
    (tmp_path / "m").rename(tmp_path / "n")
    assert revision(tmp_path / "n") == first
    (tmp_path / "n" / "weights").write_text("2")
    assert revision(tmp_path / "n") != first
    assert revision(cache / "models" / "e5-0abc-1") == "e5-0abc-1"
