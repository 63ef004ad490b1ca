"""What the pattern of the means says, in the order in which a practitioner looks."""

GOOD_RECALL = 0.90  # what the gate asks for
GOOD_PRECISION = 0.10  # below: fewer than one chunk in ten, so most of the context is noise
GOOD_MRR = 0.50  # below: the first hit stands second or lower on average
GOOD_CORRECT = 0.80  # share of answerable questions labelled correct


def reading(*, recall: float, precision: float, mrr: float, correct: float) -> str:
    """One sentence on what to change first; recall and precision at the top k that the answers were made from."""
    if recall < GOOD_RECALL:
        return (
            f"Recall is low ({recall:.2f} < {GOOD_RECALL:.2f}): look at the chunking first, then at the embedding, "
            "then at whether queries and passages are embedded alike."
        )
    if precision < GOOD_PRECISION:
        return (
            f"Recall is high, precision low ({precision:.2f} < {GOOD_PRECISION:.2f}): add or tune a reranker, or lower "
            "top_k."
        )
    if mrr < GOOD_MRR:
        return (
            f"Recall and precision are good, MRR is low ({mrr:.2f} < {GOOD_MRR:.2f}): the passages are there but rank "
            "too low, so work on the ranking (fusion weights, reranker)."
        )
    if correct < GOOD_CORRECT:
        return (
            f"Retrieval is good, the answers are not ({correct:.0%} correct < {GOOD_CORRECT:.0%}): work on generation "
            "(prompt, generator, threshold for declining)."
        )
    return "Retrieval and answers are good: nothing in the means stands out; read the failed questions one by one."
