"""Before points run on workers: what several of them would embed is embedded once, into the cache that they share."""

import logging
from collections.abc import Sequence

from omegaconf import DictConfig

from pipelines import stages
from pipelines.memo import key_of
from pipelines.progress import bar, working
from rag.errors import InputError


def embed_once(points: Sequence[DictConfig], on_ray: bool) -> None:
    """Embed all distinct passages, questions and background questions; on a Ray cluster its workers do the passages.

    A model that fails is left to its points, which say so in their runs. Raises InputError if the workers' cache is
    another one.
    """
    cuts = {key_of(cfg, *stages.CUT, "golden"): cfg for cfg in points}
    models: dict[str, list[DictConfig]] = {}
    for cfg in cuts.values():
        models.setdefault(key_of(cfg, "corpus", "embedding"), []).append(cfg)
    for own in models.values():
        try:
            _embed(own, on_ray or stages.embeds_on_ray(own[0]))
        except InputError:
            raise
        except Exception as error:
            logging.warning("%s: nothing embedded in advance: %s", own[0].embedding.model, error)


def _embed(cuts: Sequence[DictConfig], on_ray: bool) -> None:
    """`cuts` share their embedding; texts that two ways to cut have in common are embedded once."""
    texts = list(dict.fromkeys(chunk.ranked_text for cfg in cuts for chunk in stages.chunks(cfg)))
    model = cuts[0].embedding.model
    with bar(sum(map(len, texts)), 1), working(f"embedding passages with {model}", texts, model) as progress:
        if on_ray:
            stages.embed_on_ray(cuts[0], texts, progress)
        else:
            stages.cached_embedder(cuts[0]).embed_passages(texts, progress)
    for cfg in cuts:
        stages.question_vectors(cfg)
        stages.threshold(cfg)
