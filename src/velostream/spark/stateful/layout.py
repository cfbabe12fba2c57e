"""The columns that travel from the plan to an operator and from it to the next, and how they are called on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from velostream.spark.stateful.hot import HotSettings
from velostream.windows.settings import OperatorSettings

BUCKET = "_bucket"
STATUS = "_status"
DETAIL = "_detail"
MARK = "_mark"
CLOCK = "_clock"
HASH = "_hash"
RECORD = "_record"
PUNCTUATION = "_punctuation"
PASSED = "_passed"
COUNTED = "_counted"
JOINED = "_joined"
"""What a row met in joins with tables: two bits for each of these (velostream.spark.lower.join_counts)."""
GROUP = "_group"
"""The keys of a record that is a dead letter as text, where it is known to which group it would belong."""
KIND = "_kind"
"""As what the last stateful node said a row: early, final, late, change or retract."""
OF_WINDOW = "_of_window"
"""The keys and bounds of the window that a row of the last stateful node is about, whatever becomes of its fields."""
OF_EVENTS = "_of_events"
"""How many records that window had when the row was said."""
POSITION = ("_event_time", "_source", "_partition", "_offset")
ORIGIN = ("_origin", "_origin_revision", "_origin_gone")

FILTERED = "filtered"
"""The status of a record that WHERE removed: it moves the watermark and is counted, and goes no further."""
CLOCK_SKEW = "clock_skew"
"""The status of a record of a clock that runs ahead: it moves nothing."""
UNMATCHED = "unmatched"
"""The status of a record that matched nothing in an inner join."""
NO_FAULT = (FILTERED, UNMATCHED)
"""Statuses of records that nothing is wrong with: they are counted, and never letters."""

ROUTED = f"{BUCKET} INT, facts STRING, kind STRING, payload BINARY"
EMITTED = "kind STRING, payload BINARY"

ROWS, FOLDED = "rows", "folded"
RESULT, LETTER, STATS = "result", "letter", "stats"


@dataclass(frozen=True)
class Layout:
    """What the router and the operator of one stateful node share.

    `columns` are the row columns that the operator reads. `buckets` are the numbers of the buckets, chosen so that
    Spark spreads them evenly. `stage` numbers the stateful nodes of a job from below: to the next one this one is the
    source `#stage`, and its buckets are the partitions. `operator` makes the operator over a store.
    """

    stage: int
    operator: Callable[[Any], Any]
    columns: tuple[str, ...]
    buckets: tuple[int, ...]
    bounded: bool
    known: Mapping[str, int] = field(default_factory=dict)
    folding: OperatorSettings | None = None
    """Where rows may be combined before they are sent: the settings to do it by."""
    watermarks: str = ""
    """The folder in which each micro-batch leaves its watermark; empty where rows are not combined."""
    outgoing: Callable[[int], int] = int
    """How far the event time of the rows that still come out of it is known, by its watermark."""
    hot: HotSettings | None = None
    """Where decoded state is kept between micro-batches; None where it is not."""
    keys: tuple[str, ...] = ()
    """The row columns that say to which group a row belongs."""


def source_of(stage: int) -> str:
    """What the rows of a stateful node are called as a source."""
    return f"#{stage}"
