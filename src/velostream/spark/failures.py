"""Errors of Spark and its Python workers as ours: one line that names the thing, never a stack trace of Java."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from velostream.errors import VeloError

_OURS = re.compile(r"velostream\.errors\.\w+: (.+)")
_PYTHON = re.compile(r"^(\w[\w.]*(?:Error|Exception)): (.+)$", re.MULTILINE)


@contextmanager
def translated() -> Iterator[None]:
    """Turns what Spark raises inside into a VeloError; `--debug` shows the whole of it."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise translate(error) from error


def translate(error: Exception) -> VeloError:
    """The error behind an exception of Spark."""
    text = str(error)
    ours = _OURS.search(text)
    if ours is not None:
        return VeloError(ours[1], hint="run it with --debug for the whole story", code="internal")
    python = _PYTHON.findall(text)
    if python:
        kind, message = python[-1]
        return VeloError(f"a worker failed with {kind}: {message}", hint="run it with --debug", code="internal")
    first = next((line.strip() for line in text.splitlines() if line.strip()), type(error).__name__)
    return VeloError(f"Spark failed: {first}", hint="run it with --debug", code="internal")
