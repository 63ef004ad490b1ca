from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from evaluation.records import Question
from evaluation.split import first_questions, split


def question(own: str, category: str = "c", answerable: bool = True) -> Question:
    return Question(own, "?", category=category, answerable=answerable)


def test_every_second_question_in_order_of_the_hash() -> None:
    # sha256 begins for a with ca97, for b with 3e23, for c with 2e7d, for d with 18ac: d, c, b, a
    tuning, held_out = split([question(own) for own in "abcd"])
    assert (tuning, held_out) == ([1, 3], [0, 2])


def test_unanswerable_questions_come_first_then_categories() -> None:
    asked = [question("1", "y"), question("2", "z"), question("3", "x"), question("4", "z", answerable=False)]
    assert split(asked) == ([0, 3], [1, 2])  # in order: 4, then 3, 1, 2 by category; every second: 4 and 1


QUESTIONS = st.lists(
    st.builds(question, st.text(max_size=4), st.sampled_from("abc"), st.booleans()), unique_by=lambda own: own.id
)


@given(QUESTIONS, st.randoms(use_true_random=False))
def test_the_same_halves_in_whatever_order_the_questions_come(asked: list[Question], random: object) -> None:
    tuning, held_out = split(asked)
    assert sorted([*tuning, *held_out]) == list(range(len(asked)))
    shuffled = asked.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert {shuffled[i].id for i in split(shuffled).tuning} == {asked[i].id for i in tuning}


@given(QUESTIONS)
def test_every_stratum_is_halved(asked: list[Question]) -> None:
    def counts(half: list[int], *names: str) -> Counter:
        return Counter(tuple(getattr(asked[i], name) for name in names) for i in half)

    for names in ((), ("answerable",), ("answerable", "category")):
        tuning, held_out = (counts(half, *names) for half in split(asked))
        assert all(abs(tuning[stratum] - held_out[stratum]) <= 1 for stratum in tuning | held_out)


def test_the_first_questions_hold_the_share_of_every_stratum() -> None:
    asked = [
        question(f"{category}{n}", category, answerable=category != "ohne")
        for category, size in (("fristen", 60), ("betraege", 30), ("ohne", 10))
        for n in range(size)
    ]
    chosen = [asked[i].category for i in first_questions(asked, 20)]
    # 20 of 100: 12 of 60, 6 of 30, 2 of 10
    assert [chosen.count(category) for category in ("fristen", "betraege", "ohne")] == [12, 6, 2]
    assert first_questions(asked, 100) == first_questions(asked, 101) == list(range(100))
