"""The folder a model is loaded from: packaged, local, or fetched once from the Hugging Face Hub."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rag.cache import cache_folder
from rag.errors import InputError
from rag.in_use import hold_to_the_end

WEIGHTS = ("*.safetensors", "*.bin", "*.onnx")
HUB_FILES = ["*.json", "*.txt", "*.model", "*.safetensors"]
HUB_SECONDS = 5.0


def locate(option: str, model: str, packaged: Mapping[str, Callable[[], Path]]) -> Callable[[], Path]:
    """A function that gives the model's folder, unpacking or downloading it when called for the first time.

    `model` is a name from `packaged`, a local folder, or a name on the Hub. Names are checked here and now, which
    takes a request to the Hub at most; `option` is what the error calls the setting.
    Raises InputError if there is no such model.
    """
    if model in packaged:
        return packaged[model]
    remedy = f"use {' or '.join(packaged)} (no network needed) or a folder"
    if (folder := Path(model)).is_dir():
        lacking = [name for name in ("config.json", "tokenizer.json") if not (folder / name).is_file()]
        lacking += [] if any(path for pattern in WEIGHTS for path in folder.rglob(pattern)) else ["weights"]
        if lacking:
            raise InputError(f"{option}={model}: the folder has no {', no '.join(lacking)}; {remedy}")
        return lambda: folder
    return _on_hub(option, model, remedy)


def _on_hub(option: str, model: str, remedy: str) -> Callable[[], Path]:
    from httpx import HTTPError
    from huggingface_hub import model_info, try_to_load_from_cache
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    try:
        # Whoever has the model already keeps its revision, with or without a network.
        if isinstance(cached := try_to_load_from_cache(model, "tokenizer.json"), str):
            return partial(_download, model, Path(cached).parent.name)
        info = model_info(model, timeout=HUB_SECONDS)
    except (HFValidationError, HfHubHTTPError, HTTPError, OSError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise InputError(
            f"{option}={model}: no such folder and not loadable from the Hub ({reason}); {remedy}"
        ) from error
    names = [sibling.rfilename for sibling in info.siblings or ()]
    if "tokenizer.json" not in names or not any(name.endswith(".safetensors") for name in names):
        raise InputError(f"{option}={model}: not on the Hub as tokenizer.json and safetensors; {remedy}")
    return partial(_download, model, info.sha or "main")


def _download(model: str, revision: str) -> Path:
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(model, revision=revision, allow_patterns=HUB_FILES))


def built_once(name: str, build: Callable[[Path], None]) -> Path:
    """The folder `name` of the cache, which `build` fills if it is not there yet.

    It is filled beside its place and then renamed, so that no process ever sees half a folder. `name` must contain a
    hash of what the content depends on.
    """
    hold_to_the_end(cache_folder())
    target = cache_folder() / "models" / name
    if not target.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{name}-") as temporary:
            fresh = Path(temporary) / name
            fresh.mkdir()
            build(fresh)
            try:
                fresh.rename(target)
            except OSError:  # another process may have been faster
                if not target.is_dir():
                    raise
    return target


def revision(folder: Path) -> str:
    """What identifies a model's weights: the commit or hash that its folder is named by, else a hash of its files."""
    if folder.parent.name == "snapshots" or folder.parent == cache_folder() / "models":
        return folder.name
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("[!.]*") if path.is_file()):
        digest.update(f"{path.relative_to(folder).as_posix()} {file_hash(path)}\n".encode())
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def quiet_loading() -> Iterator[None]:
    """Keep transformers' progress bars and reports on weights from the terminal while a model of ours is loaded."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
