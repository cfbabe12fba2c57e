"""A server that speaks like S3, in a process and an environment of its own; skipped where it cannot be installed."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

PACKAGE = "moto[s3,server]==5.2.5"
"""Not among the project's own packages: it brings forty others, of other versions than ours."""
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "velostream" / "s3-server-5.2.5"


class ObjectStore:
    """The server, and how it is reached."""

    def __init__(self) -> None:
        program = _installed()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [str(program), "-H", "127.0.0.1", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._wait()

    def _wait(self) -> None:
        for _ in range(300):
            try:
                with urllib.request.urlopen(self.url):
                    return
            except OSError:
                time.sleep(0.1)
        pytest.skip("the server that speaks like S3 did not start")

    def settings(self, owner: str) -> str:
        """What a source or sink has to be told."""
        given = {"s3.endpoint": self.url, "s3.access.key": "k", "s3.secret.key": "s", "s3.path.style": "true"}
        return ", ".join(f"'{owner}.{name}' = '{value}'" for name, value in given.items())

    def bucket(self, name: str) -> None:
        """Makes an empty bucket."""
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/{name}", method="PUT")).close()

    def close(self) -> None:
        self.process.terminate()
        self.process.wait()


def _installed() -> Path:
    program = CACHE / "bin" / "moto_server"
    done = CACHE / ".complete"
    if not done.exists():
        made = subprocess.run([sys.executable, "-m", "venv", str(CACHE)], capture_output=True)
        pip = [str(CACHE / "bin" / "python"), "-m", "pip", "install", "--quiet", PACKAGE]
        if made.returncode or subprocess.run(pip, capture_output=True).returncode:
            pytest.skip("the server that speaks like S3 (moto) cannot be installed here")
        done.touch()
    return program
