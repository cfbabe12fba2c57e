"""Which system columns the rows of a query have for those that read it."""

from __future__ import annotations

from velostream.validation.bound import BoundInput, BoundQuery, BoundSelect, BoundSource, BoundSubquery

TIMES = ("_timestamp", "_event_time", "_processing_time")
WINDOW = ("_window_start", "_window_end", "_emission", "_revision", "_watermark", "_event_count")
KEPT = ("_timestamp", "_event_time")
"""What a table keeps of the records that its rows were: their times."""
GROUPED = ("_emission", "_revision", "_watermark", "_event_count")


def record_columns_of(query: BoundQuery) -> tuple[str, ...]:
    """The record's system columns that a reader of the query can use: one-to-one queries keep those of their input."""
    if not isinstance(query, BoundSelect):
        left, right = record_columns_of(query.left), record_columns_of(query.right)
        return tuple(name for name in left if name in right)
    if query.source is None:
        return ()
    if query.window is not None:
        return (*TIMES, "_key", "_headers", *WINDOW)
    if query.aggregated or query.distinct:
        return (*TIMES, "_key", "_headers", *(GROUPED if query.aggregated else ()))
    primary = next((member for member in query.inputs if member.alias == query.primary), query.source)
    return columns_of(primary)


def columns_of(member: BoundInput) -> tuple[str, ...]:
    """The record's system columns of an input."""
    if isinstance(member, BoundSource):
        return member.relation.record_columns
    if isinstance(member, BoundSubquery):
        return record_columns_of(member.query)
    return ()
