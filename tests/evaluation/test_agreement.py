from math import sqrt

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from evaluation.agreement import Z95, agreement
from rag.errors import InputError

LABELS = ("correct", "partly", "wrong")


def test_by_hand() -> None:
    # yes/yes 20, yes/no 5, no/yes 10, no/no 15: observed 35/50, chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5, kappa 0.2 / 0.5
    people = ["yes"] * 25 + ["no"] * 25
    judge = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found = agreement(people, judge, ("yes", "no"))
    assert (found.n, found.table) == (50, ((20, 5), (10, 15)))
    assert (found.observed, found.kappa) == pytest.approx((0.7, 0.4))
    # eq. 13 term by term: rows 0.5 0.5, columns 0.6 0.4, 1 - kappa = 0.6
    equal = 0.4 * (1 - 1.1 * 0.6) ** 2 + 0.3 * (1 - 0.9 * 0.6) ** 2
    unequal = 0.36 * (0.1 * (0.6 + 0.5) ** 2 + 0.2 * (0.4 + 0.5) ** 2)
    # cell (i, j) weighs column share of i plus row share of j: (yes, no) 0.6 + 0.5, (no, yes) 0.4 + 0.5
    error = sqrt((equal + unequal - (0.4 - 0.5 * 0.6) ** 2) / 0.25 / 50)
    assert (found.low, found.high) == pytest.approx((0.4 - Z95 * error, 0.4 + Z95 * error))


@pytest.mark.parametrize("seed", range(5))
def test_kappa_and_matrix_are_those_of_scikit_learn(seed: int) -> None:
    random = np.random.default_rng(seed)
    people = random.choice(LABELS, 60, p=(0.6, 0.1, 0.3)).tolist()
    judge = [own if random.random() < 0.7 else str(random.choice(LABELS)) for own in people]
    found = agreement(people, judge, LABELS)
    assert found.kappa == pytest.approx(cohen_kappa_score(people, judge, labels=LABELS))
    assert found.table == tuple(map(tuple, confusion_matrix(people, judge, labels=LABELS).tolist()))


def test_the_interval_holds_the_true_kappa_19_times_in_20() -> None:
    # An authority that knows no formula: draw samples of 200 from a known table, count how often its kappa is inside.
    share = np.array([[0.40, 0.06, 0.04], [0.05, 0.10, 0.05], [0.03, 0.02, 0.25]])
    chance = share.sum(axis=1) @ share.sum(axis=0)
    true = (np.trace(share) - chance) / (1 - chance)
    cells = [(own, other) for own in LABELS for other in LABELS]
    random, inside = np.random.default_rng(7), 0
    for counts in random.multinomial(200, share.ravel(), size=1000):
        drawn = [cell for cell, n in zip(cells, counts, strict=True) for _ in range(n)]
        found = agreement([own for own, _ in drawn], [other for _, other in drawn], LABELS)
        inside += found.low <= true <= found.high
    assert 930 <= inside <= 970  # 950 expected, standard deviation sqrt(1000 * 0.95 * 0.05) = 7


def test_full_agreement() -> None:
    found = agreement(LABELS, LABELS, LABELS)
    assert (found.observed, found.kappa, found.low, found.high) == pytest.approx((1, 1, 1, 1))


@pytest.mark.parametrize(
    ("people", "judge", "says"),
    [
        ([], [], "no answer was labelled"),
        (["wrong"] * 3, ["wrong"] * 3, "one and the same label"),
        (["richtig"], ["wrong"], "'richtig' are none of"),
    ],
)
def test_where_there_is_no_kappa(people: list[str], judge: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        agreement(people, judge, LABELS)
