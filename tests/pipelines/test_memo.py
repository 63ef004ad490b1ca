import gc

import pytest
from omegaconf import DictConfig, OmegaConf

from pipelines import memo
from pipelines.memo import KEEP, settings, stage


def config(size: int = 1, top_k: int = 8, target: str | None = "part", depth: int = 30) -> DictConfig:
    return OmegaConf.create(
        {
            "chunking": {"size": size},
            "retrieval": {"top_k": top_k, "rrf_k": 60},
            "reranker": {"_target_": target, "depth": depth},
        }
    )


class Counted:
    def __init__(self, *sections: str) -> None:
        self.calls = 0
        self.stage = stage(*sections)(self.compute)

    def compute(self, cfg: DictConfig) -> int:
        self.calls += 1
        return int(cfg.chunking.size)


def test_equal_sections_are_computed_once_whatever_else_differs() -> None:
    counted = Counted("chunking")
    assert [counted.stage(config(1, top_k=k)) for k in (4, 8)] == [1, 1]
    assert counted.calls == 1
    assert counted.stage(config(2)) == 2
    assert counted.calls == 2


def test_a_read_only_configuration_is_read_once_and_forgotten_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    monkeypatch.setattr(memo, "_resolved", lambda cfg, section: reads.append(section) or cfg[section].size)
    cfg = config(3)
    OmegaConf.set_readonly(cfg, True)
    assert [memo.key_of(cfg, "chunking") for _ in range(3)] == ["[3]"] * 3
    assert [settings(cfg, "chunking") for _ in range(3)] == [3] * 3
    assert reads == ["chunking"]
    own = id(cfg)
    assert own in memo._read
    del cfg
    gc.collect()  # also frees what other tests left: only this one's key is looked at
    assert own not in memo._read


def test_only_the_latest_results_are_kept() -> None:
    counted = Counted("chunking")
    for size in range(KEEP):
        counted.stage(config(size))
    counted.stage(config(0))  # used again: the latest now, so that size 1 is the oldest
    counted.stage(config(KEEP))
    assert counted.calls == KEEP + 1
    counted.stage(config(0))
    assert counted.calls == KEEP + 1
    counted.stage(config(1))
    assert counted.calls == KEEP + 2


def test_a_key_can_be_left_out_of_a_section() -> None:
    counted = Counted("retrieval-top_k")
    counted.stage(config(top_k=4))
    counted.stage(config(top_k=8))
    assert counted.calls == 1
    assert settings(config(), "retrieval-top_k") == {"rrf_k": 60}
    assert settings(config(), "retrieval") == {"top_k": 8, "rrf_k": 60}
    assert settings(config(), "retrieval-top_k-rrf_k") == {}


def test_a_single_key_can_decide() -> None:
    counted = Counted("retrieval.rrf_k")
    counted.stage(config(top_k=4))
    counted.stage(config(top_k=8))
    assert counted.calls == 1
    assert settings(config(), "retrieval.rrf_k") == 60


def test_of_a_part_that_is_switched_off_nothing_matters() -> None:
    counted = Counted("reranker")
    for depth in (10, 20):
        counted.stage(config(target=None, depth=depth))
    assert counted.calls == 1
    for depth in (10, 20):
        counted.stage(config(target="part", depth=depth))
    assert counted.calls == 3


def test_two_stages_never_share_results() -> None:
    first, second = Counted("chunking"), Counted("chunking")
    first.stage(config())
    second.stage(config())
    assert (first.calls, second.calls) == (1, 1)
