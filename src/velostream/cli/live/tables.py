"""Tables while they load: a bar each for a terminal, a line now and then elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from velostream.cli.live.figures import amount, span
from velostream.tables.progress import FAILED, LOADING, READY, REFRESHING, Progress

if TYPE_CHECKING:
    from rich.console import RenderableType

_WIDTH = 30


def not_ready(tables: Iterable[Progress]) -> list[Progress]:
    """The tables that jobs may wait for."""
    return [about for about in tables if about.state not in (READY, REFRESHING)]


def bars(tables: Iterable[Progress]) -> RenderableType:
    """A bar for each table; where nobody knows how much there is, one that only moves."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    drawn = Table.grid(padding=(0, 2, 0, 0))
    for about in tables:
        known = about.percent is not None
        bar = ProgressBar(total=100.0 if known else None, completed=about.percent or 0.0, width=_WIDTH, pulse=not known)
        drawn.add_row(
            Text(f"table {about.name}", style="bold"),
            Text(about.state, style="red" if about.state == FAILED else ""),
            bar,
            Text(_figures(about), style="dim"),
        )
    return drawn


def line(about: Progress) -> str:
    """A table as one line."""
    return f"table {about.name} {about.state}: {_figures(about)}"


def _figures(about: Progress) -> str:
    if about.state == READY:
        return f"{about.rows:,} rows in {span(about.loaded_seconds)}"
    parts = [f"{about.percent:.0f} % of {size(about.total_bytes)}"] if about.percent is not None else []
    parts.append(f"{about.read:,} records")
    if about.state == LOADING and about.read:
        parts.append(f"{amount(about.rate)}/s")
    if about.eta is not None:
        parts.append(f"about {span(about.eta)} left")
    return ", ".join(parts) + (f"; {about.error}" if about.error else "")


def size(count: float) -> str:
    """Bytes for a narrow column: 950 B, 12.3 MB."""
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.3g} TB"
