"""The stored ratios: a run that falls 10 % below one of them is a regression."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.scenario import DUCKDB
from benchmarks.scenarios import COMPARISONS

BASELINE = Path(__file__).parent / "results" / "baseline.json"
FALL = 0.10


def ratios(result: Mapping[str, Any]) -> dict[str, float]:
    """All ratios of a run by name, each so that more is better. DuckDB is the limit and no peer: it is left out."""
    found = {
        f"{name} / {peer}": ratio
        for name, one in result["scenarios"].items()
        for peer, ratio in one["ratios"].items()
        if peer != DUCKDB
    }
    costs = {each.name for each in COMPARISONS if each.most is not None}
    for name, one in result["comparisons"].items():
        found[name] = 1 / one["ratio"] if name in costs else one["ratio"]
    return {name: round(ratio, 4) for name, ratio in found.items()}


def store(result: Mapping[str, Any], file: Path = BASELINE) -> str:
    """Keeps the ratios of a run."""
    kept = {"records": result["records"], "cores": result["cores"], "ratios": ratios(result)}
    file.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    return f"{len(kept['ratios'])} ratios stored"


def check(result: Mapping[str, Any], file: Path = BASELINE) -> tuple[list[str], list[str]]:
    """A line for each stored ratio, and the names of those that fell; one that is missing has fallen."""
    stored = json.loads(file.read_text())
    found = ratios(result)
    lines, fallen = [], []
    for setting in ("records", "cores"):
        if stored[setting] != result[setting]:
            lines.append(f"note: stored with {setting} = {stored[setting]:,}, compared with {result[setting]:,}")
    for name, before in stored["ratios"].items():
        now = found.get(name)
        bad = now is None or now < before * (1 - FALL)
        fallen += [name] if bad else []
        shown = "not measured" if now is None else f"{now:.2f}"
        lines.append(f"{'FELL' if bad else 'ok':5} {name:28} {before:.2f} → {shown}")
    return lines, fallen
