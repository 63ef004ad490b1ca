"""How precise a golden set of n questions can be, before anything is measured."""

from math import sqrt

Z95 = 1.96


def margin_of_error(share: float, questions: int) -> float:
    """Half the width of the 95 % interval of a share p: 1.96 * sqrt(p * (1 - p) / n) (normal approximation)."""
    return Z95 * sqrt(share * (1 - share) / questions)


def detectable_difference(discordant: float, questions: int) -> float:
    """The smallest difference of two configurations' shares of right answers that is significant at 5 %.

    Both answer the same questions, so only those that they answer differently tell: with b and c questions that only
    one or only the other gets right, McNemar's z = (b - c) / sqrt(b + c) reaches 1.96 when the difference (b - c) / n
    is 1.96 * sqrt(d / n), d = (b + c) / n being the share of discordant questions (McNemar 1947). A result above d
    means that not even winning all of them would do.
    """
    return Z95 * sqrt(discordant / questions)
