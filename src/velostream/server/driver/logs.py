"""A driver's log: one JSON object a line, secrets masked, in a file that is turned over before it grows large."""

from __future__ import annotations

import json
import logging
import os
from collections import deque
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from velostream.config.secrets import masked
from velostream.events import LOGGER
from velostream.observability.logs import fields_of

LOG = logging.getLogger("velostream.driver")
SIZE, FILES = 5_000_000, 3
_CHUNK = 1 << 16


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object; what was given as `extra={"said": {…}}` becomes fields of it."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}
        """Where the statement of each job stands."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        told = fields_of(record, self.lines)
        at = told.pop("time").replace("+00:00", "Z")
        said = {name: _plain(name, value) for name, value in getattr(record, "said", {}).items()}
        line = {"at": at, **told, "message": masked("", told["message"]), **said}
        if "error" in line:
            line["error"] = masked("", str(line["error"]))
        if record.exc_info:
            line["traceback"] = masked("", self.formatException(record.exc_info))
        return json.dumps(line, default=str, ensure_ascii=False)


def _plain(name: str, value: Any) -> Any:
    """A field without secrets."""
    return masked(name, value) if isinstance(value, str) else value


def open_log(file: Path) -> JsonLines:
    """Lets everything that this process logs go to a file, which only its owner may read."""
    file.touch(mode=0o600, exist_ok=True)
    handler = RotatingFileHandler(file, maxBytes=SIZE, backupCount=FILES - 1, encoding="utf-8")
    form = JsonLines()
    handler.setFormatter(form)
    handler.addFilter(_is_no_stop)
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.WARNING)
    ours = logging.getLogger(LOGGER)
    ours.addHandler(handler)
    ours.setLevel(logging.INFO)
    ours.propagate = False
    return form


def _is_no_stop(record: logging.LogRecord) -> bool:
    """False for what Spark's bridge says of a micro-batch that came after a stop or pause was asked for: no failure."""
    from velostream.jobs.writing import Stopped

    return record.exc_info is None or not isinstance(record.exc_info[1], Stopped)


def last_lines(file: Path, count: int) -> list[dict[str, Any]]:
    """The newest lines of a log, oldest first, also those of the file before."""
    found: deque[dict[str, Any]] = deque(maxlen=count)
    for part in (file.with_name(f"{file.name}.1"), file):
        if part.exists():
            found.extend(_parsed(line) for line in _tail(part, count))
    return list(found)


def last_words(file: Path, count: int) -> list[str]:
    """The newest lines that a process printed beside its log."""
    return [masked("", line) for line in _tail(file, count)] if file.exists() else []


def _parsed(line: str) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except ValueError:
        return {"at": None, "level": "info", "message": line}
    return said if isinstance(said, dict) else {"at": None, "level": "info", "message": line}


def _tail(file: Path, count: int) -> Iterator[str]:
    """The last lines of a file, read from its end."""
    with file.open("rb") as data:
        data.seek(0, os.SEEK_END)
        place, held = data.tell(), b""
        while place > 0 and held.count(b"\n") <= count:
            step = min(_CHUNK, place)
            place -= step
            data.seek(place)
            held = data.read(step) + held
    yield from held.decode("utf-8", "replace").splitlines()[-count:] if count else ()
