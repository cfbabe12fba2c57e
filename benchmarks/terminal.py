"""The figures of a run as tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.scenario import VELO
from benchmarks.wording import CHECKED, RACED, checks, comparisons, raced, spent


def show(result: Mapping[str, Any]) -> None:
    """Prints all tables."""
    console = Console()
    if not console.is_terminal:
        console.width = 180
    for title, columns, rows in (
        ("Side by side (ratio: ours / theirs)", RACED, raced(result)),
        ("Floors and aims", CHECKED, [*checks(result), *comparisons(result)]),
        ("Where the time of a run goes, seconds", *spent(result)),
    ):
        table = Table(title=title, title_justify="left")
        for index, name in enumerate(columns):
            table.add_column(name, justify="left" if index < 2 else "right", overflow="fold")
        before = ""
        for row in rows:
            if before and row[0] and row[0] != before:
                table.add_section()
            before = row[0] or before
            style = "bold" if row[1] == VELO else ""
            table.add_row(*row, style=style)
        console.print(table)
