"""Runs that were measured on different data or by different judges are never ranked together."""

from pipelines.comparable import comparable, warning
from pipelines.tracking import Run


def run(name: str, golden: str, corpus: str, judge: str = "deterministic-2(words=0.25)") -> Run:
    return Run(name, name, "FINISHED", {}, {}, {"golden_hash": golden, "corpus_hash": corpus, "judge": judge})


def test_equal_hashes_are_one_group_without_a_warning() -> None:
    runs = [run("a", "g", "c"), run("b", "g", "c")]
    assert comparable(runs) == [runs]
    assert warning(comparable(runs)) == ""
    assert warning(comparable([])) == ""


def test_another_golden_set_or_corpus_is_another_group() -> None:
    a, b, c, d = run("a", "g1", "c"), run("b", "g2", "c"), run("c", "g1", "c"), run("d", "g2", "c2")
    assert comparable([a, b, c, d]) == [[a, c], [b], [d]]
    said = warning(comparable([a, b, c, d]))
    assert said.startswith("WARNING: not ranked together")
    assert said.endswith("golden set g1 / g2 / g2, corpus c / c / c2")


def test_another_model_prompt_or_language_of_the_judge_is_another_group() -> None:
    german, english = (f"llm-1(model=m, prompt=1, language={language})" for language in ("de", "en"))
    groups = comparable([run("a", "g", "c", german), run("b", "g", "c", english), run("c", "g", "c", german)])
    assert [len(group) for group in groups] == [2, 1]
    assert warning(groups).endswith(f"measured differently: judge {german} / {english}")


def test_only_what_differs_is_named() -> None:
    assert "corpus" not in warning(comparable([run("a", "g1", "c"), run("b", "g2", "c")]))
    assert "golden set" not in warning(comparable([run("a", "g", "c1"), run("b", "g", "c2")]))


def test_a_run_without_hashes_is_comparable_with_none_that_has_them() -> None:
    bare = Run("x", "x", "FINISHED", {}, {}, {})
    assert len(comparable([bare, run("a", "g", "c")])) == 2
    assert "golden set unknown / g" in warning(comparable([bare, run("a", "g", "c")]))
