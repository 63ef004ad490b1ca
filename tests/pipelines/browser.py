"""The MLflow UI of the store in the current folder, in headless Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"
PATIENCE = 180  # seconds for a page: the server reads a cold store on a machine that may be busy


@contextmanager
def server(log: Path) -> Iterator[str]:
    """The address of an MLflow server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "ui", "--workers", "1", "--port", str(port)]
    command += ["--backend-store-uri", f"sqlite:///{Path.cwd() / 'mlflow.db'}"]
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output, env=environment) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(f"{address}/health", process, log)
            yield address
        finally:
            process.terminate()


def _wait(url: str, process: subprocess.Popen, log: Path) -> None:
    for _ in range(PATIENCE):
        assert process.poll() is None, log.read_text()
        try:
            with urlopen(url):
                return
        except OSError:
            time.sleep(1)
    raise TimeoutError(log.read_text())


@contextmanager
def page() -> Iterator[Any]:
    """A page of Debian's chromium. MESSLATTE_CHROMIUM: where another one is."""
    from playwright.sync_api import sync_playwright

    browser = os.environ.get("MESSLATTE_CHROMIUM") or shutil.which("chromium")
    assert browser, "chromium is not there: apt-get install chromium"
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=FLAGS.split())
        page = opened.new_page(viewport={"width": 2300, "height": 950})
        page.set_default_timeout(PATIENCE * 1000)
        yield page
        opened.close()


def shoot(page: Any, name: str) -> None:
    """A picture for the docs, if MESSLATTE_SCREENSHOTS names a folder."""
    if folder := os.environ.get("MESSLATTE_SCREENSHOTS"):
        for assistant in page.locator("button[aria-label='Close']").all()[-1:]:
            assistant.click()  # it opens by itself and covers the page
        page.wait_for_timeout(2000)  # charts grow into their place
        page.screenshot(path=Path(folder, f"{name}.png"))
