"""DuckDB over all files at once: no micro-batches, no state, no recovery. It is the limit, not a peer."""

from __future__ import annotations

import shutil
import time

from benchmarks.contestants.base import Measured, Task, summed
from benchmarks.datasets import TAIL
from benchmarks.scenario import Scenario


class DuckDB:
    """The batch query of a scenario."""

    def start(self, task: Task) -> None:
        """Nothing is kept between runs."""

    def run(self, scenario: Scenario, task: Task, number: int) -> Measured:
        """Reads Parquet, writes Parquet."""
        import duckdb

        target = task.work / f"duckdb-{number}"
        target.mkdir(parents=True)
        begun = time.perf_counter()
        with duckdb.connect(config={"threads": task.cores}) as connection:
            reader = f"SELECT * FROM read_parquet('{task.data}/*.parquet') WHERE symbol <> '{TAIL}'"
            connection.execute("SET TimeZone = 'UTC'")
            for name in scenario.streams:
                connection.execute(f"CREATE VIEW {name} AS {reader}")
            for table in scenario.tables:
                connection.execute(f"CREATE VIEW {table.name} AS FROM read_parquet('{table.file(task.data)}')")
            connection.execute(f"COPY ({scenario.batch}) TO '{target}/out.parquet' (FORMAT parquet)")
        seconds = time.perf_counter() - begun
        prints = summed(target, dict(scenario.batch_print))
        shutil.rmtree(target)
        return Measured(seconds, prints=prints)

    def stop(self) -> None:
        """Nothing was kept."""
