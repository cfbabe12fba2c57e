"""Tables from a real PostgreSQL: by a column that grows, or as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.tables.loading_apps import refreshed, rows, tables_of

if TYPE_CHECKING:
    from tests.postgres.server import Database


def test_rows_beyond_the_last_value_are_loaded_or_all_of_them(
    one_spark: Any, postgres: Database, tmp_path: Path
) -> None:
    postgres.ask("CREATE TABLE rates (k text, at bigint, v int)")
    postgres.ask("INSERT INTO rates VALUES ('a', 1, 10), ('b', 2, 20)")
    settings = {"type": "database_source", "url": postgres.url, "table": "rates"}
    columns = "k STRING PRIMARY KEY, at BIGINT, v INT"
    growing = tables_of(one_spark, tmp_path / "growing", columns, **settings, incremental_column="at")
    whole = tables_of(one_spark, tmp_path / "whole", columns, **settings)
    for tables in (growing, whole):
        tables.load()
        assert rows(tables) == {"a": 10, "b": 20}
    postgres.ask("INSERT INTO rates VALUES ('a', 3, 30), ('c', 4, 40)")
    postgres.ask("DELETE FROM rates WHERE k = 'b'")
    assert refreshed(growing) == {"a": 30, "b": 20, "c": 40}
    assert growing.progress["t"].read == 2
    assert refreshed(whole) == {"a": 30, "c": 40}
