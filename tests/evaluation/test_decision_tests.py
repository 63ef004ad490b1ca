"""McNemar, randomisation, Holm, max-T and the comparisons made of them."""

import numpy as np
import pytest
from scipy import stats

from evaluation.decisions.comparisons import compare_means, compare_shares
from evaluation.decisions.holm import holm
from evaluation.decisions.max_t import LEVEL, max_t, tied_set
from evaluation.decisions.paired import mcnemar, randomisation, worse


def test_mcnemar_by_hand() -> None:
    assert mcnemar(5, 0) == pytest.approx(2 * 1 / 2**5)
    assert mcnemar(1, 4) == pytest.approx(2 * (1 + 5) / 2**5)
    assert mcnemar(3, 3) == 1
    assert mcnemar(0, 0) == 1  # the same answers


def test_holm_by_hand() -> None:
    # sorted .01 .02 .03 .04 times 4 3 2 1: .04 .06 .06 .04, and none below the one before
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.7]) == pytest.approx([1, 1])


def test_random_signs_agree_with_scipy_and_with_mcnemar() -> None:
    gains = np.repeat([1.0, -1.0, 0.0], [14, 5, 60])
    exact = stats.permutation_test(
        (gains,), np.sum, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(3)
    )
    assert randomisation(gains) == pytest.approx(exact.pvalue, abs=0.007)
    assert randomisation(gains) == pytest.approx(mcnemar(14, 5), abs=0.005)
    assert worse(-gains) == pytest.approx(stats.binomtest(14, 19, alternative="greater").pvalue, abs=0.012)
    assert worse(gains) > 0.97


def test_sums_that_differ_by_rounding_are_ties() -> None:
    # all signs alike is the only way to reach the sum: 2 of 2^3, one-sided 1 of 2^3
    assert randomisation(np.array([0.1, 0.2, 0.3])) == pytest.approx(2 / 8, abs=0.01)
    assert worse(np.array([-0.1, -0.2, -0.3])) == pytest.approx(1 / 8, abs=0.01)


def test_one_run_needs_no_correction() -> None:
    gains = np.repeat([1.0, -1.0, 0.0], [14, 5, 60])
    expected = stats.binomtest(14, 19, alternative="greater").pvalue
    assert max_t(gains[None], np.zeros(79)).p_values == pytest.approx([expected], abs=0.01)


def test_copies_of_one_run_count_once_and_different_runs_all() -> None:
    rng = np.random.default_rng(4)
    baseline, copies = np.zeros(100), np.tile(rng.choice([1.0, 0.0, -1.0], 100, p=[0.3, 0.5, 0.2]), (20, 1))
    unlike = np.array([rng.permutation(copies[0]) for _ in range(20)])
    alone = max_t(copies[:1], baseline).p_values[0]
    assert max_t(copies, baseline).p_values == pytest.approx([alone] * 20)
    # 20 unrelated chances: 1 - (1 - p)^20
    assert max_t(unlike, baseline).p_values[0] == pytest.approx(1 - (1 - alone) ** 20, abs=0.05)


@pytest.mark.parametrize("n", [12, 30, 150])  # the fewer questions, the more ties
def test_the_margin_is_where_significance_begins(n: int) -> None:
    rng, significant = np.random.default_rng(5), 0
    for _ in range(30):
        baseline = (rng.random(n) < 0.5).astype(float)
        scores = (rng.random((40, n)) < np.linspace(0.5, 0.95, 40)[:, None]).astype(float)
        test = max_t(scores, baseline)
        assert ((test.differences > test.margins) == (test.p_values <= LEVEL)).all()
        significant += (test.p_values <= LEVEL).sum()
    assert 0 < significant < 30 * 40


def test_runs_that_hardly_lose_are_tied_with_the_best() -> None:
    best = np.repeat([1.0, 0.0], [80, 20])
    one_less, far_less = best.copy(), best.copy()
    one_less[0] = 0
    far_less[:20] = 0
    assert tied_set(np.array([one_less, best, far_less])).tolist() == [True, True, False]


def test_the_tied_set_holds_the_truly_best_in_95_percent() -> None:
    rng, held = np.random.default_rng(6), 0
    for _ in range(200):
        scores = rng.random((12, 80)) < np.linspace(0.6, 0.7, 12)[:, None]
        held += tied_set(scores.astype(float))[-1]
    assert held >= 186  # 190 expected at least, standard deviation 3


def test_comparisons_with_a_baseline() -> None:
    baseline = np.repeat([True, False], [10, 10])
    same, better = baseline, np.repeat([True, False], [18, 2])
    comparisons = compare_shares(np.array([same, better]), baseline)
    assert (comparisons[0].difference, comparisons[0].interval, comparisons[0].p_holm) == (0, (0, 0), 1)
    assert (comparisons[1].better, comparisons[1].worse) == (8, 0)
    assert comparisons[1].p_value == pytest.approx(2 / 2**8)
    assert comparisons[1].p_holm == pytest.approx(2 * 2 / 2**8)
    low, high = comparisons[1].interval
    assert 0 < low < 8 / 20 < high < 1
    means = compare_means(np.array([same, better]).astype(float), baseline.astype(float))
    assert [c.p_holm for c in means] == pytest.approx([c.p_holm for c in comparisons], abs=0.005)
