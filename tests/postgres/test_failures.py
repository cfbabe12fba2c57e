"""What becomes of poison records, sinks that are away and sinks that fail half-way, with a real database and disk."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.postgres.apps import SOURCE, run, runner_of, write_lines

from velostream.errors import VeloError

if TYPE_CHECKING:
    from tests.postgres.server import Database

START = 1_700_000_040_000
GOOD = [{"k": "a", "v": n, "at": START + n} for n in range(3)]


def summed(url: str, table: str, **settings: str) -> str:
    """Sums by minute into a table of a database."""
    more = ", ".join(f"'{name}' = '{value}'" for name, value in settings.items())
    return f"""{SOURCE}
        CREATE STREAM sums AS SELECT k PRIMARY KEY, COUNT(*) AS n, SUM(v) AS total FROM s GROUP BY k
        WINDOW TUMBLING(1m) INTO db WITH ('db.type' = 'database_sink', 'db.url' = '{url}', 'db.table' = '{table}',
        'db.table.create' = 'true'{", " if more else ""}{more});"""


def test_records_that_fail_in_a_function_pass_when_they_are_tried_again(one_spark: Any, tmp_path: Path) -> None:
    (tmp_path / "flaky.py").write_text(
        f"""
from pathlib import Path
from velostream.functions.python import scalar

@scalar("INT")
def asked(value: int) -> int:
    \"\"\"Fails twice, as something outside would.\"\"\"
    file = Path({str(tmp_path / "calls")!r})
    calls = len(file.read_text()) if file.exists() else 0
    file.write_text("x" * (calls + 1))
    if calls < 2:
        raise ConnectionError("away")
    return value + 1
"""
    )
    write_lines(tmp_path, "1.jsonl", GOOD[:1])
    text = f"""-- Dependencies: flaky.py
        {SOURCE} CREATE STREAM asked_all AS SELECT k, asked(v) AS w FROM s INTO out WITH ('out.type' = 'memory_sink',
        'failure_strategy' = 'RetryWithBackoff', 'retry_backoff' = '10ms');"""
    report = run(one_spark, tmp_path, text)
    assert report["records"]["in_results"] == 1
    assert report["records"]["dead_lettered"] == {}
    assert len((tmp_path / "calls").read_text()) >= 3


def test_a_database_that_crashes_in_the_middle_is_read_and_written_once(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    postgres.ask("CREATE TABLE crash_in (id bigint PRIMARY KEY, k text, v int, at bigint)")
    postgres.ask(
        f"INSERT INTO crash_in SELECT n, 'k' || n % 7, n, {START} + n / 100 * 60000 + n % 100 "
        "FROM generate_series(0, 799) n"
    )
    more = {"max_retries": "30", "retry_backoff": "100ms", "circuit.breaker.open.duration": "500ms"}
    text = summed(postgres.url, "crashed", **more).replace(
        SOURCE,
        f"""CREATE STREAM s (id BIGINT, k STRING, v INT, at BIGINT) WITH ('type' = 'database_source',
        'url' = '{postgres.url}', 'table' = 'crash_in', 'incremental.column' = 'id', 'max.records.per.batch' = '100',
        'fetch.size' = '10', 'event.time.field' = 'at', 'event.time.format' = 'epoch_millis');""",
    )
    runner = runner_of(one_spark, tmp_path, text)

    def crash() -> None:
        while not (runner.jobs and runner.jobs[0].accounts.batch >= 2):
            time.sleep(0.02)
        postgres.stop()
        time.sleep(2)
        postgres.start()

    thread = threading.Thread(target=crash)
    thread.start()
    runner.run_until_done()
    thread.join()
    assert postgres.ask("SELECT count(*), sum(n), sum(total) FROM crashed") == [(56, 800, 319_600)]
    [report] = runner.report()["jobs"]
    assert report["records"]["read"] == 800
    assert report["circuit_breakers"]["db"]["failures"] + report["circuit_breakers"]["s"]["failures"] > 0


def test_several_sinks_have_every_row_once_though_one_of_them_was_away(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    for number in range(2):
        write_lines(tmp_path, f"{number}.jsonl", [{"k": f"{number}-{n}", "v": n, "at": START} for n in range(50)])

    def text(url: str) -> str:
        return f"""{SOURCE}
            CREATE STREAM copied AS SELECT k PRIMARY KEY, v FROM s INTO out, db WITH ('out.type' = 'file_sink',
            'out.path' = 'out', 'db.type' = 'database_sink', 'db.url' = '{url}', 'db.table' = 'twins',
            'db.table.create' = 'true', 'db.write.mode' = 'append', 'max_retries' = '0');"""

    with pytest.raises(VeloError, match="cannot be used"):
        run(one_spark, tmp_path, text("postgresql://127.0.0.1:1/x"))
    report = run(one_spark, tmp_path, text(postgres.url))
    lines = [line for file in (tmp_path / "out").glob("part-*") for line in file.read_text().splitlines()]
    assert len(lines) == len(set(lines)) == 100
    assert postgres.ask("SELECT count(*), count(DISTINCT k) FROM twins") == [(100, 100)]
    assert report["records"]["in_results"] == 100
    assert set(report["circuit_breakers"]) == {"out", "db"}
