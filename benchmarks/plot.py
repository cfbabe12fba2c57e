"""Plots as SVG, written by hand: bars side by side, on one scale for each scenario."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from benchmarks.scenario import CONTESTANTS, DUCKDB

COLOURS = dict(zip(CONTESTANTS, ("#1f6feb", "#8b949e", "#c0c6cd", "#e3b341"), strict=True))
WIDTH, LEFT, BAR, GAP, TOP = 860, 290, 13, 14, 34
FRAME = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="%d" viewBox="0 0 {WIDTH} %d" %s>'
FONT = 'font-family="system-ui, sans-serif" font-size="12"'


def bars(result: Mapping[str, Any]) -> str:
    """The rate of each contestant in each scenario. DuckDB is a figure beside the bars, off their scale."""
    parts: list[str] = []
    height = TOP
    for name, one in result["scenarios"].items():
        lanes = {who: found for who, found in one["contestants"].items() if who != DUCKDB}
        longest = max((found.get("rate", 0) for found in lanes.values()), default=0) or 1
        parts.append(_text(8, height + BAR - 2, f"{name}  {one['title']}", most=48))
        for who, found in lanes.items():
            parts.append(_bar(height, who, found, longest))
            height += BAR + 2
        height += GAP
    legend = [
        f'<rect x="{LEFT + 130 * index}" y="8" width="12" height="12" fill="{COLOURS[who]}"/>'
        + _text(LEFT + 130 * index + 17, 18, who)
        for index, who in enumerate(each for each in CONTESTANTS if each != DUCKDB)
    ]
    background = f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    return "\n".join([FRAME % (height, height, FONT), background, *legend, *parts, "</svg>"]) + "\n"


def _bar(y: int, who: str, found: Mapping[str, Any], longest: float) -> str:
    if "rate" not in found:
        return _text(LEFT, y + BAR - 2, f"{who}: {'refused' if 'refused' in found else 'failed'}")
    length = max(1.0, (WIDTH - LEFT - 90) * found["rate"] / longest)
    shape = f'<rect x="{LEFT}" y="{y}" width="{length:.0f}" height="{BAR}" fill="{COLOURS[who]}"/>'
    return shape + _text(int(LEFT + length + 6), y + BAR - 2, f"{found['rate'] / 1000:,.0f} k/s")


def _text(x: int, y: int, text: str, *, most: int = 80) -> str:
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return f'<text x="{x}" y="{y}" fill="#24292f">{escape(shown)}</text>'
