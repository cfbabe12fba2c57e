"""Windows in plain Python, record by record: slow, simple, and obviously right. What the operator is measured by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from tests.windows.driving import Record

from velostream.windows.assigners import Cumulate, Session, Sliding, Tumbling

Bounds = tuple[int | None, int | None]


def aligned_windows(window: Any, time: int) -> list[tuple[int, int]]:
    """Every window of the whole neighbourhood that holds the time."""
    found = []
    if isinstance(window, Tumbling):
        starts = range(-10, 10)
        found = [(k * window.size, (k + 1) * window.size) for k in starts]
    elif isinstance(window, Sliding):
        found = [(k * window.advance, k * window.advance + window.size) for k in range(-60, 60)]
    elif isinstance(window, Cumulate):
        steps = range(1, window.size // window.step + 1)
        found = [(k * window.size, k * window.size + n * window.step) for k in range(-10, 10) for n in steps]
    shifted = [(start + window.offset, end + window.offset) for start, end in found]
    return sorted(bounds for bounds in shifted if bounds[0] <= time < bounds[1])


def sessions(window: Session, times: list[int]) -> list[tuple[int, int, list[int]]]:
    """Start, end and events of the sessions of sorted times."""
    chains: list[list[int]] = []
    for time in sorted(times):
        fits = chains and time - chains[-1][-1] <= window.gap
        if fits and (window.max is None or time < chains[-1][0] + window.max):
            chains[-1].append(time)
        else:
            chains.append([time])
    found = []
    for chain in chains:
        end = chain[-1] + window.gap
        if window.max is not None:
            end = min(end, chain[0] + window.max)
        found.append((chain[0], end, chain))
    return found


def groups(window: Any, records: Iterable[Record]) -> dict[tuple[Any, ...], list[Record]]:
    """The records of every (key, start, end)."""
    found: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    by_key: dict[str | None, list[Record]] = defaultdict(list)
    for record in records:
        by_key[record.key].append(record)
    for key, own in by_key.items():
        if isinstance(window, Session):
            for start, end, _ in sessions(window, [r.time for r in own]):  # type: ignore[misc]
                last = end if window.max is None else end - 1
                inside = [r for r in own if start <= r.time <= last]  # type: ignore[operator]
                found[key, start, end] = inside
        elif isinstance(window, Tumbling | Sliding | Cumulate):
            for record in own:
                for start, end in aligned_windows(window, record.time):  # type: ignore[arg-type]
                    found[key, start, end].append(record)
        else:
            found[key, None, None] = list(own)
    return found


def result(records: list[Record]) -> tuple[int, int | None, int]:
    """COUNT(*), SUM(value) and the event count."""
    values = [r.value for r in records if r.value is not None]
    return len(records), sum(values) if values else None, len(records)


def expected(window: Any, records: Iterable[Record]) -> dict[tuple[Any, ...], tuple[int, int | None, int]]:
    """What a batch query over all records gives."""
    return {group: result(own) for group, own in groups(window, records).items()}


def with_lateness(
    window: Any, batches: list[list[Record]], allowed: int
) -> tuple[dict[tuple[Any, ...], list[Record]], list[Record], int]:
    """Aligned windows over batches of one partition, record by record, with no disorder allowed.

    What every (key, start, end) holds, the records that were too late for all of their windows, and how many windows
    were missed. Lateness is judged against the largest time of the batches before.
    """
    held: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
    lost: list[Record] = []
    missed = 0
    watermark: int | None = None
    for batch in batches:
        for record in batch:
            windows = aligned_windows(window, record.time)  # type: ignore[arg-type]
            open_ones = [(s, e) for s, e in windows if watermark is None or watermark < e + allowed]
            missed += len(windows) - len(open_ones)
            if not open_ones:
                lost.append(record)
            for start, end in open_ones:
                held[record.key, start, end].append(record)
        times = [record.time for record in batch]
        watermark = max([*times, *([] if watermark is None else [watermark])], default=watermark)  # type: ignore[type-var]
    return held, lost, missed
