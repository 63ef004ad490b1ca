"""python -m benchmarks.concurrency: 200 questions, 16 at once, an endpoint of 50 ms; time taken against the ideal.

The time is that of the call that answers all questions: prompts, requests, replies, cache writes. One question is asked
before it, so that libraries are loaded. `cpu`: seconds that this process worked. `served_in`: seconds that the endpoint
took for an answer; above 0.05 or with a load above the free cores, the ratio says more about the machine.
"""

import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from rag.answering import Chat
from rag.cache import Cache
from rag.chat import Endpoint
from rag.records import Chunk, Hit
from tests.scripted import says

QUESTIONS, AT_ONCE, LATENCY, LIMIT, RUNS = 200, 16, 0.05, 1.3, 5


def serve(parent: Connection) -> None:
    """In a process of its own and without threads, so that an answer takes the 50 ms and not much more."""
    body = says("Alle zwei Jahre [1].").body.encode()
    response = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body) + body
    served: list[float] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await _head(reader):
            (length,) = (line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-le"))
            await reader.readexactly(int(length))
            start = perf_counter()
            await asyncio.sleep(LATENCY)
            writer.write(response)
            served.append(perf_counter() - start)
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        parent.send(server.sockets[0].getsockname()[1])
        await asyncio.to_thread(parent.recv)
        parent.send(median(served))

    asyncio.run(run())


async def _head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:  # the client has closed the connection
        return b""


def main() -> int:
    passage = [Hit(Chunk("d", 0, 9, "Leitern werden alle zwei Jahre geprüft. " * 40, "d#s0"), 1, 1.0)] * 8
    here, there = multiprocessing.Pipe()
    multiprocessing.Process(target=serve, args=(there,), daemon=True).start()
    endpoint = Endpoint("scripted", f"http://127.0.0.1:{here.recv()}/v1", concurrency=AT_ONCE)
    taken, worked = [], []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            chat = Chat(endpoint, Cache(Path(folder, "cache.sqlite")))
            chat(["Aufwärmen"], [passage])
            start, cpu = perf_counter(), process_time()
            answers = chat([f"Frage {n}?" for n in range(QUESTIONS)], [passage] * QUESTIONS)
            taken.append(perf_counter() - start)
            worked.append(process_time() - cpu)
            assert all(answer.citations == (1,) for answer in answers)
    here.send("stop")
    ideal = ceil(QUESTIONS / AT_ONCE) * LATENCY
    ratio = median(taken) / ideal
    result = {
        "seconds": median(taken),
        "fastest": min(taken),
        "ideal": ideal,
        "ratio": ratio,
        "limit": LIMIT,
        "cpu": median(worked),
        "served_in": here.recv(),
        "load": os.getloadavg()[0],
    }
    print(json.dumps({name: round(value, 3) for name, value in result.items()}))
    return int(ratio > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
