import os
from pathlib import Path

import pytest

from rag.cores import available_cores, fast_bfloat16


@pytest.mark.parametrize(
    ("cpu_max", "cores"), [("100000 100000", 1), ("max 100000", None), ("50000 100000", 1), ("99900000 100000", None)]
)
def test_the_quota_of_the_container_counts(tmp_path: Path, cpu_max: str, cores: int | None) -> None:
    (tmp_path / "cpu.max").write_text(cpu_max)
    assert available_cores(tmp_path / "cpu.max") == (cores or len(os.sched_getaffinity(0)))


@pytest.mark.parametrize(
    ("flags", "fast"),
    [("fpu avx2", False), ("avx2 avx512f", False), ("avx512_bf16", True), ("amx_tile amx_bf16", True)],
)
def test_bfloat16_only_where_the_processor_multiplies_it(tmp_path: Path, flags: str, fast: bool) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor : 0\nflags\t\t: {flags}\n")
    assert fast_bfloat16(tmp_path / "cpuinfo") is fast
    assert not fast_bfloat16(tmp_path / "absent")
