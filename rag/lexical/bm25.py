"""BM25 for all questions at once."""

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np
from rank_bm25 import BM25Okapi
from scipy import sparse


class _PositiveOkapi(BM25Okapi):
    """rank_bm25's Okapi with an inverse document frequency that never falls to zero or below.

    Robertson's log((N - n + 0.5) / (n + 0.5)) is negative for a term in most documents, and rank_bm25 then puts a share
    of the mean in its place, which on a tiny corpus is negative too. Lucene's form adds 1 inside the logarithm
    (https://lucene.apache.org, BM25Similarity).
    """

    def _calc_idf(self, nd: dict[str, int]) -> None:
        self.idf = {term: log(1 + (self.corpus_size - n + 0.5) / (n + 0.5)) for term, n in nd.items()}


class BM25:
    """BM25 (k1 = 1.5, b = 0.75) over tokenised passages: rank_bm25's statistics laid out as one sparse matrix.

    `scores` equals rank_bm25's `get_scores` for every question, to rounding.
    """

    def __init__(self, passages: Sequence[Sequence[str]]) -> None:
        fitted = _PositiveOkapi([list(terms) or [""] for terms in passages])
        self.vocabulary = {term: column for column, term in enumerate(fitted.idf)}
        lengths = fitted.k1 * (1 - fitted.b + fitted.b * np.asarray(fitted.doc_len) / fitted.avgdl)
        rows, columns, values = [], [], []
        for row, frequencies in enumerate(fitted.doc_freqs):
            for term, count in frequencies.items():
                rows.append(row)
                columns.append(self.vocabulary[term])
                values.append(fitted.idf[term] * count * (fitted.k1 + 1) / (count + lengths[row]))
        self.weights = sparse.csr_matrix((values, (rows, columns)), shape=(len(passages), len(self.vocabulary)))

    def scores(self, questions: Sequence[Sequence[str]]) -> np.ndarray:
        """Shape (questions, passages). A passage that shares no term with the question scores exactly 0."""
        counted = [Counter(term for term in terms if term in self.vocabulary) for terms in questions]
        rows = [row for row, terms in enumerate(counted) for _ in terms]
        columns = [self.vocabulary[term] for terms in counted for term in terms]
        counts = [float(count) for terms in counted for count in terms.values()]
        asked = sparse.csr_matrix((counts, (rows, columns)), shape=(len(questions), len(self.vocabulary)))
        return (asked @ self.weights.T).toarray()
