"""Approximate search: a graph of neighbours (HNSW) instead of every passage."""

from typing import NamedTuple

from rag.errors import InputError

MOST = 100_000


class Graph(NamedTuple):
    """Malkov, Yashunin (2018), Efficient and robust approximate nearest neighbor search using HNSW graphs.

    `m`: edges a node; `ef_construct`: candidates looked at while building, `ef`: while searching.
    """

    m: int
    ef_construct: int
    ef: int


def graph(exact: bool, hnsw_m: int, ef_construct: int, hnsw_ef: int) -> Graph | None:
    """None for exact search. Raises InputError for what Qdrant would refuse once everything is embedded."""
    for name, value, least in (("hnsw_m", hnsw_m, 2), ("ef_construct", ef_construct, 4), ("hnsw_ef", hnsw_ef, 1)):
        if not least <= value <= MOST:
            raise InputError(f"index.{name}={value}: must be {least} to {MOST}")
    return None if exact else Graph(hnsw_m, ef_construct, hnsw_ef)
