"""A double: an HTTP server on loopback that speaks the OpenAI chat protocol and replies as a script says."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """What to send. `raw`: a body that is no chat completion."""

    content: str | None = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish: str = "stop"
    refusal: str | None = None
    raw: bytes | None = None
    cut: bool = False  # promise more bytes than are sent
    seconds: float = 0.0

    def body(self) -> bytes:
        if self.raw is not None:
            return self.raw
        message = {"role": "assistant", "content": self.content, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        whole = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
        return json.dumps(whole).encode()


@dataclass
class Server:
    url: str
    requests: list[dict[str, Any]]
    keys: list[str]


@contextmanager
def scripted(script: Callable[[dict[str, Any], int], Reply]) -> Iterator[Server]:
    """`script` gets each request's JSON and how many came before it."""
    requests: list[dict[str, Any]] = []
    keys: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            keys.append(self.headers["Authorization"])
            requests.append(request)
            reply = script(request, len(requests) - 1)
            time.sleep(reply.seconds)
            body = reply.body()
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body) + (100 if reply.cut else 0)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None: ...  # the client hangs up in some tests

    server = Quiet(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_port}/v1", requests, keys)
    finally:
        server.shutdown()
        server.server_close()
