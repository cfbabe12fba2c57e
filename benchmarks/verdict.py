"""From runs to figures: medians, ratios of equal work only, floors and aims."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from benchmarks.scenario import VELO, Comparison, Scenario

TOLERANCE = 1e-9
Lanes = Mapping[str, Mapping[str, Any]]
HELD_FLOOR = 200.0
"""Megabytes of state per 100,000 records held that SPEC J1 allows."""


def figures(lane: Mapping[str, Any], sizes: list[int]) -> dict[str, Any]:
    """The figures of one contestant over micro-batches of these sizes; those of several runs are medians."""
    records = sum(sizes)
    for how in ("refused", "failed"):
        if how in lane:
            return {how: lane[how]}
    runs = lane["runs"]
    rate = statistics.median(records / run["seconds"] for run in runs)
    found: dict[str, Any] = {"rate": rate, "peak_bytes": lane["peak_bytes"], "prints": runs[-1]["prints"]}
    found["cpu_s"] = {kind: statistics.median(run["cpu"][kind] for run in runs) for kind in runs[0]["cpu"]}
    batches = [batch for run in runs for batch in run["batches"]]
    if not batches:
        return found
    data = [_data(run["batches"], sizes) for run in runs]
    found["steady"] = statistics.median(
        sum(batch["rows"] for batch in run) * 1000 / sum(batch["ms"] for batch in run) for run in data
    )
    found["latency_ms"] = quantiles([batch["ms"] for run in data for batch in run])
    found["batch_ms"] = statistics.median(batch["ms"] for run in data for batch in run[2:] or run)
    found["parts_ms"] = _parts(runs)
    found["tenths"] = [statistics.median(rates) for rates in zip(*(_tenths(run) for run in data), strict=False)]
    held = max((run["state"] for run in runs if run["state"]), key=lambda state: state["records"], default=None)
    if held:
        found["mb_per_100k_held"] = held["bytes"] / 1e6 / held["records"] * 100_000
        found["most_held"] = held["records"]
    return found


def _data(batches: list[dict[str, Any]], sizes: list[int]) -> list[dict[str, Any]]:
    """The batches that bring records: not the tail's, and not those of a flush.

    Spark counts what a source yields, and one that combines while it reads yields few rows: the files say how many
    records a batch has.
    """
    return [{**batch, "rows": size} for batch, size in zip(batches, sizes, strict=False)]


def quantiles(values: list[float]) -> dict[str, float]:
    """p50, p95 and p99, each of them a value that was measured."""
    ordered = sorted(values)
    return {f"p{part}": ordered[min(len(ordered) - 1, len(ordered) * part // 100)] for part in (50, 95, 99)}


def _parts(runs: list[dict[str, Any]]) -> dict[str, float]:
    """Milliseconds of one run by Spark's parts of a trigger; `outside` is what no micro-batch accounts for."""
    spent: dict[str, list[float]] = {}
    for run in runs:
        total: dict[str, float] = {}
        for batch in run["batches"]:
            for part, took in batch["parts"].items():
                total[part] = total.get(part, 0) + took
        total["outside"] = run["seconds"] * 1000 - sum(batch["ms"] for batch in run["batches"])
        for part, took in total.items():
            spent.setdefault(part, []).append(took)
    return {part: statistics.median(took) for part, took in spent.items()}


def _tenths(batches: list[dict[str, Any]]) -> list[float]:
    """The rate of each tenth of a run."""
    parts = min(10, len(batches))
    edges = [round(index * len(batches) / parts) for index in range(parts + 1)]
    stretches = [batches[begin:end] for begin, end in pairwise(edges)]
    return [sum(b["rows"] for b in part) * 1000 / sum(b["ms"] for b in part) for part in stretches]


def differences(ours: Mapping[str, float], theirs: Mapping[str, float]) -> list[str]:
    """What two fingerprints disagree about; nothing in common is a disagreement too."""
    common = [name for name in ours if name in theirs]
    wrong = [name for name in common if abs(ours[name] - theirs[name]) > TOLERANCE * max(1.0, abs(ours[name]))]
    told = [f"{name} {ours[name]:,.6g} against {theirs[name]:,.6g}" for name in wrong]
    return told if common else ["nothing to compare"]


def judged(scenario: Scenario, lanes: Lanes, sizes: list[int], cores: int) -> dict[str, Any]:
    """A scenario's figures, ratios and verdicts, as plain data."""
    found = {name: figures(lane, sizes) for name, lane in lanes.items()}
    ratios: dict[str, float] = {}
    unequal: dict[str, str] = {}
    own = found.get(VELO, {})
    for name, theirs in found.items():
        if name == VELO or "rate" not in own or "rate" not in theirs:
            continue
        if not theirs["prints"]:
            continue
        wrong = differences(own["prints"], theirs["prints"])
        if wrong:
            unequal[name] = ", ".join(wrong)
        else:
            ratios[name] = own["rate"] / theirs["rate"]
    checks = _checks(scenario, own, ratios, cores)
    answer = {"title": scenario.title, "records": sum(sizes), "contestants": found, "ratios": ratios}
    return {**answer, "unequal": unequal, "checks": checks}


def _checks(
    scenario: Scenario, own: Mapping[str, Any], ratios: Mapping[str, float], cores: int
) -> list[dict[str, Any]]:
    checks = []
    if "rate" in own and scenario.floor:
        per_core = own["rate"] / cores
        text = f"floor: {scenario.floor:,} records/s per core"
        checks.append({"check": text, "value": per_core, "ok": per_core >= scenario.floor})
    if "mb_per_100k_held" in own and scenario.holds:
        held = own["mb_per_100k_held"]
        checks.append(
            {"check": f"state < {HELD_FLOOR:.0f} MB per 100,000 held", "value": held, "ok": held < HELD_FLOOR}
        )
    for peer, aim in scenario.aims.items():
        if peer in ratios:
            checks.append({"check": f"aim: ≥ {aim} × {peer}", "value": ratios[peer], "ok": ratios[peer] >= aim})
    return checks


def compared(comparison: Comparison, scenarios: Mapping[str, Mapping[str, Any]]) -> dict[str, Any] | None:
    """One scenario of ours against another, where both ran."""
    values = []
    for name in (comparison.of, comparison.to):
        own = scenarios.get(name, {}).get("contestants", {}).get(VELO, {})
        if comparison.measure not in own:
            return None
        values.append(own[comparison.measure])
    ratio = values[0] / values[1]
    return {"title": comparison.title, "aim": comparison.aim, "ratio": ratio, "ok": comparison.holds(ratio)}
