"""Files of changes as Debezium writes them, a line each: as streams, as tables, and joined with tables."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.postgres.apps import runner_of, write_lines

if TYPE_CHECKING:
    from tests.postgres.server import Database

NAMES = ("both", "lots", "looked")
Row = dict[str, Any]


class Source:
    """A table whose changes are written down; rows come, change and go at random, the keys are few."""

    def __init__(self, seed: int, key: str, *columns: tuple[str, Sequence[Any]]) -> None:
        self.chance = random.Random(seed)
        self.key, self.columns = key, columns
        self.rows: dict[int, Row] = {}

    def changes(self, count: int, changed: set[int]) -> list[Row | str]:
        """Lines; what a row was before is told in full, by its key alone, or not at all. The rows that stand and were
        `changed` are added to these."""
        found: list[Row | str] = []
        for _ in range(count):
            number = self.chance.randrange(12)
            old = self.rows.pop(number, None)
            changed.add(number)
            if old is None or self.chance.random() < 0.6:
                new = {self.key: number, **{name: self.chance.choice(values) for name, values in self.columns}}
                self.rows[number] = new
                told: Row = {"op": "u" if old else self.chance.choice("cr"), "before": None, "after": new}
                found.append(told if self.chance.random() < 0.5 else {"schema": {}, "payload": told})
            else:
                found.append({"op": "d", "before": self.chance.choice([old, {self.key: number}]), "after": None})
                found += ["null"] * self.chance.randint(0, 1)
        return found


def application(url: str) -> str:
    sinks = {
        name: f"INTO {name} WITH ('{name}.type' = 'database_sink', '{name}.url' = '{url}', "
        f"'{name}.table' = 'files_{name}', '{name}.table.create' = 'true')"
        for name in NAMES
    }
    sides = "s.id, t.lot, s.v FROM t JOIN s ON s.k = t.k UNION ALL SELECT {}nr, lot, v FROM z"
    return f"""
        CREATE STREAM s (id INT PRIMARY KEY, k STRING, v INT) WITH ('type' = 'file_source', 'path' = 'in/s*.jsonl',
            'format' = 'debezium_json');
        CREATE STREAM z (nr BIGINT PRIMARY KEY, lot INT, v BIGINT) WITH ('type' = 'file_source',
            'path' = 'in/z*.jsonl', 'format' = 'debezium_json', 'partition.by' = 'file');
        CREATE TABLE t (k STRING PRIMARY KEY, lot INT) WITH ('type' = 'file_source', 'path' = 'lots.jsonl');
        CREATE TABLE rows_of (id INT PRIMARY KEY, k STRING, v INT) WITH ('type' = 'file_source',
            'path' = 'in/s*.jsonl', 'format' = 'debezium_json');
        CREATE STREAM ids (id INT) WITH ('type' = 'file_source', 'path' = 'ids.jsonl', 'growing' = 'true');
        -- @num_partitions: 2
        CREATE STREAM all_of AS SELECT side PRIMARY KEY, id PRIMARY KEY, lot, v FROM (SELECT 's' AS side,
            {sides.format("'z', ")}) u WHERE lot <> 2 {sinks["both"]};
        -- @num_partitions: 2
        CREATE STREAM counted AS SELECT lot, COUNT(*) AS n, SUM(v) AS total FROM (SELECT {sides.format("")}) u
            GROUP BY lot EMIT CHANGES {sinks["lots"]};
        CREATE STREAM looked_up AS SELECT ids.id PRIMARY KEY, rows_of.k FROM ids JOIN rows_of ON ids.id = rows_of.id
            {sinks["looked"]};
        """


def test_rows_that_are_taken_back_take_back_what_they_met_whatever_has_become_of_the_table(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    orders = Source(5, "id", ("k", "abcd"), ("v", range(-3, 10)))
    others, met = Source(6, "nr", ("lot", range(1, 5)), ("v", range(9))), dict[int, int | None]()
    for turn, lots in enumerate(({"a": 1, "b": 2, "c": 3}, {"a": 2, "b": 1, "d": 4})):
        told = (json.dumps({"k": k, "lot": lot}) + "\n" for k, lot in lots.items())
        (tmp_path / "lots.jsonl").write_text("".join(told))
        changed: set[int] = set()
        for part in "ab":
            write_lines(tmp_path, f"s{turn}{part}.jsonl", orders.changes(30, changed))
            write_lines(tmp_path, f"z{turn}{part}.jsonl", others.changes(30, set()))
        met |= {number: lots.get(str(orders.rows[number]["k"])) for number in changed if number in orders.rows}
        with (tmp_path / "ids.jsonl").open("a") as ids:
            ids.write("".join(json.dumps({"id": number}) + "\n" for number in orders.rows))
        runner = runner_of(one_spark, tmp_path, application(postgres.url))
        runner.run_until_done()
        assert all(job.accounts.adds_up for job in runner.jobs)
        for report in runner.report()["jobs"]:
            assert report["records"]["dead_lettered"] == {}, report
        rows = [("s", number, met[number], row["v"]) for number, row in orders.rows.items() if met[number] is not None]
        rows += [("z", number, row["lot"], row["v"]) for number, row in others.rows.items()]
        found = postgres.ask("SELECT side, id, lot, v FROM files_both")
        assert sorted(found) == sorted(row for row in rows if row[2] != 2)
        groups = defaultdict(list)
        for _, _, lot, v in rows:
            groups[lot].append(v)
        counts = [(lot, len(values), sum(values)) for lot, values in groups.items()]
        assert sorted(postgres.ask("SELECT lot, n, total FROM files_lots")) == sorted(counts)
        looked = dict(postgres.ask("SELECT id, k FROM files_looked"))
        assert {number: looked[number] for number in orders.rows} == {n: row["k"] for n, row in orders.rows.items()}
