"""A receiver of spans for the tests that send some."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.observability import otlp_receiver


@dataclass(frozen=True)
class Receiver:
    """A receiver of OTLP in a process of its own, by HTTP and by gRPC."""

    file: Path
    http: int
    grpc: int

    def spans(self) -> list[dict[str, Any]]:
        """What it has received."""
        return [json.loads(line) for line in self.file.read_text().splitlines()]


@pytest.fixture
def otlp(tmp_path: Path) -> Iterator[Receiver]:
    file = tmp_path / "spans.jsonl"
    file.touch()
    with subprocess.Popen([sys.executable, otlp_receiver.__file__, file], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield Receiver(file, *map(int, process.stdout.readline().split()))
        process.terminate()
