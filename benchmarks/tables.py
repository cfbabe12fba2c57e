"""Tables by themselves: how fast they are loaded, refreshed and looked up in.

`python -m benchmarks.tables [ROWS]`: a table from a Parquet file, then a second file that changes one row in a hundred,
then keys in batches of 100,000, of which one in twenty is not there. DuckDB joins the same keys with the same rows in
memory.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.references import Reference, rows_of

RUNS = 5
BATCH, BATCHES = 100_000, 10
SHARE = 100
"""One row in so many is changed."""
APP = """CREATE TABLE t (symbol STRING PRIMARY KEY, sector STRING, lot INT, rate DOUBLE)
WITH ('type' = 'file_source', 'path' = '{path}/*.parquet', 'format' = 'parquet');
CREATE STREAM s (symbol STRING) WITH ('type' = 'datagen_source');
SELECT s.symbol, t.lot FROM s JOIN t ON s.symbol = t.symbol;
"""


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds, and seconds of this process's cores."""
    began, spent = time.perf_counter(), sum(os.times()[:2])
    work()
    return time.perf_counter() - began, sum(os.times()[:2]) - spent


def loading(spark: Any, rows: int, home: Path) -> Path:
    """Prints what loading and a refresh take; answers with the checkpoint."""
    from velostream.jobs.tables import Tables
    from velostream.plan import plan
    from velostream.tables.loading import INCREMENTAL
    from velostream.validation import validate

    loads, refreshes = [], []
    for run in range(RUNS):
        data = home / f"data-{run}"
        data.mkdir()
        pq.write_table(rows_of(Reference("t", rows)), data / "0.parquet")
        answer = validate(APP.format(path=data), "bench.sql", variables={})
        tables = Tables(plan(answer.bound, answer.library), spark, home / f"checkpoint-{run}", home)
        loads.append(timed(tables.load)[0])
        pq.write_table(rows_of(Reference("t", rows // SHARE), run + 1, first=rows // 2), data / "1.parquet")
        loader = tables.loading.loaders["t"]
        refreshes.append(timed(lambda: loader.load(INCREMENTAL))[0])  # noqa: B023
        made = loader.writer.store.newest()
        assert made is not None
        assert made.rows == rows
    load, refresh = statistics.median(loads[1:]), statistics.median(refreshes[1:])
    print(f"load      {load:8.2f} s {rows / load:>12,.0f} rows/s")
    print(f"refresh   {refresh:8.2f} s {refresh / load:>12.1%} of a load, for 1 % of the rows (aim: ≤ 10 %)")
    return home / "checkpoint-0"


def lookups(checkpoint: Path, rows: int) -> None:
    """Prints how many keys a second are looked up."""
    import duckdb

    from velostream.tables.lookup import TableLookup

    rng = np.random.default_rng(9)
    asked = [pa.array(np.char.mod("K%07d", rng.integers(0, rows * 20 // 19, BATCH))) for _ in range(BATCHES)]
    batches = [pa.table({"symbol": keys}) for keys in asked]
    table = TableLookup(checkpoint, "t", fresh=60.0)
    first, _ = timed(lambda: table.rows(batches[0]))
    told: list[tuple[str, Callable[[pa.Table], Any]]] = [("lookups", table.rows)]
    with duckdb.connect(config={"threads": 1}) as connection:
        held = table.rows(pa.table({"symbol": rows_of(Reference("t", rows))["symbol"]}))
        connection.register("held", held)
        connection.execute("CREATE TABLE t AS FROM held")

        def joined(keys: pa.Table) -> Any:
            connection.register("keys", keys)
            return connection.execute("SELECT * FROM keys LEFT JOIN t USING (symbol)").to_arrow_table()

        for name, ask in (*told, ("DuckDB", joined)):
            ask(batches[0])
            runs = [timed(lambda: [ask(keys) for keys in batches]) for _ in range(RUNS)]  # noqa: B023
            rate = BATCH * BATCHES / statistics.median(seconds for seconds, _ in runs)
            cores = BATCH * BATCHES / statistics.median(spent for _, spent in runs)
            print(f"{name:9} {rate:>12,.0f} keys/s {cores:>12,.0f} keys/s per core, in batches of {BATCH:,}")
    one = [keys[0].as_py() for keys in asked]
    seconds, _ = timed(lambda: [table.row(key) for key in one * 100])
    print(f"one key   {len(one) * 100 / seconds:>12,.0f} keys/s; the first after a new version waits {first:.2f} s")


def main(rows: int) -> None:
    """Prints all of it."""
    from benchmarks.contestants.session import SHARED
    from velostream.spark.session import spark_session

    spark = spark_session("local[2]", SHARED)
    print(f"a table of {rows:,} rows")
    with tempfile.TemporaryDirectory(prefix="velo-tables-") as home:
        lookups(loading(spark, rows, Path(home)), rows)
    spark.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
