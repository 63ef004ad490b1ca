"""Passages and their vectors in Qdrant, wherever it runs; whatever may not be read is filtered before ranking."""

from rag.index.client import Client, memory, path, server
from rag.index.edge import Edge, edge
from rag.index.location import Index, Location
from rag.index.points import collection_name, point_id

__all__ = [
    "Client",
    "Edge",
    "Index",
    "Location",
    "collection_name",
    "edge",
    "memory",
    "path",
    "point_id",
    "server",
]
