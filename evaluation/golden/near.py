"""Questions that ask nearly the same."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz, process, utils

from evaluation.records import Question

SIMILAR = 90.0


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Two question ids; similarity 100 means the same words in any order."""

    first: str
    second: str
    similarity: float


def near_duplicates(questions: Iterable[Question]) -> tuple[NearDuplicate, ...]:
    """Pairs asked by the same groups whose rapidfuzz `token_sort_ratio` is at least 90, most similar first."""
    asked = defaultdict(list)
    for question in questions:
        asked[frozenset(question.groups)].append(question)
    pairs = []
    for same_groups in asked.values():
        texts = [utils.default_process(question.question) for question in same_groups]
        for at, text in enumerate(texts):
            matches = process.extract(
                text, texts[at + 1 :], scorer=fuzz.token_sort_ratio, score_cutoff=SIMILAR, limit=None
            )
            pairs += [NearDuplicate(same_groups[at].id, same_groups[at + 1 + i].id, s) for _, s, i in matches]
    return tuple(sorted(pairs, key=lambda pair: -pair.similarity))
