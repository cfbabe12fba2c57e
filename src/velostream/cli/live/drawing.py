"""The figures of running jobs as a table for a terminal, and rows of a result as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from velostream.cli.live.figures import Figures, amount, clock, span
from velostream.sinks.writers.console import Shown, shown

if TYPE_CHECKING:
    from rich.console import RenderableType

MOST_ROWS = 20
"""Rows of a micro-batch that a terminal shows; the others are counted."""
_COLOURS = {"running": "green", "done": "green", "failed": "red", "stopped": "yellow"}


def jobs_table(jobs: Sequence[Figures], done: Mapping[str, tuple[int, int]], seconds: float) -> RenderableType:
    """All jobs, a row each, and how far they are."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for name in ("job", "state"):
        table.add_column(name, no_wrap=True)
    for name in ("rec/s", "average", "read", "open", "windows", "late", "dead", "emitted"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("watermark", "behind", "held back by"):
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    for job in jobs:
        dead = sum(job.dead.values())
        table.add_row(
            Text(job.name, style="bold"),
            Text(job.state, style=_COLOURS.get(job.state, "")),
            amount(job.rate),
            amount(job.average),
            f"{job.read:,}",
            f"{job.open:,}",
            f"{job.open_windows:,}",
            f"{job.late:,}",
            Text(f"{dead:,}", style="red" if dead else ""),
            f"{job.emitted:,}",
            clock(job.watermark) or "none yet",
            span(job.behind),
            job.held_by + (f" ({job.idle} idle)" if job.idle else ""),
        )
    bars = Table.grid(padding=(0, 1))
    for name, (part, whole) in done.items():
        bars.add_row(name, ProgressBar(total=max(whole, 1), completed=part, width=40), f"{part:,} of {whole:,}")
    if not jobs:
        return Text(f"Spark starts … {span(seconds)}", style="dim")
    head = Text(f"running for {span(seconds)}; Ctrl-C stops after the running batch", style="dim")
    return Group(table, bars, head) if done else Group(table, head)


def rows_table(rows: Shown) -> RenderableType:
    """Rows of a result. Where there are many, the first of them and how many more there are."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    more = len(rows.rows) - MOST_ROWS
    table = Table(pad_edge=False)
    numbers = [all(_is_number(row[index]) for row in rows.rows) for index in range(len(rows.columns))]
    for name, right in zip(rows.columns, numbers, strict=True):
        table.add_column(Text(name), justify="right" if right else "left", overflow="fold")
    for row in rows.rows[:MOST_ROWS]:
        table.add_row(*(Text(shown(value), style="dim" if value is None else "") for value in row))
    parts: list[RenderableType] = [Text(rows.name, style="italic"), table]
    if more > 0:
        parts.append(Text(f"and {more:,} more rows; all of them go to a file or a pipe", style="dim"))
    return Group(*parts)


def _is_number(value: Any) -> bool:
    from decimal import Decimal

    return value is None or (isinstance(value, int | float | Decimal) and not isinstance(value, bool))
