"""An application: one SQL file of many statements, with its header, their annotations, and all findings."""

from __future__ import annotations

from dataclasses import dataclass, field

from velostream.diagnostics import Findings
from velostream.positions import Span, Text
from velostream.sql.statements import Statement


@dataclass(frozen=True, slots=True)
class Annotation:
    """`-- @name: value` before a statement; `span` is that of the whole comment, `value_span` that of the value."""

    name: str
    value: str
    span: Span
    value_span: Span


@dataclass(frozen=True, slots=True)
class ParsedStatement:
    """A statement with what stands before it. `tree` is None where its text was refused (a finding says why)."""

    tree: Statement | None
    name: str
    span: Span
    annotations: tuple[Annotation, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """`-- SQL Application:`, `-- Version:` … at the top of a file, or their @annotations."""

    name: str
    version: str = ""
    description: str = ""
    author: str = ""
    dependencies: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    dependencies_span: Span | None = field(default=None, compare=False)
    """The line that names the first of the dependencies."""


@dataclass(frozen=True, slots=True)
class Application:
    """A parsed file."""

    text: Text
    header: Header
    statements: tuple[ParsedStatement, ...]
    findings: Findings = field(default_factory=Findings)
