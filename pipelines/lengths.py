"""How long the texts are: what they cost a generator, and where a model's limit cuts them."""

from omegaconf import DictConfig

from pipelines import stages
from pipelines.memo import stage


@stage(*stages.CUT)
def context_tokens(cfg: DictConfig) -> dict[str, int]:
    """What each chunk costs in a generator's context, by chunk id, in tokens of the embedding model."""
    lengths = stages.embedder(cfg).tokenizer.lengths([chunk.ranked_text for chunk in stages.chunks(cfg)])
    return {chunk.id: length for chunk, length in zip(stages.chunks(cfg), lengths, strict=True)}


@stage(*stages.CUT)
def truncated_chunks(cfg: DictConfig) -> int:
    """Chunks that the embedding model reads only in part."""
    from rag.embedding.embedder import count_truncated

    return count_truncated(stages.embedder(cfg), [chunk.ranked_text for chunk in stages.chunks(cfg)])


@stage(*stages.RANKED)
def truncated_pairs(cfg: DictConfig) -> int:
    """Pairs of question and passage that the reranker reads only in part."""
    from rag.reranking import count_truncated

    model = stages.reranker(cfg)
    if model is None:
        return 0
    questions = [question.question for question in stages.golden(cfg).questions]
    return count_truncated(
        model, stages.rerank_pairs(questions, [found.fused for found in stages.candidates(cfg)], model.depth)
    )
