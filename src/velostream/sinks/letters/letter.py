"""What a dead letter says: which record, from where, why it is in no result."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from velostream.replayed import plain
from velostream.sinks.letters.envelope import opened

FIELDS = (
    *("reason", "error", "source", "partition", "offset", "event_time", "watermark", "lateness_ms", "record"),
    *("topic", "key", "headers", "timestamp", "row"),
)
"""What a letter says beside its job, its micro-batch and the time at which it was written; `row` is what the job had
made of the record, where that failed: the record itself is in its state."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def iso(micros: int | None) -> str | None:
    """Microseconds since 1970 as text in ISO form; beyond the years that text can have, the number as text."""
    if micros is None:
        return None
    try:
        return (_EPOCH + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return f"{micros} us"


def letter(**said: Any) -> dict[str, Any]:
    """A letter from what is known, with times and lateness in microseconds; what is not known is None.

    `record` is the record as `spark.lower.decoding` keeps it, in its envelope where the source has keys and headers.
    """
    lateness = said.pop("lateness", None)
    if said.get("source"):
        said["source"] = plain(said["source"])
    said |= opened(said.get("record"))
    said |= {name: iso(said.get(name)) for name in ("event_time", "watermark", "timestamp")}
    said["lateness_ms"] = None if lateness is None else lateness // 1_000
    return {name: said.get(name) for name in FIELDS}
