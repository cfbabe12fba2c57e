"""Work that is not spread: slow stages, keys and partitions with most of the records, state that grows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any

from velostream.observability.advice.base import GROWS, SLOW, Advice, Case, amount
from velostream.observability.inside import stages
from velostream.plan.nodes import Aggregate

MUCH = 0.6
"""A stage that takes this share of the time is the one to look at."""
BUSY = 0.7
IDLE = 0.2
MOMENTS = 6
"""So many moments say that a job is busy, not just starting."""
UNEVEN = 2.0
"""The fullest bucket or partition, in means, from which on work is badly spread."""
MOST = 0.8
"""The same where there are so few buckets that none can have twice the mean: the share of all records."""
ENOUGH = 1_000
"""So few records say nothing about skew."""
SAMPLES = 20
GROWTH, STEADY = 1.5, 0.8
"""State grows if it becomes so many times as large in what is kept, and does it so steadily (a correlation)."""
LONG, LARGE = 300.0, 1_000_000
"""In fewer seconds a job only fills its first windows, and so few bytes are no matter."""


def slow_stages(case: Case) -> Iterator[Advice]:
    """The stage that takes most of the time of a job that is busy."""
    jobs, kept = case.kept("jobs"), case.kept("stages")
    if len(jobs) < MOMENTS or not kept:
        return
    busy = median(row["busy"] or 0.0 for row in jobs[-MOMENTS:])
    if busy < BUSY:
        return
    spent = {row["stage"]: row["seconds"] for row in kept if row["at"] == kept[-1]["at"]}
    total = sum(spent.values())
    stage, seconds = max(spent.items(), key=lambda item: item[1])
    if not total or seconds / total < MUCH:
        return
    sink = stage.removeprefix("sink ") if stage.startswith("sink ") else ""
    changes = {
        "compute": "filter earlier, aggregate over fewer or larger windows, or give it more cores (--master)",
        "rows": "the select list is dear: move what does not change per row into a table or an earlier stream",
    }
    change = (
        f"write larger batches to '{sink}', or see why it is slow" if sink else changes.get(stage, "look at its cost")
    )
    figures = {"stage": stage, "share": round(seconds / total, 3), "seconds": seconds, "busy": busy}
    what = f"the job is busy {busy:.0%} of the time, and {seconds / total:.0%} of that is '{stage}'"
    yield Advice(SLOW, case.job.name, what, figures, change)


def skewed_keys(case: Case) -> Iterator[Advice]:
    """Groups that have most of the records, where the job has much to do."""
    if _idle(case):
        return
    for stage in stages(case.job, case.accounts):
        uneven = min(UNEVEN, MOST * stage["buckets"])
        if stage["records"] < ENOUGH or stage["skew"] < uneven or stage["buckets"] < 2 or _alike(stage["heaviest"]):
            continue
        heaviest = stage["heaviest"][:3]
        shown = "; ".join(", ".join(f"{k} = {v}" for k, v in each["keys"].items()) for each in heaviest)
        figures = {"stage": stage["title"], "skew": stage["skew"], "records": stage["records"], "heaviest": heaviest}
        what = f"one bucket of '{stage['title']}' has {stage['skew']:g} times the mean" + (
            f": {shown}" if shown else ""
        )
        change = "group in two steps: first by one more column, then, over that stream, without it"
        yield Advice(SLOW, case.job.name, what, figures, change)


def _alike(heaviest: Sequence[Mapping[str, Any]]) -> bool:
    """True where the heaviest group has about as many records as the heaviest of other buckets, or there is no other:
    few groups fill few buckets, however evenly records are spread over them."""
    if not heaviest:
        return False
    first, *others = (each["records"] for each in heaviest)
    return not others or first < UNEVEN * median(others)


def _idle(case: Case) -> bool:
    """True for a job that is known to have little to do: how its work is spread matters to nobody."""
    jobs = case.kept("jobs")
    return len(jobs) >= MOMENTS and median(row["busy"] or 0.0 for row in jobs[-MOMENTS:]) < IDLE


def skewed_partitions(case: Case) -> Iterator[Advice]:
    """Partitions that deliver most of the records."""
    by_source: dict[str, dict[str, int]] = {}
    for name, count in case.accounts.seen["delivered"].items():
        by_source.setdefault(name.rpartition("/")[0], {})[name] = count
    for source, counts in by_source.items():
        mean = fmean(counts.values())
        most = max(counts, key=lambda name: counts[name])
        if len(counts) < 2 or sum(counts.values()) < ENOUGH or counts[most] / mean < UNEVEN:
            continue
        figures = {"source": source, "partition": most, "records": counts[most], "mean": round(mean)}
        what = f"partition {most} delivers {counts[most] / mean:.1f} times as many records as the mean of '{source}'"
        yield Advice(SLOW, case.job.name, what, figures, "see that its producers spread their keys evenly")


def growing_state(case: Case) -> Iterator[Advice]:
    """State that has only ever grown."""
    rows = [row for row in case.kept("jobs") if row["state_bytes"]]
    if len(rows) < SAMPLES:
        return
    sizes = [float(row["state_bytes"]) for row in rows]
    if sizes[-1] < GROWTH * sizes[0] or _correlation(sizes) < STEADY:
        return
    seconds = (rows[-1]["at"] - rows[0]["at"]).total_seconds()
    if seconds < LONG or sizes[-1] < LARGE:
        return
    hours = seconds / 3600
    figures = {"first_bytes": sizes[0], "last_bytes": sizes[-1], "hours": round(hours, 2), "samples": len(sizes)}
    taken = f"{hours:.1f} h" if hours >= 1 else f"{seconds / 60:.0f} min"
    what = f"the state grew from {amount(sizes[0])} to {amount(sizes[-1])} bytes in {taken}, and did not shrink"
    windowed = any(isinstance(node, Aggregate) and node.window is not None for node in case.job.root.walk())
    change = (
        "see whether the keys grow without end, or keep windows for less: a shorter size or 'allowed.lateness'"
        if windowed
        else "set 'state.ttl', use a window, or group by keys that do not grow without end"
    )
    yield Advice(GROWS, case.job.name, what, figures, change, "docs/guides/memory-high.md")


def _correlation(values: Sequence[float]) -> float:
    """How steadily values grow with their place: 1 on a line upwards."""
    places = range(len(values))
    middle, mean = fmean(places), fmean(values)
    above = sum((place - middle) * (value - mean) for place, value in zip(places, values, strict=True))
    spread = sum((place - middle) ** 2 for place in places) * sum((value - mean) ** 2 for value in values)
    return above / spread**0.5 if spread else 0.0
