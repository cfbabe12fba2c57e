"""Subqueries that read aggregates of the groups around them, and those that compare otherwise than by =."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from tests.spark.test_joins import SINK, START, rows, run, write

TABLE = """CREATE TABLE pairs (id INT PRIMARY KEY, k STRING, lot INT, price DOUBLE, exact DECIMAL(8, 2)) WITH (
    'type' = 'file_source', 'path' = 'pairs.jsonl', 'format' = 'jsonl');
"""
ASKED = """s.k, SUM(s.v) AS total,
    (SELECT MAX(lot) FROM pairs p WHERE p.lot < SUM(s.v)) AS below,
    (SELECT MIN(p.price) FROM pairs p WHERE p.k = s.k AND p.lot >= MIN(s.v)) AS cheapest,
    (SELECT COUNT(*) - COUNT(p.lot) + COUNT(DISTINCT p.lot) FROM pairs p WHERE p.id <> COUNT(s.v)) AS counted,
    (SELECT SUM(p.exact) FROM pairs p WHERE p.id BETWEEN MIN(s.v) AND MAX(s.v)) AS worth,
    (SELECT SUM(DISTINCT p.lot) FROM pairs p WHERE p.id < MAX(s.v) OR p.k = s.k) AS lots,
    (SELECT AVG(p.lot) * 2 FROM pairs p WHERE p.price > AVG(s.v)) AS doubled,
    (SELECT COUNT(*) FROM pairs p WHERE p.lot > SUM(s.v) + 1000) AS none,
    (SELECT MAX(lot) FROM pairs p WHERE p.lot > SUM(s.v) + 1000) AS nothing,
    (SELECT COUNT(*) FROM pairs p WHERE p.lot < SUM(s.v) HAVING COUNT(*) > 2) AS several,
    EXISTS (SELECT 1 FROM pairs p WHERE p.k = s.k AND p.lot < SUM(s.v) FILTER (WHERE s.v > 2)) AS there,
    EXISTS (SELECT MAX(p.lot) FROM pairs p WHERE p.lot < SUM(s.v)) AS always,
    COUNT(*) IN (SELECT p.lot FROM pairs p WHERE p.id < MAX(s.v)) AS known,
    SUM(s.v) > ALL (SELECT p.lot FROM pairs p WHERE p.lot < COUNT(s.v) * 2 + MIN(s.v)) AS most"""
RECORDS = """s.k, s.v,
    (SELECT COUNT(*) FROM pairs p WHERE p.lot < s.v) AS below,
    (SELECT SUM(p.price) FROM pairs p WHERE p.lot >= s.v AND p.k = s.k) AS worth,
    s.v IN (SELECT MAX(p.lot) FROM pairs p WHERE p.lot <= s.v) AS highest"""


def given(home: Path, dice: Random) -> None:
    keys = ["a", "b", "c", None]
    write(home / "in" / "0.jsonl", *({"k": k, "v": v, "at": START} for k in keys for v in [1, 2, 5, None, 3]))
    write(home / "bands.jsonl", {"k": "a", "low": 0, "high": 100, "label": "wide"})
    write(home / "t.csv", "k,name,lot")
    pairs = [(number, dice.choice(keys), dice.choice([1, 2, 3, 4, 7, None])) for number in range(9)]
    made = (
        {"id": number, "k": k, "lot": lot, "price": dice.choice([0.5, 2.25, 8.0, None]), "exact": number * 1.25}
        for number, k, lot in pairs
    )
    write(home / "pairs.jsonl", *made)


def expected(home: Path, query: str) -> list[str]:
    import duckdb

    base = duckdb.connect()
    columns = "{id: 'INT', k: 'VARCHAR', lot: 'INT', price: 'DOUBLE', exact: 'DECIMAL(8, 2)'}"
    base.execute(f"CREATE TABLE pairs AS SELECT * FROM read_json('{home}/pairs.jsonl', columns = {columns})")
    base.execute(f"CREATE TABLE s AS SELECT k, v::INT AS v FROM read_json('{home}/in/0.jsonl')")
    answer = base.execute(query)
    names = [each[0] for each in answer.description or ()]
    return sorted(shown(dict(zip(names, row, strict=True))) for row in answer.fetchall())


def shown(row: dict[str, Any]) -> str:
    kinds = {name: value if isinstance(value, bool | str | None) else float(value) for name, value in row.items()}
    return str({name: value for name, value in kinds.items() if not name.startswith("_")})


def test_groups_ask_tables_with_their_own_aggregates_as_in_duckdb(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path, Random(3))
    for name, having in (
        ("all", ""),
        ("few", " HAVING SUM(s.v) > (SELECT MIN(lot) FROM pairs p WHERE p.id >= MIN(s.v))"),
    ):
        home = tmp_path / name
        given(home, Random(3))
        query = f"SELECT {ASKED} FROM s GROUP BY s.k{{window}}{having}"
        run(
            one_spark,
            home,
            f"{TABLE}CREATE STREAM x AS {query.format(window=' WINDOW TUMBLING(1m)')} INTO out WITH ({SINK})",
        )
        found = sorted(map(shown, rows(home)))
        assert found == expected(home, query.format(window=""))
        assert found


def test_records_ask_for_aggregates_of_rows_that_no_equality_finds_as_in_duckdb(one_spark: Any, tmp_path: Path) -> None:
    given(tmp_path, Random(4))
    query = f"SELECT {RECORDS} FROM s"
    run(one_spark, tmp_path, f"{TABLE}CREATE STREAM x AS {query} INTO out WITH ({SINK})")
    assert sorted(map(shown, rows(tmp_path))) == expected(tmp_path, query)
