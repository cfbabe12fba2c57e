"""Upserts into PostgreSQL, side by side in one run: Velostream's sink, COPY by hand, INSERT of many rows by hand.

`python -m benchmarks.postgres [ROWS]`: every contestant writes the same micro-batches over the same keys, into a table
of its own. Per core means: divided by the processor time of the client and of the server's process together.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
import psycopg
import pyarrow as pa

from velostream.sinks.writers.batch import Batch, BatchRows, Shape
from velostream.sinks.writers.database import release, write_database

BATCH = 100_000
COLUMNS = "k, n, total, at"
TABLE = "k text PRIMARY KEY, n bigint, total double precision, at timestamptz"
SHAPE = Shape(
    (("k", "STRING"), ("n", "BIGINT"), ("total", "DOUBLE"), ("at", "TIMESTAMP")), ("k",), ("k",), upserts=True
)
CHANGE = "ON CONFLICT (k) DO UPDATE SET n = EXCLUDED.n, total = EXCLUDED.total, at = EXCLUDED.at"


def micro_batch(number: int) -> pa.Table:
    """Rows of which half are of keys that were written before."""
    places = np.arange(number * BATCH // 2, number * BATCH // 2 + BATCH)
    return pa.table(
        {
            "k": pa.array([f"key-{place:08d}" for place in places]),
            "n": pa.array(places),
            "total": pa.array(places * 1.5),
            "at": pa.array(places * 1_000, pa.timestamp("us", "UTC")),
        }
    )


def by_velostream(url: str) -> Callable[[int, pa.Table], None]:
    """The sink as jobs use it, exactly once."""
    from velostream.catalog.properties import sink_keys
    from velostream.config.origin import command
    from velostream.config.owner import Owner
    from velostream.config.property import Scope
    from velostream.config.resolve import Surroundings, resolve
    from velostream.diagnostics import Findings

    given = {"s.type": "database_sink", "s.url": url, "s.table": "velostream"}
    entries = [command(name, value) for name, value in given.items()]
    owner = Owner("s", Scope.SINK, sink_keys)
    settings = resolve(entries, [owner], Surroundings.of(variables={}), Findings())["s"]

    def write(number: int, table: pa.Table) -> None:
        rows: Any = BatchRows(None, table.num_rows, table)
        assert not write_database("s", rows, settings, Batch("bench", number), SHAPE)

    return write


def by_copy(url: str) -> Callable[[int, pa.Table], None]:
    """What one writes by hand for speed: rows copied into a temporary table, then moved."""
    connection = psycopg.connect(url)
    connection.execute("CREATE TEMPORARY TABLE stage (LIKE by_copy) ON COMMIT DELETE ROWS")
    connection.commit()

    def write(number: int, table: pa.Table) -> None:
        with connection.transaction(), connection.cursor() as cursor:
            with cursor.copy(f"COPY stage ({COLUMNS}) FROM STDIN") as copy:
                for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
                    copy.write_row(row)
            cursor.execute(f"INSERT INTO by_copy SELECT {COLUMNS} FROM stage {CHANGE}")

    return write


def by_insert(url: str) -> Callable[[int, pa.Table], None]:
    """What most programs do: INSERT of many rows, in one transaction."""
    connection = psycopg.connect(url)

    def write(number: int, table: pa.Table) -> None:
        with connection.transaction(), connection.cursor() as cursor:
            rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
            cursor.executemany(f"INSERT INTO by_insert ({COLUMNS}) VALUES (%s, %s, %s, %s) {CHANGE}", rows)

    return write


def processor_time(server: int) -> float:
    """Seconds of this process and of all of the server's."""
    spent = [psutil.Process().cpu_times(), *(one.cpu_times() for one in psutil.Process(server).children())]
    return sum(one.user + one.system for one in spent)


def main(rows: int) -> None:
    """Prints a table."""
    import pgserver

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = pgserver.get_server(tempfile.mkdtemp(prefix="velo-pg-"), cleanup_mode="delete")
    url = server.get_uri()
    with psycopg.connect(url) as connection:
        for table in ("velostream", "by_copy", "by_insert"):
            connection.execute(f"CREATE TABLE {table} ({TABLE})")
    batches = [micro_batch(number) for number in range(max(2, rows // BATCH))]
    print(f"{len(batches)} micro-batches of {BATCH:,} rows, half of them over rows of the batch before")
    for name, make in (("velostream", by_velostream), ("by_copy", by_copy), ("by_insert", by_insert)):
        write = make(url)
        write(0, batches[0])
        began, spent = time.perf_counter(), processor_time(server.get_pid())
        for number, table in enumerate(batches[1:], start=1):
            write(number, table)
        seconds, cores = time.perf_counter() - began, processor_time(server.get_pid()) - spent
        count = (len(batches) - 1) * BATCH
        print(f"{name:12} {count / seconds:>10,.0f} upserts/s {count / cores:>10,.0f} upserts/s per core")
    release("bench")
    server.cleanup()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
