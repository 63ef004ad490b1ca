"""Every point is known before anything runs, and is what Hydra composes; what does not fit is one line."""

import pytest
from hydra import compose, initialize_config_dir
from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf, read_write
from omegaconf.errors import ReadonlyConfigError
from tiny import point, python

from pipelines.config import CONF, axes, make, points
from rag.errors import InputError

GROUPS = sorted(folder.name for folder in CONF.iterdir() if folder.is_dir() and folder.name != "hydra")


@pytest.mark.parametrize(
    ("override", "parts"),
    [
        ("chunking.siz=4", ["'chunking.siz'", "did you mean chunking.size?", "valid: chunking.size, chunking.overlap"]),
        ("chunkin.size=4", ["did you mean chunking.size?", "retrieval"]),
        ("xyz=4", ["override of 'xyz': there is no such key", "valid: corpus, golden"]),
        ("chunking.size.x=1", ["chunking.size holds a value"]),
        ("chunking=foo", ["chunking=foo", "one of fixed, recursive, structure"]),
        ("reranker=none,foo", ["reranker=foo", "one of bge-m3, cross-encoder, mmarco, none"]),
        ("chunking=4", ["'chunking=4'", "one of fixed, recursive, structure"]),
        ("chunking=fixed,4", ["'chunking=4'", "one of fixed, recursive, structure"]),
        ("reranker=null", ["one of bge-m3, cross-encoder, mmarco, none"]),
        ("experiment=null", ["one of benchmark, default, none, retrieval"]),
        ("chunking.size=viel", ["chunking.size must be a whole number, as in chunking.size=256"]),
        ("chunking.size=128,viel", ["'chunking.size=viel'", "whole number"]),
        ("chunking.size=1.5", ["whole number"]),
        ("chunking.size=null", ["whole number"]),
        ("chunking.size=", ["whole number"]),
        ("chunking.size=true", ["whole number"]),
        ("retrieval.dense_weight=viel", ["must be a number"]),
        ("retrieval.dense_weight=true", ["must be a number"]),
        ("lexical.compounds=3", ["must be true or false"]),
        ("measures.ks=3", ["measures.ks must be a list, as in measures.ks=[1, 3, 5, 8, 10]"]),
        ("measures.ks=a,b", ["must be a list"]),
        ("retrieval.dense_weight=nan", ["must be a number"]),
        ("generator.rank_weight=inf", ["must be a number"]),
        ("embedding.model=3", ["embedding.model must be text", "quote"]),
        ("embedding.query_prefix=null", ["must be text"]),
        ("tracking.ledger=[a]", ["must be text"]),
        ("tracking.experiment=true", ["must be text"]),
        ("corpus.path={a: 1}", ["must be text"]),
        ("corpus.path=${gibtesnicht}", ["corpus.path: Interpolation key 'gibtesnicht' not found"]),
        ("corpus.path=${project:3}", ["corpus.path: "]),
        ("measures=3", ["'measures' is a section"]),
        ("chunking.size", ["'chunking.size' cannot be read", "key=value"]),
        ("=3", ["'=3' cannot be read"]),
        ("chunking.size=[1", ["'chunking.size=[1' cannot be read"]),
        ("corpus.path=a=b", ["cannot be read", "quote it"]),
        ("chunking.size=glob(*)", ["lists its values"]),
        ("chunking.size=interval(1,9)", ["lists its values"]),
        ("+neu=1", ["'neu'", "not added"]),
        ("+api_key=sk-geheim", ["'api_key'", "not added"]),
        ("~chunking=structure", ["taken away"]),
        ("hydra/launcher=foo", ["hydra/launcher=foo", "basic"]),
    ],
)
@pytest.mark.parametrize("config_name", ["sweep", "config"])
def test_an_override_that_does_not_fit_is_one_line_with_the_choices(
    config_name: str, override: str, parts: list[str]
) -> None:
    with pytest.raises(InputError) as raised:
        points(config_name, [override])
    message = str(raised.value)
    assert "\n" not in message
    assert [part for part in parts if part not in message] == []


@pytest.mark.parametrize("group", GROUPS)
def test_a_wrong_choice_of_any_group_names_its_files(group: str) -> None:
    with pytest.raises(InputError) as raised:
        points("config", [f"{group}=gibtesnicht"])
    assert [file.stem for file in (CONF / group).glob("*.yaml") if file.stem not in str(raised.value)] == []


def test_the_default_sweep_spans_32_points_the_last_axis_fastest() -> None:
    expected = [
        (size, overlap, embedding, reranker, top_k)
        for size in (256, 512)
        for overlap in (0, 32)
        for embedding in ("e5-small", "minilm")
        for reranker in ("none", "reranker-de")
        for top_k in (4, 8)
    ]
    assert len(expected) == 32
    assert [
        (c.chunking.size, c.chunking.overlap, c.embedding.model, c.reranker.model, c.retrieval.top_k)
        for c in points("sweep", [])
    ] == expected


def test_the_command_line_replaces_an_axis_in_its_place_and_adds_new_ones_at_the_end() -> None:
    spanned = points("sweep", ["chunking.size=64", "chunking.overlap=0", "reranker=none", "retrieval.depth=20,30"])
    assert [(c.embedding.model, c.retrieval.top_k, c.retrieval.depth) for c in spanned] == [
        (model, top_k, depth) for model in ("e5-small", "minilm") for top_k in (4, 8) for depth in (20, 30)
    ]
    assert {(c.chunking.size, c.chunking.overlap, c.reranker.model) for c in spanned} == {(64, 0, "none")}


def test_an_experiment_brings_its_own_axes() -> None:
    spanned = points("sweep", ["experiment=retrieval"])
    assert len(spanned) == 3 * 2 * 2 * 2
    assert {c.reranker._target_ for c in spanned} == {None}
    weights = [(c.retrieval.dense_weight, c.retrieval.bm25_weight) for c in spanned]
    assert list(dict.fromkeys(weights)) == [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
    assert len({OmegaConf.to_yaml(c.lexical) for c in spanned}) == 8


def test_without_an_experiment_only_own_axes_are_swept() -> None:
    overrides = ["experiment=none", "chunking.size=64,128"]
    assert axes("sweep", overrides) == ["chunking.size=64,128"]
    assert [c.chunking.size for c in points("sweep", overrides)] == [64, 128]
    assert axes("sweep", ["embedding=minilm", "retrieval.top_k=3,4"]) == [
        "chunking.size=256,512",
        "chunking.overlap=0,32",
        "reranker=none,cross-encoder",
        "retrieval.top_k=3,4",
    ]


@pytest.mark.parametrize("text", ["range(1,1e400)", "range(1,5,0)", "range(0,1,1e-9)", "range(1,1000000000)"])
def test_a_range_without_end_is_refused_at_once(text: str) -> None:
    with pytest.raises(InputError, match=r"^override 'retrieval\.top_k=range"):
        points("sweep", [f"retrieval.top_k={text}"])


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("chunkin.size=128", "did you mean chunking.size?"),
        ("retrival.topk=3", "did you mean retrieval.top_k?"),
        ("embedding=e5-smal", "embedding=e5-smal: must be one of bge-m3, e5-small, fastembed, minilm"),
        ("embedding=e5-smal", "; did you mean e5-small?"),
    ],
)
def test_a_mistyped_key_or_choice_gets_the_closest(override: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        points("config", [override])
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_one_configuration_has_no_axes() -> None:
    assert len(points("config", [])) == 1


ONE = ("chunking.overlap=0", "embedding=minilm", "reranker=none", "retrieval.top_k=4")


SPANNING = [
    ["embedding=minilm", "chunking.overlap=0"],
    [*ONE, "chunking=fixed,structure"],
    [*ONE, "retrieval.top_k=3", "retrieval=dense", "chunking.size=64", "chunking=recursive", "reranker.depth=5"],
    [*ONE, "chunking.overlap=range(0,33,32)", "chunking.size=128,128"],
    [*ONE, "corpus=squad", "corpus.path='mit Leerzeichen/ä.json'", "golden=squad", 'golden.path="a,b.json"'],
    [*ONE, "chunking.size=64", "measures.ks=[1,2],[3]", "decline.below=null,0.5", "retrieval.dense_weight=2"],
    [*ONE, "embedding.model=${embedding.query_prefix}x", "embedding.query_prefix='frage: '", "chunking.size=64"],
    [*ONE, "+golden.split=dev", "+chunking.neu={a: 1}", "embedding=bge-m3", "reranker.model=a/b"],
    [*ONE, "embedding.passage_prefix=''", "embedding.passage_prefix='text: '", "chunking.size=64"],
]
SWEEPING = ["experiment=retrieval", "lexical.compounds=true", "lexical.stop_words=false"]


@pytest.mark.parametrize(
    ("config_name", "overrides"),
    [("sweep", SWEEPING), *((name, overrides) for name in ("sweep", "config") for overrides in SPANNING)],
)
def test_points_are_what_hydra_composes(config_name: str, overrides: list[str]) -> None:
    """Hydra's own sweeper spans the axes and Hydra composes every point; ours is faster and must not differ."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        choices = [text for text in overrides if text.startswith("experiment=")]
        hydra = compose(config_name, overrides=choices, return_hydra_config=True).hydra
        axes = hydra.sweeper.params if config_name == "sweep" else {}
        both = OverridesParser.create().parse_overrides([*(f"{k}={v}" for k, v in axes.items()), *overrides])
        (spanned,) = BasicSweeper.split_arguments(both, max_batch_size=None)
        expected = [compose(config_name, overrides=list(own)) for own in spanned]
    # Unresolved, in the order of the keys: interpolations must stay what they are.
    assert [OmegaConf.to_yaml(c) for c in points(config_name, overrides)] == [OmegaConf.to_yaml(c) for c in expected]


def test_no_point_shares_its_values_with_another() -> None:
    first, second = points("config", ["retrieval.top_k=4,8"])
    with read_write(first):
        first.chunking.size = 1
    assert second.chunking.size == point().chunking.size == 256


def test_a_point_cannot_be_changed_by_accident() -> None:
    (cfg,) = points("config", [])
    with pytest.raises(ReadonlyConfigError):
        cfg.chunking.size = 1


def test_an_experiment_is_a_sweep_and_one_at_a_time() -> None:
    with pytest.raises(InputError, match=r"^the experiment sweeps retrieval, .*python -m pipelines\.sweep$"):
        points("config", ["experiment=retrieval"])
    with pytest.raises(InputError, match=r"^experiment takes one file"):
        points("sweep", ["experiment=retrieval,default"])


@pytest.mark.parametrize("group", ["corpus", "golden"])
def test_a_value_that_must_be_given_is_asked_for(group: str) -> None:
    with pytest.raises(InputError, match=rf"^{group}\.path has no value; set it, as in {group}\.path=\.\.\.$"):
        points("config", [f"{group}=squad"])
    assert point(f"{group}=squad", f"{group}.path=x.json")[group].path == "x.json"


def test_what_a_part_says_of_its_settings_is_passed_on() -> None:
    with pytest.raises(InputError, match=r"^retrieval\.top_k=9 must lie between 1 and retrieval\.depth=5"):
        make(point("retrieval.top_k=9", "retrieval.depth=5").retrieval)
    with pytest.raises(InputError, match="neu") as raised:
        make(point("+chunking.neu=1").chunking)
    assert "\n" not in str(raised.value)


HEAVY = ("torch", "mlflow", "sentence_transformers", "transformers", "qdrant_client", "pandas", "matplotlib")


@pytest.mark.parametrize("command", ["sweep", "evaluate"])
@pytest.mark.parametrize("argument", ["--help", "chunking.siz=4", "chunking=foo"])
def test_help_and_config_errors_import_nothing_heavy(command: str, argument: str) -> None:
    ended = python(
        "-c",
        f"import sys; sys.argv[1:] = [{argument!r}]\n"
        f"from pipelines.command import run; from pipelines.{command} import {command}\n"
        f"try: run({command})\n"
        f"finally: print('imported', [name for name in {HEAVY} if name in sys.modules])",
    )
    assert "imported []" in ended.stdout
    if argument == "--help":
        assert ended.returncode == 0
        assert "retrieval.top_k" in ended.stdout
    else:
        assert ended.returncode == 2
        assert ended.stderr.startswith("error: ")
        assert ended.stderr.count("\n") == 1
