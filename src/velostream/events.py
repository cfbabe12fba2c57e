"""What jobs tell whoever listens: that they start and end, and when each micro-batch and each stage of it began and
ended. The alphabet of observability: jobs publish, listeners subscribe, and no listener can make a job fail."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

LOGGER = "velostream"
"""The logger of everything that is said about jobs while they run."""
TRACEPARENT: ContextVar[str] = ContextVar("traceparent", default="")
"""The W3C traceparent of the micro-batch that this thread writes, for sinks that hand it on; empty if nobody traces."""


BATCH: ContextVar[tuple[str, int] | None] = ContextVar("batch", default=None)
"""The job and the number of the micro-batch that this thread writes, for log lines."""


@dataclass(frozen=True, slots=True)
class JobStarted:
    """A job's query runs. Times are nanoseconds since the epoch."""

    job: str
    at: int = field(default_factory=time.time_ns)


@dataclass(frozen=True, slots=True)
class JobEnded:
    """A job's query runs no more: `state` is stopped, done or failed."""

    job: str
    state: str
    error: str = ""
    at: int = field(default_factory=time.time_ns)


@dataclass(frozen=True, slots=True)
class BatchBegan:
    """A micro-batch is being written."""

    job: str
    number: int
    at: int = field(default_factory=time.time_ns)


@dataclass(frozen=True, slots=True)
class StageEnded:
    """A stage of a micro-batch is done: compute, rows, metrics, accounts, or `sink NAME`."""

    job: str
    number: int
    stage: str
    began: int
    rows: int | None = None
    at: int = field(default_factory=time.time_ns)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.at - self.began) / 1e9


@dataclass(frozen=True, slots=True)
class TracesSeen:
    """Records of a micro-batch came with W3C traceparents in their headers."""

    job: str
    number: int
    traceparents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BatchEnded:
    """A micro-batch is written, or has failed with an error."""

    job: str
    number: int
    began: int
    rows: int = 0
    error: str = ""
    at: int = field(default_factory=time.time_ns)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.at - self.began) / 1e9


Event = JobStarted | JobEnded | BatchBegan | StageEnded | TracesSeen | BatchEnded
Listener = Callable[[Event], None]


@dataclass
class Events:
    """Where the jobs of an application publish."""

    listeners: list[Listener] = field(default_factory=list)

    def subscribe(self, listener: Listener) -> None:
        """From now on, the listener hears everything."""
        self.listeners.append(listener)

    def publish(self, event: Event) -> None:
        """Tells all listeners. One that fails is a warning, never a failure of the job."""
        if isinstance(event, BatchBegan):
            BATCH.set((event.job, event.number))
        for listener in self.listeners:
            try:
                listener(event)
            except Exception:
                logging.getLogger(LOGGER).warning("a listener failed on %s", event, exc_info=True)
        if isinstance(event, BatchEnded):
            BATCH.set(None)

    @contextmanager
    def stage(self, job: str, number: int, stage: str, rows: int | None = None) -> Iterator[None]:
        """Measures a stage of a micro-batch."""
        began = time.time_ns()
        yield
        self.publish(StageEnded(job, number, stage, began, rows))
