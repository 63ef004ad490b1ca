"""What a registered model carries: code, documents, vectors, configuration and pinned requirements."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from omegaconf import DictConfig, OmegaConf

from pipelines import stages
from pipelines.config import ROOT
from pipelines.pins import pins
from pipelines.registry import Packed
from rag.cache import Cache
from rag.corpus.snapshot import write_snapshot

CODE = Path(__file__).with_name("served_model.py")
PACKAGES = ("rag", "evaluation", "pipelines")
FOLDERS = ("embedding", "reranker")  # sections whose model may be a folder of the user's


def pack(cfg: DictConfig, folder: Path) -> Packed:
    """Write the artefacts of a configuration's model into `folder`.

    A model that lies in a folder goes along; one that is packaged or on the Hub is named, with what identifies its
    weights, and comes from there again.
    """
    config, documents, vectors = folder / "config.yaml", folder / "documents.jsonl", folder / "vectors.npz"
    own = {section: Path(cfg[section].model) for section in FOLDERS if Path(cfg[section].model).is_dir()}
    reranker = stages.reranker(cfg)
    weights = {"embedding": stages.embedder(cfg).revision, **({"reranker": reranker.revision} if reranker else {})}
    revisions = {section: revision for section, revision in weights.items() if section not in own}
    resolved = OmegaConf.to_container(cfg, resolve=True)
    assert isinstance(resolved, dict)
    OmegaConf.save(OmegaConf.create({**resolved, "revisions": revisions}), config)
    write_snapshot(stages.corpus(cfg).documents.values(), documents)
    _write_vectors(cfg, vectors)
    question = stages.golden(cfg).questions[0]
    return Packed(
        code=CODE,
        packages=[ROOT / name for name in PACKAGES],
        artifacts={"config": config, "documents": documents, "vectors": vectors, **own},
        requirements=pins(cfg),
        settings={"corpus_path": ""},
        asked=[{"question": question.question, "groups": list(question.groups)}],
    )


def unpack_vectors(path: str, cache: Cache) -> None:
    """Put the vectors that `pack` wrote into a cache."""
    with np.load(path, allow_pickle=False) as packed:
        cache.put_many({key: row.tobytes() for key, row in zip(packed["keys"].tolist(), packed["rows"], strict=True)})


def _write_vectors(cfg: DictConfig, file: Path) -> None:
    """Vectors of all passages, and of the questions that the threshold is found with, by their keys in the cache."""
    from rag.answering import background_questions

    embedder = stages.cached_embedder(cfg)
    passages, background = [chunk.ranked_text for chunk in stages.chunks(cfg)], background_questions()
    rows = np.concatenate([stages.passage_vectors(cfg), embedder.embed_queries(background)])
    keys = [*embedder.keys("passage", passages), *embedder.keys("query", background)]
    np.savez(file, keys=np.array(keys), rows=rows.astype("<f4"))


def served(cfg: DictConfig, artifacts: dict[str, Any], corpus_path: str | None) -> DictConfig:
    """The configuration of a model that was packed, with its own files in the place of those that it was made from.

    `corpus_path`: documents to read instead of its own. The index is in this process: one on a server or in a folder
    belongs to whoever sweeps.
    """
    changes: dict[str, Any] = {section: {"model": artifacts[section]} for section in FOLDERS if section in artifacts}
    if corpus_path:
        changes["corpus"] = {"path": corpus_path}
    merged = OmegaConf.merge(cfg, changes)
    assert isinstance(merged, DictConfig)
    merged.index = {"_target_": "rag.index.edge"}
    if not corpus_path:
        merged.corpus = {"_target_": "rag.corpus.snapshot.load_snapshot", "path": artifacts["documents"]}
    return merged


def check_weights(cfg: DictConfig) -> Sequence[str]:
    """Sections whose weights are not those that were promoted."""
    made = {"embedding": stages.embedder, "reranker": stages.reranker}
    return [section for section, revision in cfg.revisions.items() if made[str(section)](cfg).revision != revision]
