"""Rows that jobs have written as tables that questions can name, columns named like system columns included."""

from __future__ import annotations

from collections.abc import Sequence

from velostream.catalog.system_columns import AS_WRITTEN, is_reserved


def declared(table: str, columns: Sequence[tuple[str, str]], source: str) -> str:
    """The rows as a table, in SQL; all columns together tell them apart."""
    listed = ", ".join(
        f"`{name}` {kind}{f' COMMENT {AS_WRITTEN!r}' if is_reserved(name) else ''}" for name, kind in columns
    )
    key = ", ".join(f"`{name}`" for name, _ in columns)
    return f"CREATE OR REPLACE TABLE `{table}` ({listed}, PRIMARY KEY ({key})) WITH ({source});"
