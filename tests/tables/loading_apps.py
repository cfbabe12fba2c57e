"""Applications whose only job reads one table, for tests of loading it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from velostream.jobs.tables import Tables
from velostream.plan import plan
from velostream.tables.newest import TIME
from velostream.validation import validate


def tables_of(spark: Any, home: Path, columns: str, **settings: str) -> Tables:
    """The tables of an application that reads table `t` of these columns and settings; `_` stands for a dot."""
    told = ", ".join(f"'{key.replace('_', '.')}' = '{value}'" for key, value in settings.items())
    text = f"""CREATE STREAM s (k STRING, at TIMESTAMP) WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
        CREATE TABLE t ({columns}) WITH ({told});
        SELECT s.k FROM s JOIN t ON s.k = t.k"""
    answer = validate(text, "test.sql", variables={}, folder=home)
    assert answer.ok, answer.findings.errors
    return Tables(plan(answer.bound, answer.library), spark, home / "checkpoint", home)


def rows(tables: Tables) -> dict[str, Any]:
    """The values of the table's last column by key."""
    newest = tables.loading.loaders["t"].writer.store.newest()
    assert newest is not None
    found = newest.read().drop_columns(TIME)
    return dict(zip(found["k"].to_pylist(), found[found.column_names[-1]].to_pylist(), strict=True))


def refreshed(tables: Tables) -> dict[str, Any]:
    """The same after a refresh."""
    tables.loading._refreshed("t")
    assert not tables.progress["t"].error
    return rows(tables)
