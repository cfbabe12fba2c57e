"""Log lines about jobs: as text for people, or as one JSON object per line with job, statement, batch and trace."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Any

from velostream.events import BATCH, LOGGER, TRACEPARENT, BatchEnded, Event, JobEnded, JobStarted, StageEnded

TEXT, JSON = "text", "json"
SENDING = ("opentelemetry", "openlineage")
"""The loggers of libraries that send what jobs tell: that a receiver is away is said as everything else is."""


class _Handler(logging.Handler):
    """Hands lines to whoever shows them."""

    def __init__(self, say: Callable[[str], None], form: str, lines: dict[str, int]) -> None:
        super().__init__(logging.DEBUG)
        self.say = say
        self.form = form
        self.lines = lines
        """Where the statement of each job stands."""

    def emit(self, record: logging.LogRecord) -> None:
        """Shows one line."""
        try:
            told = fields_of(record, self.lines)
            self.say(json.dumps(told, default=str, ensure_ascii=False) if self.form == JSON else as_text(told))
        except Exception:
            self.handleError(record)


class _Forward(logging.Handler):
    """Hands the lines of others to all who hear of jobs."""

    def emit(self, record: logging.LogRecord) -> None:
        """Hands one line on."""
        logging.getLogger(LOGGER).handle(record)


def fields_of(record: logging.LogRecord, lines: dict[str, int]) -> dict[str, Any]:
    """A line as data."""
    batch = BATCH.get()
    job = getattr(record, "job", None) or (batch[0] if batch else None)
    trace = TRACEPARENT.get().split("-")
    told: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "message": record.getMessage(),
        "job": job,
        "statement": getattr(record, "statement", lines.get(job or "")),
        "batch": batch[1] if batch else None,
        "trace_id": trace[1] if len(trace) == 4 else None,
        "span_id": trace[2] if len(trace) == 4 else None,
        "row": getattr(record, "row", None),
    }
    if record.exc_info and record.exc_info[1] is not None:
        told["error"] = f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}"
    return {name: value for name, value in told.items() if value is not None}


def as_json(message: str) -> str:
    """What somebody says beside the log, as a line of it."""
    told = logging.LogRecord(LOGGER, logging.INFO, "", 0, message, None, None)
    return json.dumps(fields_of(told, {}), ensure_ascii=False)


def as_text(told: dict[str, Any]) -> str:
    """A line for people."""
    job = f"{told['job']}: " if "job" in told else ""
    row = f" {json.dumps(told['row'], default=str, ensure_ascii=False)}" if "row" in told else ""
    error = f" ({told['error']})" if "error" in told else ""
    return f"{told['level']}: {job}{told['message']}{row}{error}"


def lifecycle(event: Event) -> None:
    """Says when jobs start, end, and write micro-batches."""
    logger = logging.getLogger(LOGGER)
    if isinstance(event, JobStarted):
        logger.info("job started", extra={"job": event.job})
    elif isinstance(event, JobEnded):
        level = logging.ERROR if event.state == "failed" else logging.INFO
        logger.log(level, "job %s%s", event.state, f": {event.error}" if event.error else "", extra={"job": event.job})
    elif isinstance(event, BatchEnded) and event.error:
        logger.error("batch failed: %s", event.error, extra={"job": event.job})
    elif isinstance(event, BatchEnded):
        logger.debug("batch written: %s rows in %.3f s", event.rows, event.seconds, extra={"job": event.job})


class Profile:
    """Says of jobs that want it how long the stages of each micro-batch took."""

    def __init__(self, jobs: Collection[str]) -> None:
        self.jobs = jobs
        self.spent: dict[str, list[StageEnded]] = {}

    def __call__(self, event: Event) -> None:
        """Takes what is published."""
        if event.job not in self.jobs:
            return
        if isinstance(event, StageEnded):
            self.spent.setdefault(event.job, []).append(event)
        elif isinstance(event, BatchEnded):
            parts = ", ".join(f"{one.stage} {one.seconds:.3f} s" for one in self.spent.pop(event.job, ()))
            told = {"job": event.job}
            logging.getLogger(LOGGER).info("batch %s took %.3f s: %s", event.number, event.seconds, parts, extra=told)


@contextmanager
def logged(say: Callable[[str], None], form: str, level: str, lines: dict[str, int]) -> Iterator[None]:
    """Shows log lines from `level` on while it is open, and what those who send spans and lineage warn about."""
    handler = _Handler(say, form, lines)
    with ExitStack() as open_:
        open_.enter_context(_heard(LOGGER, handler, level.upper()))
        for name in SENDING:
            open_.enter_context(_heard(name, _Forward(), "WARNING"))
        yield


@contextmanager
def _heard(name: str, handler: logging.Handler, level: str) -> Iterator[None]:
    """Inside, the lines of a logger go to a handler, and nowhere else."""
    logger = logging.getLogger(name)
    before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before[1]
        logger.setLevel(before[0])
