"""A configuration as a service, built by the stages that a sweep point goes through."""

from omegaconf import DictConfig

from pipelines import stages
from pipelines.config import assemble, make
from pipelines.memo import forget
from rag.service import Service


def service(cfg: DictConfig) -> Service:
    """Read the documents anew and build everything; the cache has what is known of them already.

    The index is in this process: one on a server or in a folder belongs to whoever sweeps.
    """
    from rag.index import edge

    forget()
    documents, chunks, vectors = stages.corpus(cfg).documents, stages.chunks(cfg), stages.passage_vectors(cfg)
    embedder = stages.embedder(cfg)
    return Service(
        documents=documents,
        embed_queries=embedder.embed_queries,
        vectors={chunk.id: vector for chunk, vector in zip(chunks, vectors, strict=True)},
        index=edge().build("served", chunks, vectors, documents),
        lexical=stages.lexical_index(cfg),
        retrieval=make(cfg.retrieval),
        reranker=stages.reranker(cfg),
        generator=assemble(
            cfg.generator,
            embed_queries=embedder.embed_queries,  # what people ask is not kept
            embed_passages=stages.cached_embedder(cfg).embed_passages,
            cache=stages.model_cache(),
        ),
        threshold=stages.threshold(cfg),
    )
