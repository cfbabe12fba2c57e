"""Micro-batches (`batch.*`, `max.records.per.batch`): how much is read at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.config.kinds import Choice, Duration, Integer, Size
from velostream.config.property import Property, Scope
from velostream.config.rule import Broken

if TYPE_CHECKING:
    from velostream.config.settings import Settings

_JOB = (Scope.JOB,)
FIXED_SIZE, TIME_WINDOW, MEMORY, ADAPTIVE = "fixed_size", "time_window", "memory", "adaptive"

BATCHING = (
    Property(
        "batch.strategy",
        Choice((FIXED_SIZE, TIME_WINDOW, MEMORY, ADAPTIVE)),
        "what limits a micro-batch: a number of records, a time, an amount of bytes, or what the latency allows; "
        "files are never torn apart; without it what batch.size, batch.window and so on are for, and adaptive with "
        "job.mode = adaptive",
        "adaptive",
        scopes=_JOB,
    ),
    Property(
        "batch.size",
        Integer(least=1),
        "with fixed_size: the most records that a micro-batch takes from each source; with adaptive the first limit",
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

_FOR = {
    "batch.size": (FIXED_SIZE, ADAPTIVE),
    "batch.window": (TIME_WINDOW,),
    "batch.memory": (MEMORY,),
    "batch.min.size": (ADAPTIVE,),
    "batch.max.size": (ADAPTIVE,),
    "batch.target.latency": (ADAPTIVE,),
}
"""What each setting is for, first what it means where nothing else is said."""


def strategy_of(job: Settings | None) -> str:
    """The strategy in force: the one that is chosen, else the one that something is set for; empty where none is."""
    if job is None:
        return ""
    chosen = job.get("batch.strategy")
    if chosen is not None:
        return str(chosen)
    if job.get("job.mode") == ADAPTIVE:
        return ADAPTIVE
    told = [strategies for name, strategies in _FOR.items() if job.find(name) is not None]
    return next((one for one in told[0] if all(one in each for each in told)), "") if told else ""


def first_size(job: Settings) -> int:
    """The size that an adaptive strategy begins with."""
    least, most = job.integer("batch.min.size"), job.integer("batch.max.size")
    return min(max(job.integer("batch.size"), least), most) if job.find("batch.size") is not None else least


def one_strategy(job: Settings) -> Broken | None:
    """A rule: what is set is for one strategy, and the mode of the job is not against it."""
    chosen, mode = job.find("batch.strategy"), job.find("job.mode")
    if mode is not None and mode.value == ADAPTIVE and chosen is not None and chosen.value != ADAPTIVE:
        message = f"'batch.strategy' = '{chosen.text}' is against 'job.mode' = 'adaptive', which tunes micro-batches"
        return Broken("conflicting-properties", message, "remove one of them", chosen)
    found = {name: value for name in _FOR if (value := job.find(name)) is not None}
    if chosen is not None or not found:
        return None
    strategy = strategy_of(job)
    against = [name for name in found if strategy not in _FOR[name]]
    if against:
        message = f"'{against[-1]}' is for another kind of micro-batches than {strategy or next(iter(found))!r}"
        hint = "remove one of them, or say which is meant: batch.strategy"
        return Broken("conflicting-properties", message, hint, found[against[-1]])
    return None
