"""Micro-batches (`batch.*`, `max.records.per.batch`): how much is read at a time."""

from __future__ import annotations

from velostream.config.kinds import Choice, Duration, Integer, Size
from velostream.config.property import Property, Scope

_JOB = (Scope.JOB,)
FIXED_SIZE, TIME_WINDOW, MEMORY, ADAPTIVE = "fixed_size", "time_window", "memory", "adaptive"

BATCHING = (
    Property(
        "batch.strategy",
        Choice((FIXED_SIZE, TIME_WINDOW, MEMORY, ADAPTIVE)),
        "what limits a micro-batch: a number of records, a time, an amount of bytes, or what the latency allows; "
        "files are never torn apart",
        "adaptive",
        scopes=_JOB,
    ),
    Property(
        "batch.size",
        Integer(least=1),
        "with fixed_size: the most records that a micro-batch takes from each source",
        "100_000",
        default="100_000",
        scopes=_JOB,
    ),
    Property(
        "batch.window",
        Duration(positive=True),
        "with time_window: how long a micro-batch collects what comes",
        "1s",
        default="1s",
        scopes=_JOB,
    ),
    Property(
        "batch.memory", Size(), "with memory: the most bytes of a micro-batch", "64MB", default="64MB", scopes=_JOB
    ),
    Property(
        "batch.min.size",
        Integer(least=1),
        "with adaptive: the fewest records that the limit of a micro-batch is lowered to",
        "1_000",
        default="1_000",
        scopes=_JOB,
    ),
    Property(
        "batch.max.size",
        Integer(least=1),
        "with adaptive: the most records that the limit of a micro-batch is raised to",
        "1_000_000",
        default="1_000_000",
        scopes=_JOB,
    ),
    Property(
        "batch.target.latency",
        Duration(positive=True),
        "with adaptive: how long a micro-batch should take; the limit follows what the last ones took",
        "500ms",
        default="1s",
        scopes=_JOB,
    ),
    Property(
        "max.records.per.batch",
        Integer(least=1),
        "the most records that one micro-batch takes from this source",
        "50_000",
        scopes=(Scope.SOURCE,),
    ),
    Property(
        "max.rate",
        Integer(least=1),
        "the most records per second that are read from this source",
        "10_000",
        scopes=(Scope.SOURCE,),
    ),
)
