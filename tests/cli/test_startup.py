"""Checking a file stays fast because it loads little: what only running needs must not be imported."""

import json
import subprocess
import sys

import pytest
from tests.project.modules import ROOT

HEAVY = ("pyspark", "py4j", "polars", "pyarrow", "pandas", "numpy", "rich", "datasketches", "google.protobuf")
RUNNING = (
    *("ssl", "urllib.request", "velostream.windows.operator", "velostream.spark.lower.stage"),
    *("velostream.formats.encoding.encoders", "velostream.formats.decoding.decoders", "velostream.sinks.writers.files"),
)
"""What only running needs of the library and of ourselves, and takes a part of the second that checking has."""
RUN = """
import json, sys
from velostream.cli.main import main
code = main(sys.argv[1:])
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.parametrize(
    "arguments", [("validate", "examples/trading/app.sql"), ("explain", "examples/trading/app.sql")]
)
def test_checking_and_explaining_load_nothing_heavy(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-c", RUN, *arguments]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    loaded = json.loads(answer.stderr.splitlines()[-1])
    assert "sqlglot" in loaded
    assert [name for name in (*HEAVY, *RUNNING) if name in loaded] == []


def test_help_does_not_even_load_the_parser() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", RUN, "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    loaded = json.loads(answer.stderr.splitlines()[-1])
    assert "click" in loaded
    assert [name for name in ("sqlglot", "yaml", *HEAVY) if name in loaded] == []
