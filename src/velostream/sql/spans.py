"""Where every node of a tree stands in the text."""

from __future__ import annotations

from sqlglot import exp

from velostream.positions import Span, Text

_KEY = "span"
_NOWHERE = Span(0, 0, 1, 1, 1, 1)


def place(node: exp.Expr, start: int, end: int) -> None:
    """Notes the offsets of a node while it is parsed; `settle` turns them into a span."""
    node.meta[_KEY] = (start, end)


def offsets(node: exp.Expr) -> tuple[int, int] | None:
    """The offsets that were noted for a node."""
    noted = node.meta_get(_KEY)
    return (noted.start, noted.end) if isinstance(noted, Span) else noted


def settle(nodes: list[exp.Expr], text: Text) -> None:
    """Gives every node its span: its own text, else what its children cover, else its parent's. Parents come first."""
    for node in reversed(nodes):
        if offsets(node) is None:
            covered = [at for child in node.iter_expressions() if (at := offsets(child)) is not None]
            if covered:
                place(node, min(start for start, _ in covered), max(end for _, end in covered))
    for node in nodes:
        noted = offsets(node) or (offsets(node.parent) if node.parent else None) or (0, len(text.content))
        node.meta[_KEY] = text.span(*noted)


def move(root: exp.Expr, base: Span) -> None:
    """Moves the spans of a tree that was parsed from a text of its own to where that text stands in a file."""
    for node in root.walk():
        node.meta[_KEY] = moved(span_of(node), base)


def moved(span: Span, base: Span) -> Span:
    """A span of a text of its own, where that text begins at `base` in a file."""
    column = span.column + (base.column - 1 if span.line == 1 else 0)
    end_column = span.end_column + (base.column - 1 if span.end_line == 1 else 0)
    lines = base.line - 1
    start, end = span.start + base.start, span.end + base.start
    return Span(start, end, span.line + lines, column, span.end_line + lines, end_column)


def inside(literal: exp.Literal) -> Span:
    """Where the text of a quoted literal stands, without its quotes; exact as long as nothing in it is escaped."""
    span = span_of(literal)
    return Span(span.start + 1, span.end - 1, span.line, span.column + 1, span.end_line, span.end_column - 1)


def span_of(node: exp.Expr) -> Span:
    """Where a node stands. One that was made after the parse answers with the nearest one around it that was parsed."""
    current: exp.Expr | None = node
    while current is not None:
        noted = current.meta_get(_KEY)
        if isinstance(noted, Span):
            return noted
        current = current.parent
    return _NOWHERE
