"""What is unlike before: rate, lag and errors against a baseline that is learned from what was kept, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

from velostream.observability.advice.base import ODD, Advice, Case, amount

LEARNED, RECENT = 20, 3
"""So many moments make a baseline, and so many are held against it."""
FAR = 6.0
"""From so many deviations on, something is odd. A deviation is 1.5 times the median distance from the median."""
LEAST = 0.1
"""It is at least this share of the median: a steady baseline does not make every change odd."""

Point = tuple[Any, float]


def baseline(values: Sequence[float]) -> tuple[float, float]:
    """The median, and how far values usually lie from it."""
    middle = median(values)
    return middle, max(1.4826 * median(abs(value - middle) for value in values), LEAST * abs(middle), 1e-9)


def rates(rows: Sequence[dict[str, Any]], column: str) -> list[Point]:
    """How fast something grows per second from moment to moment; a restart that counts anew is no rate."""
    found = []
    for earlier, later in pairwise(rows):
        seconds = (later["at"] - earlier["at"]).total_seconds()
        grown = (later[column] or 0) - (earlier[column] or 0)
        if seconds > 0 and grown >= 0:
            found.append((later["at"], grown / seconds))
    return found


def shares(rows: Sequence[dict[str, Any]], part: str, whole: str) -> list[Point]:
    """Which share of the growth of one thing another is, from moment to moment."""
    found = []
    for earlier, later in pairwise(rows):
        grown, all_of = (later[part] or 0) - (earlier[part] or 0), (later[whole] or 0) - (earlier[whole] or 0)
        if all_of > 0 and grown >= 0:
            found.append((later["at"], grown / all_of))
    return found


def anomalies(case: Case) -> Iterator[Advice]:
    """Everything that the last moments show and the ones before did not."""
    rows = case.kept("jobs")
    lags = [(row["at"], row["lag_seconds"]) for row in rows if row["lag_seconds"] is not None]
    times = [(row["at"], row["batch_p50"]) for row in rows if row["batch_p50"] is not None]
    looked_at: list[tuple[str, list[Point], str, Callable[[Case], dict[str, Any]]]] = [
        ("rate", rates(rows, "records_read"), "records per second", _by_partition_rate),
        ("lag", lags, "seconds behind the clock", _by_partition_lag),
        ("errors", shares(rows, "dead_letters", "records_read"), "of the records are dead letters", _by_reason),
        ("batches", times, "seconds for a micro-batch", _by_stage),
    ]
    for name, points, unit, explain in looked_at:
        yield from _odd(case, name, points, unit, explain)


def _odd(
    case: Case, name: str, points: list[Point], unit: str, explain: Callable[[Case], dict[str, Any]]
) -> Iterator[Advice]:
    if len(points) < LEARNED + RECENT:
        return
    usual, deviation = baseline([value for _, value in points[:-RECENT]])
    now = median(value for _, value in points[-RECENT:])
    far = (now - usual) / deviation
    if abs(far) < FAR or (name != "rate" and far < 0):
        return
    cause = explain(case)
    figures = {"now": round(now, 4), "usual": round(usual, 4), "deviations": round(far, 1), **cause}
    what = f"{_shown(name, now)} {unit}, where {_shown(name, usual)} are usual"
    behind = ", ".join(f"{key} {value}" for key, value in cause.items())
    change = f"look at {behind}" if behind else "look at what changed at that time: senders, deployments, load"
    yield Advice(ODD, case.job.name, what, figures, change)


def _shown(name: str, value: float) -> str:
    return f"{value:.2%}" if name == "errors" else amount(value)


def _by(case: Case, table: str, key: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in case.kept(table):
        found.setdefault(row[key], []).append(row)
    return found


def _by_partition_rate(case: Case) -> dict[str, Any]:
    """The partition whose rate changed most."""
    return _most(case, "partitions", "partition", lambda rows: rates(rows, "records"))


def _by_partition_lag(case: Case) -> dict[str, Any]:
    """The partition whose lag changed most."""

    def lags(rows: list[dict[str, Any]]) -> list[Point]:
        return [(row["at"], row["lag_seconds"]) for row in rows if row["lag_seconds"] is not None]

    return _most(case, "partitions", "partition", lags)


def _by_stage(case: Case) -> dict[str, Any]:
    """The stage whose time changed most."""
    return _most(case, "stages", "stage", lambda rows: rates(rows, "seconds"))


def _by_reason(case: Case) -> dict[str, Any]:
    """What most dead letters are."""
    most = case.accounts.dead_lettered.most_common(1)
    return {"reason": most[0][0]} if most else {}


def _most(case: Case, table: str, key: str, points_of: Callable[[list[dict[str, Any]]], list[Point]]) -> dict[str, Any]:
    """Which of several deviates most from what is usual for it."""
    best, found = 0.0, ""
    for name, rows in _by(case, table, key).items():
        values = [value for _, value in points_of(rows)]
        if len(values) < LEARNED + RECENT:
            continue
        usual, deviation = baseline(values[:-RECENT])
        far = abs(median(values[-RECENT:]) - usual) / deviation
        if far > best:
            best, found = far, name
    return {key: found} if found else {}
