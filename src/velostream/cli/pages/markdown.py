"""Markdown from values: text that cannot break a table, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

WRITTEN = "<!-- written by `make docs`: change the code, not this page -->"


def cell(text: str) -> str:
    """A text inside a table: bars escaped, on one line."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """A text as code, whatever backticks it holds."""
    fence = "``" if "`" in text else "`"
    inner = f" {text} " if text.startswith("`") or text.endswith("`") else text
    return f"{fence}{inner}{fence}" if text else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return lines + ["| " + " | ".join(cell(text) for text in row) + " |" for row in rows]


def page(title: str, *parts: Iterable[str]) -> str:
    """A page: its title, then parts with an empty line between them."""
    blocks = [f"# {title}", WRITTEN, *("\n".join(part) for part in parts)]
    return "\n\n".join(block for block in blocks if block) + "\n"
