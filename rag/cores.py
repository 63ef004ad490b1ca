"""What the processor gives this process."""

import os
from collections.abc import Iterator
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")
CPUINFO = Path("/proc/cpuinfo")


def available_cores(cgroups: Path = CGROUPS, own: Path = OWN_CGROUP) -> int:
    """The process's affinity, cut by the quotas of its control group and of those above it, at least 1.

    OMP_NUM_THREADS cuts it too: whoever starts several workers on a machine (joblib, Ray) sets it for each of them.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if (threads := os.environ.get("OMP_NUM_THREADS", "")).isdecimal():
        cores = min(cores, int(threads))
    return max(1, min([cores, *(round(quota) for quota in _quotas(cgroups, own))]))


def _quotas(cgroups: Path, own: Path) -> Iterator[float]:
    """Cores by quota, of version 2 (`cpu.max`) and 1 (`cpu.cfs_quota_us`); docs.kernel.org/admin-guide/cgroup-v2.html.

    In a container the group may be named as on the host, where only its top is to be seen: names not there are skipped.
    """
    for line in own.read_text().splitlines() if own.is_file() else ():
        _, controllers, name = line.split(":", 2)
        top = cgroups / controllers
        group = top / name.lstrip("/")
        for folder in (group, *group.parents):
            if (file := folder / "cpu.max").is_file():
                quota, period = file.read_text().split()
            elif (file := folder / "cpu.cfs_quota_us").is_file():
                quota, period = file.read_text(), (folder / "cpu.cfs_period_us").read_text()
            else:
                quota, period = "max", ""
            if quota.strip() not in ("max", "-1"):
                yield int(quota) / int(period)
            if folder == top:
                break


def fast_bfloat16(cpuinfo: Path = CPUINFO) -> bool:
    """Whether the processor multiplies bfloat16 in hardware; elsewhere it is slower than float32."""
    return cpuinfo.is_file() and not {"amx_bf16", "avx512_bf16"}.isdisjoint(cpuinfo.read_text().split())
