"""Rows on the terminal as they come: columns side by side, wider when a value needs it, the header now and then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from velostream.cli.colours import Colours
from velostream.cli.report.text import one_line
from velostream.sinks.writers.console import Shown, shown

HEADER_EVERY = 40
WIDEST = 60


class RowPrinter:
    """Writes the rows of one answer; `count` says how many there were."""

    def __init__(self, write: Callable[[str], None], colours: Colours) -> None:
        self.write = write
        self.colours = colours
        self.columns: tuple[str, ...] = ()
        self.widths: list[int] = []
        self.count = 0
        self.below_header = 0

    def show(self, what: object) -> None:
        """Rows, or a line of text."""
        if isinstance(what, Shown):
            self.rows(what.columns, what.rows)
        else:
            self.write(str(what))

    def rows(self, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        """More rows of the answer."""
        cells = [[_cell(value) for value in row] for row in rows]
        longest = [max((len(row[place]) for row in cells), default=0) for place in range(len(columns))]
        same = tuple(columns) == self.columns
        before = self.widths if same else [len(name) for name in columns]
        self.widths = [max(old, min(new, WIDEST)) for old, new in zip(before, longest, strict=True)]
        if not same or self.widths != before or self.below_header >= HEADER_EVERY:
            self._header(columns)
        for row in cells:
            self.write(self._line(row))
        self.count += len(rows)
        self.below_header += len(rows)

    def end(self) -> None:
        """How many rows there were."""
        self.write(self.colours.paint(f"({self.count:,} row{'' if self.count == 1 else 's'})", "dim"))

    def _header(self, columns: Sequence[str]) -> None:
        if self.count:
            self.write("")
        self.columns, self.below_header = tuple(columns), 0
        self.write(self.colours.paint(self._line(list(columns)), "bold"))
        self.write(self.colours.paint("  ".join("-" * width for width in self.widths), "dim"))

    def _line(self, cells: list[str]) -> str:
        return "  ".join(cell.ljust(width) for cell, width in zip(cells, self.widths, strict=True)).rstrip()


def _cell(value: Any) -> str:
    return one_line(shown(value))
