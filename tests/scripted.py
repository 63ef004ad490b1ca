"""A double: a small HTTP server that speaks the chat completions protocol and answers as it is told."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Response:
    """What goes over the wire. `delay`: seconds before it; `cut`: bytes that are promised and never sent."""

    body: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: int = 0


@dataclass(frozen=True)
class Request:
    """What reached the server."""

    body: dict[str, Any]
    authorization: str

    @property
    def text(self) -> str:
        return self.body["messages"][-1]["content"]


def says(
    text: str | None, *, finish: str = "stop", usage: tuple[int, int] | None = (100, 10), **message: Any
) -> Response:
    """A completion whose message says `text`."""
    body: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
    }
    if usage:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Response(json.dumps(body))


Script = Callable[[Request], Response]


class Scripted(ThreadingHTTPServer):
    """`requests` in the order in which they came, `most_at_once` of them were being answered at the same time."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[Request] = []
        self.times: list[float] = []
        self.most_at_once = self._at_once = 0
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @contextmanager
    def serving(self, request: Request) -> Iterator[None]:
        with self._lock:
            self.requests.append(request)
            self.times.append(time.monotonic())
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone away is part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: Scripted

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        request = Request(body, self.headers.get("authorization", ""))
        with self.server.serving(request):
            response = self.server.script(request)
            time.sleep(response.delay)
        data = response.body.encode()
        self.send_response(response.status if self.path == "/v1/chat/completions" else 404)
        for name, value in {"content-type": "application/json", **response.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data) + response.cut))
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = response.cut > 0

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def scripted(script: Script) -> Iterator[Scripted]:
    """A server on a free port of the loopback interface."""
    with Scripted(script) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def in_turn(*responses: Response) -> Script:
    """The first request gets the first response, and so on; the last one is repeated."""
    left = list(responses)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]
