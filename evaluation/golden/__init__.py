"""The golden set: read from any common format, versioned, locked and checked."""

from evaluation.golden.collect import GoldenSet
from evaluation.golden.reading import load, try_load
from evaluation.golden.version import golden_hash

__all__ = ["GoldenSet", "golden_hash", "load", "try_load"]
