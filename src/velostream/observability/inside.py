"""Views into a job, for the page and for advice: its stages, its windows' emissions, its partitions, its lateness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from velostream.plan.explain.node_text import TEXT
from velostream.plan.job import Job
from velostream.plan.nodes import Node
from velostream.sinks.letters import iso

if TYPE_CHECKING:
    from velostream.jobs.accounts import Accounts

EMISSIONS = ("early", "final", "late", "change", "retract")


def stateful_nodes(job: Job) -> list[Node]:
    """The stateful nodes of a job in the order of their numbers: from below."""

    def below(node: Node) -> Iterator[Node]:
        for child in node.children:
            yield from below(child)
        if node.keeps_state and not node.static:
            yield node

    return list(below(job.root))


def stages(job: Job, accounts: Accounts) -> list[dict[str, Any]]:
    """Each stateful node: `stage`, `node`, `title`, `records`, `rows`, `seconds`, `last_seconds`, `skew`, `heaviest`.

    `skew` is how many times the mean the fullest bucket has; `heaviest` are the groups with the most records.
    """
    nodes = stateful_nodes(job)
    found = []
    for number, stage in sorted(accounts.seen["stages"].items(), key=lambda item: int(item[0])):
        node = nodes[int(number) - 1] if int(number) <= len(nodes) else None
        loads = list(stage["buckets"].values())
        mean = sum(loads) / len(loads) if loads else 0
        found.append(
            {
                "stage": int(number),
                "node": type(node).__name__ if node is not None else "",
                "title": TEXT(node)[0] if node is not None else "",
                **{name: stage[name] for name in ("records", "rows", "seconds", "last_seconds", "heaviest")},
                "buckets": len(loads),
                "skew": round(max(loads) / mean, 2) if mean else 1.0,
            }
        )
    return found


def emissions(accounts: Accounts) -> list[dict[str, Any]]:
    """How each of the newest windows was emitted, newest first.

    `stage`, `start`, `end`, and by kind (early, final, late, change, retract) how many rows; `revision`, the largest;
    `history`, each emission with `batch`, `emission`, `rows`, `records`, `revision`.
    """
    windows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for stage, start, end, emission, rows, revision, records, batch in tuple(accounts.seen["windows"]):
        empty = {"stage": stage, "start": iso(start), "end": iso(end), "revision": 0, "history": []}
        window = windows.setdefault((stage, start, end), {**empty, **dict.fromkeys(EMISSIONS, 0)})
        window[emission] += rows
        window["revision"] = max(window["revision"], revision or 0)
        told = {"batch": batch, "emission": emission, "rows": rows, "records": records, "revision": revision}
        window["history"].append(told)
    return [windows[key] for key in sorted(windows, key=lambda key: (key[2] or 0, key[0]), reverse=True)]


def partitions(accounts: Accounts, seconds: float) -> dict[str, dict[str, Any]]:
    """Of each partition the records that it delivered: all, in the last micro-batch, and per second of running."""
    last = accounts.seen["last"]
    return {
        name: {"records": count, "last": last.get(name, 0), "rate": round(count / seconds, 3) if seconds > 0 else 0.0}
        for name, count in sorted(accounts.seen["delivered"].items())
    }


def watermark_behind(taken: Mapping[str, Any]) -> float | None:
    """How many seconds the watermark of a report is behind the newest event; None where there is none yet.

    A partition that was read to its end is told no more: its newest event is known by the watermark alone."""
    watermark = taken.get("watermark")
    times = [shown["max_event_time"] for shown in taken.get("partitions", {}).values() if shown["max_event_time"]]
    if not times or watermark is None:
        return None
    return max(0.0, round(max(map(seconds_of, times)) - seconds_of(watermark), 3))


def held_back(taken: Mapping[str, Any]) -> tuple[float | None, bool]:
    """How many seconds the partitions that hold the watermark back are behind the newest event, and whether they have
    said nothing at all while others have; nobody holds it back where there is one partition only."""
    partitions = taken.get("partitions", {})
    times = {name: shown["max_event_time"] for name, shown in partitions.items()}
    heard = [seconds_of(each) for each in times.values() if each]
    holders = [times.get(name) for name in taken.get("held_back_by", ())]
    if not holders or not heard or len(partitions) < 2:
        return None, False
    spoken = [seconds_of(each) for each in holders if each]
    return (round(max(heard) - max(spoken), 3), False) if spoken else (None, True)


def seconds_of(text: str) -> float:
    """A time in ISO form as seconds since the epoch."""
    return datetime.fromisoformat(text).timestamp()


def what_if(histogram: Mapping[str, Any]) -> dict[str, Any]:
    """How many records, at most, would be too late with other lateness: `late`, and `beyond` by lateness in seconds.

    A record that lies less below the watermark than the lateness that is allowed finds its window. `histogram` is
    `windows.lateness_seconds` of a snapshot: how far late records lay below the watermark.
    """
    late = histogram["count"]
    beyond, left = [], late
    for bound, count in zip(histogram["bounds"], histogram["counts"], strict=False):
        left -= count
        beyond.append({"lateness_seconds": bound, "records": left})
    return {"late": late, "beyond": beyond}


def enough(histogram: Mapping[str, Any], share: float = 0.0) -> float | None:
    """The smallest lateness of the histogram that leaves at most this share of late records; None if none does."""
    allowed = histogram["count"] * share
    asked: Sequence[Mapping[str, Any]] = what_if(histogram)["beyond"]
    return next((float(each["lateness_seconds"]) for each in asked if each["records"] <= allowed), None)
