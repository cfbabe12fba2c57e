"""kill -9 of the driver of jobs over a topic of changes, again and again: what is upserted are the rows that stand.

VELO_KILLS sets how often, VELO_SEED when; `make faults` sets them.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.conftest import connector_jars
from tests.faults.test_kafka_faults import batches
from tests.faults.test_postgres_faults import SEED, TIMES, run_disturbed
from tests.kafka.apps import START, properties, sink, source
from tests.kafka.cluster import Cluster, broker_or_skip
from tests.kafka.test_changes import COLUMNS, MINUTE, Database, of_topic

if TYPE_CHECKING:
    from tests.postgres.server import Database as PostgreSQL

BATCH = 60


def application(home: Path, cluster: Cluster, changes: str, sums: str, url: str) -> None:
    """The rows themselves, groups and windows of them: into tables by their key, and into a topic in transactions."""
    tables = {
        name: properties(name, type="database_sink", url=url, table=f"changes_{name}", table_create="true")
        for name in ("copies", "bars")
    }
    settings = {"format": "debezium_json", "max_records_per_batch": str(BATCH)}
    text = source(cluster.address, changes, COLUMNS, watermark_max_out_of_orderness="10m", **settings)
    text += f"""
        CREATE STREAM copied AS SELECT id PRIMARY KEY, k, v FROM s WHERE v >= 0 INTO copies WITH ({tables["copies"]});
        -- @job_mode: transactional
        CREATE STREAM summed AS SELECT k, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY k EMIT CHANGES
            INTO up WITH ({sink(cluster.address, sums, "up", write_mode="upsert")});
        CREATE STREAM minutes AS SELECT k PRIMARY KEY, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY k
            WINDOW TUMBLING(1m) INTO bars WITH ({tables["bars"]}, 'allowed.lateness' = '1h');
        """
    (home / "app.sql").write_text(text)


def disturb(home: Path, process: subprocess.Popen[bytes], left: list[str]) -> bool:
    """Kills the driver when it has come a little further; True where that was done."""
    chance = random.Random(f"{SEED}/{len(left)}")
    before, begun = batches(home), time.monotonic()
    while process.poll() is None and batches(home) <= before:
        assert time.monotonic() - begun < 300, (home / "log").read_text()[-3000:]
        time.sleep(0.02)
    time.sleep(chance.uniform(0, 1.5))
    if process.poll() is not None:
        return False
    left.pop()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return True


@pytest.mark.slow
@pytest.mark.skipif("VELO_KILLS" not in os.environ, reason="minutes: make faults")
def test_what_is_upserted_are_the_rows_that_stand_however_often_the_driver_dies(
    tmp_path: Path, postgres: PostgreSQL
) -> None:
    if not connector_jars():
        pytest.skip("the jars of Spark's Kafka connector cannot be had")
    database = Database(TIMES, keys=40)
    messages = database.changes(BATCH * (2 * TIMES + 3))
    broker = broker_or_skip(tmp_path / "broker").start()
    try:
        cluster = Cluster(broker.address)
        changes, sums = cluster.topic("changes", 2), cluster.topic("sums", 2)
        cluster.send(changes, messages)
        application(tmp_path, cluster, changes, sums, postgres.url)
        reports = run_disturbed(tmp_path, partial(disturb, tmp_path), ["driver"] * TIMES)
        for job in reports.values():
            assert job["records"]["read"] == len(messages)
            assert job["records"]["filtered"] == database.tombstones
            assert job["records"]["dead_lettered"] == {}
        standing = list(database.rows.values())
        copies = postgres.ask("SELECT id, k, v FROM changes_copies ORDER BY id")
        assert copies == sorted((one["id"], one["k"], one["v"]) for one in standing if one["v"] >= 0)
        groups, minutes = defaultdict(list), defaultdict(list)
        for one in standing:
            groups[one["k"]].append(one["v"])
            minutes[one["k"], (one["at"] - START) // MINUTE].append(one["v"])
        found = {key: (one["n"], one["total"]) for key, one in of_topic(cluster, sums).items()}
        assert found == {key: (len(values), sum(values)) for key, values in groups.items()}
        bars = postgres.ask("SELECT k, extract(epoch FROM _window_start)::bigint * 1000, n, total FROM changes_bars")
        assert {(k, (at - START) // MINUTE): (n, total) for k, at, n, total in bars} == {
            key: (len(values), sum(values)) for key, values in minutes.items()
        }
    finally:
        broker.stop()
