"""What a report is made from: the findings of each file that was checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from velostream.catalog.system_columns import SystemColumn
from velostream.cli.colours import Colours
from velostream.diagnostics import Diagnostic, Severity
from velostream.positions import Text


@dataclass(frozen=True, slots=True)
class Checked:
    """One file or query after checking."""

    text: Text
    diagnostics: tuple[Diagnostic, ...]
    statements: int = 0
    system_columns: tuple[SystemColumn, ...] = ()

    def count(self, severity: Severity) -> int:
        """How many findings of that severity it has."""
        return sum(1 for diagnostic in self.diagnostics if diagnostic.severity is severity)

    @property
    def failed(self) -> bool:
        """True where something keeps it from running."""
        return self.count(Severity.ERROR) > 0


class Report(Protocol):
    """A format: `text`, `json`, `github`."""

    @property
    def name(self) -> str:
        """The word after `--format`."""
        ...

    def render(self, checked: Sequence[Checked], *, colours: Colours, system_columns: bool) -> str:
        """All of it, with the reference of system columns where asked for."""
        ...


def underlined(diagnostic: Diagnostic, text: Text) -> tuple[int, int, int] | None:
    """Line, first column and the column after the last that are marked; a span of several lines marks its first."""
    span = diagnostic.span
    if span is None:
        return None
    end = span.end_column if span.end_line == span.line else len(text.line(span.line)) + 1
    return span.line, span.column, max(end, span.column + 1)
