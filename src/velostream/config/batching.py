"""Micro-batches (`batch.*`, `max.records.per.batch`): how much is read at a time."""

from velostream.config.kinds import Choice, Duration, Integer, Size
from velostream.config.property import Property, Scope

_JOB = (Scope.JOB,)

BATCHING = (
    Property(
        "batch.strategy",
        Choice(("fixed_size", "time_window", "memory", "adaptive")),
        "what limits a micro-batch: a number of records, a time, an amount of memory, or what the latency allows",
        "adaptive",
        scopes=_JOB,
    ),
    Property(
        "batch.size",
        Integer(least=1),
        "with fixed_size: records in a micro-batch",
        "100_000",
        default="100_000",
        scopes=_JOB,
    ),
    Property(
        "batch.window",
        Duration(positive=True),
        "with time_window: how long a micro-batch collects",
        "1s",
        default="1s",
        scopes=_JOB,
    ),
    Property("batch.memory", Size(), "with memory: bytes in a micro-batch", "64MB", default="64MB", scopes=_JOB),
    Property(
        "batch.min.size",
        Integer(least=1),
        "with adaptive: the fewest records in a micro-batch",
        "1_000",
        default="1_000",
        scopes=_JOB,
    ),
    Property(
        "batch.max.size",
        Integer(least=1),
        "with adaptive: the most records in a micro-batch",
        "1_000_000",
        default="1_000_000",
        scopes=_JOB,
    ),
    Property(
        "batch.target.latency",
        Duration(positive=True),
        "with adaptive: how long a micro-batch should take",
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
