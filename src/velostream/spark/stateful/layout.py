"""The columns that travel from the plan to the operator, and how they are called on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

from velostream.windows.settings import OperatorSettings

BUCKET = "_bucket"
STATUS = "_status"
DETAIL = "_detail"
MARK = "_mark"
CLOCK = "_clock"
HASH = "_hash"
RECORD = "_record"
POSITION = ("_event_time", "_source", "_partition", "_offset")

FILTERED = "filtered"
"""The status of a record that WHERE removed: it moves the watermark and is counted, and goes no further."""
UNMATCHED = "unmatched"
"""The status of a record that matched nothing in an inner join."""

ROUTED = f"{BUCKET} INT, facts STRING, kind STRING, payload BINARY"
EMITTED = "kind STRING, payload BINARY"

ROWS, FOLDED, LETTERS = "rows", "folded", "letters"
RESULT, LETTER, STATS = "result", "letter", "stats"


@dataclass(frozen=True)
class Layout:
    """What the router and the operator of one stateful node share.

    `columns` are the row columns that the operator reads.
    `buckets` are the numbers of the buckets, chosen so that Spark spreads them evenly.
    """

    settings: OperatorSettings
    columns: tuple[str, ...]
    buckets: tuple[int, ...]
    bounded: bool
    known: dict[str, int] = field(default_factory=dict)
    mark: str | None = None
    watermarks: str = ""
    """The folder in which each micro-batch leaves its watermark; empty where rows are not combined."""
