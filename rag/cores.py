"""What the processor gives this process."""

import os
from pathlib import Path

CPU_MAX = Path("/sys/fs/cgroup/cpu.max")
CPUINFO = Path("/proc/cpuinfo")


def available_cores(cpu_max: Path = CPU_MAX) -> int:
    """The process's affinity, cut by the container's quota (cgroup v2: `<microseconds|max> <period>`), at least 1.

    OMP_NUM_THREADS cuts it too: whoever starts several workers on a machine (joblib, Ray) sets it for each of them.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if (threads := os.environ.get("OMP_NUM_THREADS", "")).isdecimal():
        cores = min(cores, int(threads))
    if cpu_max.is_file():
        quota, period = cpu_max.read_text().split()
        if quota != "max":
            cores = min(cores, round(int(quota) / int(period)))
    return max(1, cores)


def fast_bfloat16(cpuinfo: Path = CPUINFO) -> bool:
    """Whether the processor multiplies bfloat16 in hardware; elsewhere it is slower than float32."""
    return cpuinfo.is_file() and not {"amx_bf16", "avx512_bf16"}.isdisjoint(cpuinfo.read_text().split())
