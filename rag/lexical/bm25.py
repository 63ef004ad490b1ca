"""BM25 of all passages at once."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

import numpy as np
from rank_bm25 import BM25Okapi

if TYPE_CHECKING:
    from scipy import sparse


class _PositiveOkapi(BM25Okapi):
    """rank_bm25's Okapi with an inverse document frequency that never falls to zero or below.

    Robertson's log((N - n + 0.5) / (n + 0.5)) is negative for a term in most documents, and rank_bm25 then puts a share
    of the mean in its place, which on a tiny corpus is negative too. Lucene's form adds 1 inside the logarithm
    (https://lucene.apache.org, BM25Similarity).
    """

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {term: log(1 + (self.corpus_size - n + 0.5) / (n + 0.5)) for term, n in nd.items()}


def term_counts(texts: Sequence[Sequence[str]], vocabulary: Mapping[str, int]) -> "sparse.csr_array":
    """How often each text has each term of the vocabulary, shape (texts, terms)."""
    from scipy import sparse

    counted = [Counter(term for term in terms if term in vocabulary) for terms in texts]
    rows = [row for row, terms in enumerate(counted) for _ in terms]
    columns = [vocabulary[term] for terms in counted for term in terms]
    counts = [float(count) for terms in counted for count in terms.values()]
    return sparse.csr_array((counts, (rows, columns)), shape=(len(texts), len(vocabulary)))


class BM25:
    """BM25 (k1 = 1.5, b = 0.75) over tokenised passages: rank_bm25's statistics laid out as one sparse matrix.

    `frequencies`, shape (passages, terms): the part of the score that the passage decides, count * (k1 + 1) /
    (count + k1 * (1 - b + b * length / mean length)); times `idf`, shape (terms,), and summed over the question's terms
    it equals rank_bm25's `get_scores`, to rounding.
    """

    def __init__(self, passages: Iterable[Sequence[str]]) -> None:
        from scipy import sparse  # takes a quarter of a second, which commands that index nothing save

        fitted = _PositiveOkapi(list(terms) or [""] for terms in passages)
        self.vocabulary = {term: column for column, term in enumerate(fitted.idf)}
        self.idf = np.fromiter(fitted.idf.values(), float)
        columns, counts = array("i"), array("i")
        for own in fitted.doc_freqs:
            columns.extend(map(self.vocabulary.__getitem__, own))
            counts.extend(own.values())
        sizes = np.array([len(own) for own in fitted.doc_freqs])
        lengths = fitted.k1 * (1 - fitted.b + fitted.b * np.asarray(fitted.doc_len) / fitted.avgdl)
        count = np.asarray(counts, float)
        values = count * (fitted.k1 + 1) / (count + np.repeat(lengths, sizes))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        self.frequencies = sparse.csr_array((values, np.asarray(columns), starts), (len(sizes), len(self.vocabulary)))
        # By term, transposed once; rows of numpy's own index type, else it would convert them for every question.
        by_term = (self.frequencies @ sparse.diags_array(self.idf)).T.tocsr()
        self._starts, self._rows, self._weights = by_term.indptr, by_term.indices.astype(np.intp), by_term.data

    def scores(self, question: Sequence[str]) -> np.ndarray:
        """Shape (passages,). A passage that shares no term with the question scores exactly 0."""
        scores = np.zeros(self.frequencies.shape[0])
        for term, count in Counter(question).items():
            if (column := self.vocabulary.get(term)) is not None:
                own = slice(self._starts[column], self._starts[column + 1])
                scores[self._rows[own]] += count * self._weights[own]  # a passage stands once below a term
        return scores
