"""A space is written as Hydra writes sweeps, and what makes no sense in it is one line before anything runs."""

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from tiny import MATERIAL, exit_code, workplace

from pipelines.config import points
from pipelines.search.planned import planned
from pipelines.search.settings import Settings
from pipelines.search.space import space
from pipelines.search.study import Study
from pipelines.sweep import sweep
from rag.errors import InputError

SEARCH = (*MATERIAL, "hydra/sweeper=optuna", "embedding=minilm", "reranker=none")


def test_numbers_are_in_order_and_choices_are_not() -> None:
    size, embedding = space(["chunking.size=512,64,128", "retrieval.top_k=4", "embedding=minilm,e5-small"]).axes
    assert size.values == ("64", "128", "512")
    assert [type(axis.distribution).__name__ for axis in (size, embedding)] == [
        "IntDistribution",
        "CategoricalDistribution",
    ]
    assert size.text(2) == "512"
    assert embedding.text(1) == "e5-small"


def test_what_is_no_axis_stays_and_the_last_word_counts() -> None:
    found = space(["chunking.size=64,128", "retrieval.top_k=2,4", "chunking.size=256", "lexical=plain"])
    assert found.keys == ["retrieval.top_k"]
    assert found.overrides({"retrieval.top_k": 1}) == ["chunking.size=256", "lexical=plain", "retrieval.top_k=4"]


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("chunking.size=range(64,257,64)", ["64", "128", "192", "256"]),
        ("chunking.size=choice(64,128)", ["64", "128"]),
        ("retrieval.dense_weight=range(0,1.1,0.5)", ["0.0", "0.5", "1.0"]),
        ("lexical.stemming=true,false", ["true", "false"]),
        ("decline.below=null,0.8", ["null", "0.8"]),
        ("retrieval.top_k=interval(1,8)", ["1", "8"]),
        ("retrieval.dense_weight=interval(0,1)", ["0.0", "1.0"]),  # a whole number is a number where one is wanted
        ("decline.below=interval(0.7,0.9)", ["0.7", "0.9"]),
    ],
)
def test_every_notation_of_a_sweep(override: str, expected: list[str]) -> None:
    (axis,) = space([override]).axes
    assert list(axis.values) == expected
    for value in axis.values:
        chosen = axis.chosen(value)
        assert chosen is not None
        assert axis.text(chosen) == value  # an earlier run is found again by what it was given
    OverridesParser.create().parse_overrides([f"{axis.key}={value}" for value in axis.values])


def test_a_number_between_the_ends_has_four_digits() -> None:
    (axis,) = space(["retrieval.dense_weight=interval(0,1)"]).axes
    assert axis.text(0.123456) == "0.1235"
    assert axis.text(1.0) == "1.0"
    assert axis.chosen("1.5") is axis.chosen("viel") is None


def test_a_logarithmic_axis() -> None:
    (axis,) = space(["retrieval.rrf_k=tag(log,interval(1,1000))"]).axes
    assert axis.distribution.log  # type: ignore[attr-defined]


def test_every_value_is_tried_before_the_search_begins() -> None:
    """An overlap of 64 needs chunks of 128: one combination is refused, and the value is not."""
    search = planned([*SEARCH, "chunking.size=64,128", "chunking.overlap=0,64", "retrieval.top_k=4,8"])
    assert search is not None
    probed = [(cfg.chunking.size, cfg.chunking.overlap) for cfg in search.probes]
    assert {size for size, _ in probed} == {64, 128}
    assert {overlap for _, overlap in probed} == {0, 64}
    assert search.name.startswith("search · 30 points · ")
    assert set(search.space.keys) == {"chunking.size", "chunking.overlap", "retrieval.top_k"}


def test_a_refused_combination_is_no_point_and_says_why() -> None:
    own = Settings(n_trials=4, n_jobs=1, seed=1, quality="correct", latency="latency_p50_ms", first_questions=None)
    study = Study(space([*MATERIAL, "embedding=minilm", "chunking.size=64,128", "chunking.overlap=0,64"]), own)
    proposed = {tuple(overrides[-2:]) for _ in range(4) for _, overrides in study.proposals()}
    sizes = [("64", "0"), ("128", "0"), ("128", "64")]
    assert proposed == {(f"chunking.size={size}", f"chunking.overlap={overlap}") for size, overlap in sizes}
    assert study.refused == ["chunking.overlap=64 must be smaller than chunking.size=64"]


def test_without_the_sweeper_it_is_a_grid() -> None:
    assert planned([*MATERIAL, "chunking.size=64,128"]) is None
    with pytest.raises(InputError, match="intervals need hydra/sweeper=optuna"):
        points("sweep", ["retrieval.dense_weight=interval(0,1)"])


@pytest.mark.parametrize(
    ("override", "reason"),
    [
        ("hydra.sweeper.n_trials=0", "hydra.sweeper.n_trials=0: must be a whole number of 1 or more"),
        ("hydra.sweeper.n_trials=viele", "hydra.sweeper.n_trials=viele: must be a whole number"),
        ("hydra.sweeper.n_jobs=0", "hydra.sweeper.n_jobs=0"),
        ("hydra.sweeper.first_questions=-1", "hydra.sweeper.first_questions=-1"),
        ("hydra.sweeper.quality=corect", "must be one of correct, recall_at_top_k, mrr"),
        ("hydra.sweeper.latency=latency", "must be one of latency_p50_ms, latency_p95_ms"),
        ("hydra.sweeper.trials=3", "trials"),
        ("+hydra.sweeper.trials=3", "hydra.sweeper.trials: no such key"),
        ("hydra.sweeper.seed=1,2", "Hydra's own settings are no axes"),
        ("chunking.size=64,viel", "chunking.size must be a whole number"),
        ("chunking.overlap=0,900", "chunking.overlap=900 must be smaller than chunking.size"),
        ("chunking.size=interval(0.5,9)", "chunking.size is a whole number, and so must both ends be"),
        ("chunking.size=interval(128,64)", "must rise"),
        ("retrieval.top_k=interval(1,1e400)", "an interval has two ends"),
        ("retrieval.dense_weight=interval(-inf,inf)", "an interval has two ends"),
        ("hydra.sweeper.seed=4294967296", "hydra.sweeper.seed=4294967296: must be a whole number of 0 to 4294967295"),
        ("retrieval.dense_weight=tag(log,interval(0,1))", "from above 0, to have a logarithm"),
        ("embedding=interval(0,1)", "only a number has an interval"),
        ("chunking.siz=interval(0,1)", "did you mean chunking.size"),
        ("chunking.size=range(64,64)", "no number in this range"),
        ("chunking=glob(*)", "an axis lists its values"),
        ("dry_run=true", "a search chooses its points as it goes"),
        ("embedding=minilm,foo", "embedding=foo: must be one of"),
        ("golden.path=fehlt.jsonl", "fehlt.jsonl"),
    ],
)
def test_bad_input_is_one_line(
    override: str, reason: str, tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    with workplace(tmp_path):  # type: ignore[arg-type]
        assert exit_code(sweep, [*SEARCH, "chunking.size=64,128", override]) == 2
        assert not list(tmp_path.iterdir())  # type: ignore[attr-defined]
    said = capsys.readouterr().err.strip()
    assert reason in said
    assert len(said.splitlines()) == 1
