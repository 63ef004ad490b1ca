"""python -m benchmarks.concurrency: 200 questions, 16 at once, an endpoint of 50 ms; time taken against the ideal.

`cpu`: seconds that this process worked. On a machine that is busy otherwise the ratio says nothing.
"""

import json
import multiprocessing
import sys
import tempfile
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter, process_time

from rag.answering import Chat
from rag.cache import Cache
from rag.chat import Endpoint
from rag.records import Chunk, Hit
from tests.scripted import says, scripted

QUESTIONS, AT_ONCE, LATENCY, LIMIT = 200, 16, 0.05, 1.3


def serve(parent: Connection) -> None:
    """In a process of its own, so that the server's work is not counted as the client's."""
    from dataclasses import replace

    answer = replace(says("Alle zwei Jahre [1]."), delay=LATENCY)
    with scripted(lambda request: answer) as server:
        parent.send(server.url)
        parent.recv()
        parent.send(server.most_at_once)


def main() -> int:
    passage = [Hit(Chunk("d", 0, 9, "Leitern werden alle zwei Jahre geprüft. " * 40, "d#s0"), 1, 1.0)] * 8
    here, there = multiprocessing.Pipe()
    multiprocessing.Process(target=serve, args=(there,), daemon=True).start()
    url = here.recv()
    with tempfile.TemporaryDirectory() as folder:
        chat = Chat(Endpoint("scripted", url, concurrency=AT_ONCE), Cache(Path(folder, "cache.sqlite")))
        chat(["Aufwärmen"], [passage])
        start, worked = perf_counter(), process_time()
        answers = chat([f"Frage {n}?" for n in range(QUESTIONS)], [passage] * QUESTIONS)
        taken, cpu = perf_counter() - start, process_time() - worked
        assert all(answer.citations == (1,) for answer in answers)
    here.send("stop")
    ideal = ceil(QUESTIONS / AT_ONCE) * LATENCY
    result = {
        "seconds": taken,
        "ideal": ideal,
        "ratio": taken / ideal,
        "limit": LIMIT,
        "cpu": cpu,
        "most_at_once": here.recv(),
    }
    print(json.dumps({name: round(value, 3) for name, value in result.items()}))
    return int(result["ratio"] > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
