"""The page of annotations."""

from __future__ import annotations

from velostream.cli.pages import markdown
from velostream.sql.annotations import KINDS, AnnotationKind

_INTRO = (
    "Comments of the form `-- @name: value` before a statement. Several metrics may stand before one statement: each",
    "`@metric` begins one, and the lines after it describe it. An annotation that nobody reads is an error.",
    "[Metrics from SQL](../guides/metrics-from-sql.md) shows them in use.",
)


def page() -> str:
    """All annotations in one table."""
    heads = ("annotation", "takes", "does", "example", "of")
    return markdown.page("Annotations", _INTRO, markdown.table(heads, map(_row, KINDS)))


def _row(kind: AnnotationKind) -> tuple[str, ...]:
    words = getattr(kind.kind, "words", ())
    takes = f"one of {', '.join(words)}" if words else kind.kind.name
    also = f" Also {', '.join(markdown.code(f'@{alias}') for alias in kind.aliases)}." if kind.aliases else ""
    example = markdown.code(f"-- @{kind.name}: {kind.example}")
    return markdown.code(f"@{kind.name}"), takes, f"{kind.doc}.{also}", example, kind.scope.value
