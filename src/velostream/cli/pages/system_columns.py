"""The page of system columns."""

from __future__ import annotations

from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.cli.pages import markdown
from velostream.cli.report.system_columns import TITLES

_INTRO = (
    "Columns that nobody declares. Any letter case, qualified or not, in every clause; `SELECT *` leaves them out.",
    "Which of them a source has depends on it: `velo validate --show-system-columns` prints those of a file.",
    "[The guide](../guides/system-columns.md) shows what they are good for.",
)


def page() -> str:
    """System columns by category."""
    parts: list[tuple[str, ...] | list[str]] = [_INTRO]
    for category, title in TITLES.items():
        rows = [
            (
                markdown.code(column.name),
                markdown.code(str(column.type)),
                column.meaning,
                markdown.code(column.example),
                ", ".join(map(markdown.code, column.aliases)),
            )
            for column in SYSTEM_COLUMNS.values()
            if column.category == category
        ]
        parts.append((f"## {title[:1].upper()}{title[1:]}",))
        parts.append(markdown.table(("name", "type", "meaning", "example", "also written"), rows))
    return markdown.page("System columns", *parts)
