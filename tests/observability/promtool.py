"""Prometheus' own checker: the one of the system, or the one of Debian's package, unpacked beside other downloads."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from velostream.spark.jars import cache_folder


@cache
def promtool() -> Path:
    """The program; where there is none to be had, the test is skipped."""
    found = shutil.which("promtool")
    if found is not None:
        return Path(found)
    folder = cache_folder() / "promtool"
    program = folder / "usr" / "bin" / "promtool"
    if not program.exists():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            fetch = ["apt-get", "download", "prometheus"]
            subprocess.run(fetch, cwd=folder, check=True, capture_output=True, timeout=120)
            package = next(folder.glob("prometheus_*.deb"))
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True, capture_output=True, timeout=60)
        except (OSError, StopIteration, subprocess.SubprocessError):
            pytest.skip("promtool is not installed, and Debian's package prometheus cannot be fetched")
    return program


def checked(*arguments: str | Path, text: str | None = None) -> str:
    """What promtool says of something that is right."""
    answer = subprocess.run([promtool(), *arguments], input=text, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr
