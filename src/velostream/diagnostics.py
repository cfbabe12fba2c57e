"""Findings: what is wrong or worth saying, where, how bad, what to do. All are collected, none stops the rest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from velostream.codes import CODES
from velostream.errors import VeloError
from velostream.positions import Span


class Severity(Enum):
    """How bad: only errors keep a file from running."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding."""

    severity: Severity
    code: str
    message: str
    span: Span | None = None
    hint: str = ""
    file: str = ""
    statement: str = ""

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"code '{self.code}' is not declared in velostream/codes.py")


@dataclass(slots=True)
class Findings:
    """Where a pass over one file puts what it finds; `statement` names the one being looked at."""

    file: str = ""
    statement: str = ""
    found: list[Diagnostic] = field(default_factory=list)

    def error(self, code: str, message: str, span: Span | None = None, *, hint: str = "") -> None:
        """Something that keeps the file from running."""
        self._add(Severity.ERROR, code, message, span, hint)

    def warning(self, code: str, message: str, span: Span | None = None, *, hint: str = "") -> None:
        """Something that runs, and is probably not what was meant."""
        self._add(Severity.WARNING, code, message, span, hint)

    def note(self, code: str, message: str, span: Span | None = None, *, hint: str = "") -> None:
        """Something good to know."""
        self._add(Severity.NOTE, code, message, span, hint)

    def refuse(self, error: VeloError, span: Span | None = None) -> None:
        """An exception of ours, as a finding; its own position wins over `span`."""
        self.error(error.error_code, error.message, error.span or span, hint=error.hint)

    @property
    def errors(self) -> list[Diagnostic]:
        """What keeps the file from running."""
        return [finding for finding in self.found if finding.severity is Severity.ERROR]

    def ordered(self) -> list[Diagnostic]:
        """Each finding once, whichever statements it was met in, in order of position."""
        unique: dict[object, Diagnostic] = {}
        for one in self.found:
            unique.setdefault((one.severity, one.code, one.message, one.span), one)
        return sorted(unique.values(), key=lambda one: (one.span.start, one.span.end) if one.span else (-1, -1))

    def _add(self, severity: Severity, code: str, message: str, span: Span | None, hint: str) -> None:
        self.found.append(Diagnostic(severity, code, message, span, hint, self.file, self.statement))

    def at(self, statement: str) -> Findings:
        """The same collection, speaking of another statement."""
        return replace(self, statement=statement)
