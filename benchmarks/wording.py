"""The figures of a run as rows of text, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.scenario import VELO

RACED = (
    *("scenario", "contestant", "records/s", "ratio", "steady", "p50 ms", "p95 ms", "p99 ms"),
    *("CPU JVM s", "CPU Python s", "peak MB"),
)
CHECKED = ("what", "asked for", "measured", "")
Rows = list[tuple[str, ...]]


def raced(result: Mapping[str, Any]) -> Rows:
    """A row for each contestant of each scenario."""
    rows: Rows = []
    for name, one in result["scenarios"].items():
        for contestant, found in one["contestants"].items():
            rows.append((name, contestant, *_figures(one, contestant, found)))
    return rows


def _figures(one: Mapping[str, Any], contestant: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    for how in ("refused", "failed"):
        if how in found:
            return (f"{how}: {found[how]}", *[""] * (len(RACED) - 3))
    ratio = "1" if contestant == VELO else "–"
    if contestant in one["ratios"]:
        ratio = f"{one['ratios'][contestant]:.2f}"
    elif contestant in one["unequal"]:
        ratio = f"no ratio: {one['unequal'][contestant]}"
    steady = f"{found['steady']:,.0f}" if "steady" in found else "–"
    latency = found.get("latency_ms")
    shown = tuple(f"{value:,.0f}" for value in latency.values()) if latency else ("–",) * 3
    cpu = (f"{took:.1f}" for took in found["cpu_s"].values())
    return (f"{found['rate']:,.0f}", ratio, steady, *shown, *cpu, f"{found['peak_bytes'] / 1e6:,.0f}")


def checks(result: Mapping[str, Any]) -> Rows:
    """Floors and aims of the scenarios."""
    rows: Rows = [
        (f"{name} {one['title']}", each["check"], _amount(each["value"]), "yes" if each["ok"] else "NO")
        for name, one in result["scenarios"].items()
        for each in one["checks"]
    ]
    cores = result["cores"]
    if cores < 8:
        rows.append(("8 cores", "floor: 1,500,000 records/s", f"measured with {cores}", "not tried"))
    return rows


def comparisons(result: Mapping[str, Any]) -> Rows:
    """Ours against ours."""
    return [
        (one["title"], f"aim: {one['aim']}", _amount(one["ratio"]), "yes" if one["ok"] else "NO")
        for one in result["comparisons"].values()
    ]


def _amount(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}"


def spent(result: Mapping[str, Any]) -> tuple[tuple[str, ...], Rows]:
    """Seconds of one run, by the parts that Spark divides a trigger into."""
    lanes = [
        (name, contestant, found["parts_ms"])
        for name, one in result["scenarios"].items()
        for contestant, found in one["contestants"].items()
        if "parts_ms" in found
    ]
    total: dict[str, float] = {}
    for _, _, parts in lanes:
        for part, took in parts.items():
            total[part] = total.get(part, 0) + took
    order = sorted(total, key=lambda part: -total[part])
    rows = [(name, who, *(f"{parts.get(part, 0) / 1000:.2f}" for part in order)) for name, who, parts in lanes]
    return ("scenario", "contestant", *order), rows
