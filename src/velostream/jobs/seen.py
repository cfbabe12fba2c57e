"""What the stateful nodes of a job have seen so far: records, rows and time of each, its heaviest groups, how each
window was emitted, and how much every partition delivered. Plain data, kept with the accounts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Seen = dict[str, Any]
"""`stages`: by number `records`, `rows`, `seconds`, `last_seconds`, `batch`, `buckets` (records by bucket), `heaviest`
(groups with `keys`, `records`). `windows`: of the newest windows of each stage `[start, end, emission, rows, revision,
records, batch]`, times in microseconds. `delivered`: records by `source/partition`, all and in the last micro-batch.
"""
HEAVIEST = 10
WINDOWS = 300
"""So many lines about windows are remembered; history keeps the others."""


def nothing() -> Seen:
    """Before the first micro-batch."""
    return {"stages": {}, "windows": [], "delivered": {}, "last": {}}


def begin(seen: Seen) -> Seen:
    """What is changed for a new micro-batch: readers keep what they hold."""
    stages = {
        number: {**stage, "last_seconds": 0.0, "buckets": dict(stage["buckets"])}
        for number, stage in seen["stages"].items()
    }
    return {"stages": stages, "windows": list(seen["windows"]), "delivered": dict(seen["delivered"]), "last": {}}


def add(seen: Seen, one: Mapping[str, Any], batch: int) -> None:
    """Adds what one bucket of a stateful node says of a micro-batch."""
    new = {"records": 0, "rows": 0, "seconds": 0.0, "last_seconds": 0.0, "buckets": {}, "heaviest": []}
    stage = seen["stages"].setdefault(str(one["stage"]), new)
    records, seconds = one["records_added"] or one["read"], one.get("seconds", 0.0)
    stage["records"] += records
    stage["rows"] += one.get("rows", 0)
    stage["seconds"] = round(stage["seconds"] + seconds, 6)
    stage["last_seconds"] = round(stage["last_seconds"] + seconds, 6)
    bucket = str(one["bucket"])
    stage["buckets"][bucket] = stage["buckets"].get(bucket, 0) + records
    stage["heaviest"] = _heaviest(stage["heaviest"], one.get("heaviest", ()))
    for line in one.get("firings", ()):
        _fired(seen["windows"], [one["stage"], *line, batch])
    for name, count in one.get("delivered", {}).items():
        seen["delivered"][name] = seen["delivered"].get(name, 0) + count
        seen["last"][name] = seen["last"].get(name, 0) + count


def end(seen: Seen) -> None:
    """After all buckets: the newest windows stay."""
    seen["windows"].sort(key=lambda line: (line[-1], line[2]))
    del seen["windows"][:-WINDOWS]


def _heaviest(known: list[dict[str, Any]], new: Any) -> list[dict[str, Any]]:
    """The groups with the most records in one window, each group once."""
    best: dict[str, dict[str, Any]] = {}
    for each in (*known, *new):
        name = str(each["keys"])
        if name not in best or best[name]["records"] < each["records"]:
            best[name] = each
    return sorted(best.values(), key=lambda each: -each["records"])[:HEAVIEST]


def _fired(lines: list[list[Any]], line: list[Any]) -> None:
    """Buckets of one micro-batch speak of the same window: their rows are added up."""
    stage, start, end_, emission, rows, revision, records, batch = line
    for known in reversed(lines):
        if known[-1] != batch:
            break
        if known[:4] == [stage, start, end_, emission]:
            known[4] += rows
            known[5] = max(known[5], revision)
            known[6] += records
            return
    lines.append(line)
