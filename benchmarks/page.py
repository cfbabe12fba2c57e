"""The results on `docs/benchmarks.md`, between two marks, and the plot: written from a whole run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.plot import bars
from benchmarks.scenario import VELO
from benchmarks.wording import CHECKED, RACED, Rows, checks, comparisons, raced, spent

DOCS = Path(__file__).parents[1] / "docs"

BEGIN, END = "<!-- results of make bench -->\n", "<!-- end of results -->\n"
HEAD = """{records:,} records, {runs} timed runs of each contestant after {warm_ups} that warm up, {cores} cores each.
{machine}. {versions}. {when}.

![Records per second of each scenario](benchmarks.svg)
"""
SPENT = "Seconds of one run by the parts that Spark divides a trigger into; *outside* belongs to no micro-batch.\n"


def text(result: Mapping[str, Any]) -> str:
    """The results, as Markdown."""
    machine = result["machine"]
    facts = {
        "records": result["records"],
        "runs": result["runs"],
        "warm_ups": result["warm_ups"],
        "cores": result["cores"],
        "machine": f"{machine['cores']} × {machine['processor']}, {machine['system']}, memory {machine['memory']}",
        "versions": ", ".join(f"{name} {number}" for name, number in result["versions"].items()),
        "when": result["when"],
    }
    titles: Rows = [(name, one["title"], f"{one['records']:,}") for name, one in result["scenarios"].items()]
    parts = [
        HEAD.format(**facts),
        _table(("scenario", "what", "records"), titles),
        "### Side by side\n",
        _table(RACED, raced(result)),
        "### Floors and aims\n",
        _table(CHECKED, [*checks(result), *comparisons(result)]),
        "### The rate of each tenth of a run\n",
        _table(("scenario", *map(str, range(1, 11))), _tenths(result)),
        "### State\n",
        _table(("scenario", "most records in no result yet", "MB of state per 100,000 of them"), _held(result)),
        "### Parts of a trigger\n",
        SPENT,
        _table(*spent(result)),
        "### velo validate\n",
        _table(result["validate"][0], [tuple(row) for row in result["validate"][1:]]),
    ]
    return "\n".join(parts)


def _table(columns: Sequence[str], rows: Rows) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def _own(result: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    found = ((name, one["contestants"].get(VELO, {})) for name, one in result["scenarios"].items())
    return [(name, own) for name, own in found if "tenths" in own]


def _tenths(result: Mapping[str, Any]) -> Rows:
    rows = []
    for name, own in _own(result):
        shown = [f"{rate / 1000:,.0f} k/s" for rate in own["tenths"]]
        rows.append((name, *shown, *[""] * (10 - len(shown))))
    return rows


def _held(result: Mapping[str, Any]) -> Rows:
    held = [(name, own) for name, own in _own(result) if "most_held" in own]
    return [(name, f"{own['most_held']:,.0f}", f"{own['mb_per_100k_held']:.2f}") for name, own in held]


def write(result: Mapping[str, Any], folder: Path = DOCS) -> None:
    """Puts the results between their marks on the page, and the plot beside it."""
    page = folder / "benchmarks.md"
    before, begin, rest = page.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    page.write_text(f"{before}{begin}\n{text(result)}\n{end}{after}")
    (folder / "benchmarks.svg").write_text(bars(result))
