"""How far the event time of rows that still leave an operator is known, by its watermark.

These go to the workers with the layout: they stand here, where nothing else is loaded with them.
"""

from __future__ import annotations

from velostream.durations import MILLISECOND


def to_millisecond(watermark: int) -> int:
    """Of windows that begin and end on whole milliseconds."""
    return watermark // MILLISECOND * MILLISECOND


def before_end(watermark: int) -> int:
    """Of windows that end anywhere: the event time of a row is a millisecond before its end."""
    return watermark - MILLISECOND


def delayed(delay: int, watermark: int) -> int:
    """Of rows that wait for others: they are as old as the longest wait."""
    return watermark - delay
