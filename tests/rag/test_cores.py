import os
import subprocess
import sys
from pathlib import Path

import pytest

from rag.cores import available_cores, fast_bfloat16

AFFINITY = len(os.sched_getaffinity(0))


@pytest.fixture(autouse=True)
def threads_are_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


def test_whoever_starts_several_workers_sets_their_threads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert available_cores(tmp_path, tmp_path / "no control groups here") == 1


@pytest.mark.parametrize(
    ("own", "files", "cores"),
    [
        ("0::/", {"cpu.max": "100000 100000"}, 1),
        ("0::/", {"cpu.max": "50000 100000"}, 1),
        ("0::/", {"cpu.max": "max 100000"}, AFFINITY),
        ("0::/", {"cpu.max": "99900000 100000"}, AFFINITY),
        ("0::/", {}, AFFINITY),
        ("0::/user.slice/a.service", {"user.slice/a.service/cpu.max": "100000 100000"}, 1),
        ("0::/user.slice/a.service", {"user.slice/cpu.max": "100000 100000"}, 1),
        ("0::/user.slice/a.service", {"user.slice/b.service/cpu.max": "100000 100000"}, AFFINITY),
        ("0::/docker/not-to-be-seen", {"cpu.max": "100000 100000"}, 1),
        ("0::/../a", {"cpu.max": "100000 100000"}, 1),
        (
            "5:memory:/\n4:cpu,cpuacct:/docker/abc",
            {"cpu,cpuacct/cpu.cfs_quota_us": "100000\n", "cpu,cpuacct/cpu.cfs_period_us": "100000\n"},
            1,
        ),
        (
            "4:cpu,cpuacct:/",
            {"cpu,cpuacct/cpu.cfs_quota_us": "-1\n", "cpu,cpuacct/cpu.cfs_period_us": "100000\n"},
            AFFINITY,
        ),
    ],
)
def test_the_quotas_of_the_control_groups_count(tmp_path: Path, own: str, files: dict[str, str], cores: int) -> None:
    (tmp_path / "own").write_text(own + "\n")
    for name, content in files.items():
        (tmp_path / "fs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "fs" / name).write_text(content)
    assert available_cores(tmp_path / "fs", tmp_path / "own") == cores


def test_the_affinity_counts(tmp_path: Path) -> None:
    program = "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
    program += "from rag.cores import available_cores; print(available_cores())"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "1\n"
    assert available_cores(tmp_path, tmp_path / "no control groups here") == AFFINITY


@pytest.mark.parametrize(
    ("flags", "fast"),
    [("fpu avx2", False), ("avx2 avx512f", False), ("avx512_bf16", True), ("amx_tile amx_bf16", True)],
)
def test_bfloat16_only_where_the_processor_multiplies_it(tmp_path: Path, flags: str, fast: bool) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor : 0\nflags\t\t: {flags}\n")
    assert fast_bfloat16(tmp_path / "cpuinfo") is fast
    assert not fast_bfloat16(tmp_path / "absent")
