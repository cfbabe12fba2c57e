"""Errors of Spark and its Python workers as ours: one line that names the thing, never a stack trace of Java."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from velostream.errors import NOTE, VeloError
from velostream.positions import Span
from velostream.spark.conditions import MEMORY, condition_error
from velostream.spark.ended import java_ended

_OURS = re.compile(rf"^(?:\w+: )?velostream\.errors\.\w+: (.+)(?:\n{re.escape(NOTE)}(.+))?", re.MULTILINE)
_PYTHON = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Exit|Warning)): ?(.*)$", re.MULTILINE)
_FRAME = re.compile(r'^\s+File "([^"]+)", line (\d+)', re.MULTILINE)
_WRAPPED = re.compile(r"^.*(?:terminated with exception: |Return Message: )", re.DOTALL)
_NUMBER = re.compile(r" *SQLSTATE: \w+")
_DETAILS = "=== Streaming Query ==="
_OPERATING = ("PermissionError", "FileNotFoundError", "OSError", "NotADirectoryError", "IsADirectoryError")
_SPARK = ("pyspark.errors", "py4j.protocol")
WHOLE_STORY = "run it again with --debug for the whole story"


@contextmanager
def translated(*, debug: bool = False) -> Iterator[None]:
    """Turns what Spark raises inside into a VeloError; the whole of it is its cause, for `--debug`."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    if not debug:
        logging.getLogger("SQLQueryContextLogger").disabled = True  # it prints stack traces of Java
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise translate(error) from error
    except ConnectionError as error:  # that nobody listens there any more is all that Spark's bridge says
        ended = java_ended(str(error))
        if ended is None:
            raise
        raise ended from error


def translate(error: BaseException) -> VeloError:
    """The error behind an exception of Spark."""
    if isinstance(error, VeloError):
        return error
    text = _NUMBER.sub("", str(error).split(_DETAILS)[0])
    return (
        _ours(text)
        or condition_error(text)
        or java_ended(text)
        or _python(text)
        or _unknown(text, type(error).__name__)
    )


def _ours(text: str) -> VeloError | None:
    """One that we raised ourselves, in a worker or while writing, with all that it said."""
    found = _OURS.findall(text)
    if not found:
        return None
    message, note = found[-1]
    if not note:
        return VeloError(message, hint=WHOLE_STORY)
    said = json.loads(note)
    span = Span(*said["span"]) if said["span"] else None
    return VeloError(message, hint=said["hint"], span=span, code=said["code"])


def _python(text: str) -> VeloError | None:
    """The last line of a traceback, and whose code it was."""
    found = [(kind, said) for kind, said in _PYTHON.findall(text) if not kind.startswith(_SPARK)]
    if not found:
        return None
    kind, said = found[-1]
    kind = kind.rpartition(".")[2]
    shown = f"{kind}: {said}" if said else kind
    if kind in _OPERATING:
        return VeloError(f"a file cannot be used: {said}", hint="see to the path and its rights", code="file-unusable")
    if kind == "MemoryError":
        return VeloError("a Python worker has no memory left", hint=MEMORY, code="out-of-memory")
    frames = [
        frame for frame in _FRAME.findall(text) if Path(frame[0]).is_absolute() and "site-packages" not in frame[0]
    ]
    file, line = frames[-1] if frames else ("", "")
    if frames and "velostream" not in file and "/lib/python" not in file:
        message = f"a Python function failed in {file}, line {line}: {shown}"
        return VeloError(message, hint="correct the function, or what it is given", code="function-failed")
    return VeloError(f"a worker failed with {shown}", hint=WHOLE_STORY, code="internal")


def _unknown(text: str, name: str) -> VeloError:
    """What nobody has described yet: the first line that says something."""
    said = _WRAPPED.sub("", text)
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.strip().startswith("at ")]
    return VeloError(f"Spark failed: {lines[0] if lines else name}", hint=WHOLE_STORY, code="spark-failed")
