"""The grid of failure strategies: poison records, a sink that is away and one that fails half-way, in a real database.

Every run has a stateful job, whose sums tell whether a poison record changed state, and a job that appends rows, whose
count tells whether one was lost or written twice.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.postgres.apps import SOURCE, letters, runner_of, write_lines

from velostream.errors import VeloError

if TYPE_CHECKING:
    from tests.postgres.server import Database

START = 1_700_000_040_000
GOOD = [{"k": "a", "v": n, "at": START + n} for n in (1, 2, 4, 5)]
POISON = ["{poison", {"k": "a", "v": 0, "at": START}, {"k": "a", "v": 10, "at": START + 9}]
"""What cannot be decoded, what cannot be computed, and what the table does not take."""
RETRIED = {"max_retries": "100", "retry_backoff": "10ms", "circuit.breaker.calls": "4"}
RETRIED |= {"circuit.breaker.open.duration": "100ms", "circuit.breaker.trial.calls": "1"}


def application(url: str, table: str, **settings: str) -> str:
    """Sums by minute, and the rows themselves: 100 / v fails for 0, and the table of rows takes no more than 99."""
    more = "".join(f", '{name}' = '{value}'" for name, value in settings.items())
    sums = f"'db.type' = 'database_sink', 'db.url' = '{url}', 'db.table' = '{table}_sums', 'db.table.create' = 'true'"
    rows = f"'db.type' = 'database_sink', 'db.url' = '{url}', 'db.table' = '{table}_rows', 'db.write.mode' = 'append'"
    return f"""{SOURCE}
        CREATE STREAM sums AS SELECT k PRIMARY KEY, COUNT(*) AS n, SUM(100 / v) AS total FROM s GROUP BY k
            WINDOW TUMBLING(1m) INTO db WITH ({sums}{more});
        CREATE STREAM copied AS SELECT v, CAST(100 / v AS INT) AS share FROM s INTO db WITH ({rows}{more});"""


def tables(postgres: Database, table: str) -> None:
    """A table of rows that refuses one of them, and whose connection dies in the middle of the first try."""
    postgres.ask(f"CREATE TABLE {table}_rows (v int CHECK (v <> 10), share int)")
    postgres.ask(f"CREATE SEQUENCE {table}_tries")
    postgres.ask(
        f"""CREATE FUNCTION {table}_dies() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF NEW.v = 2 AND nextval('{table}_tries') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
            RETURN NEW; END $$"""
    )
    postgres.ask(f"CREATE TRIGGER dies BEFORE INSERT ON {table}_rows FOR EACH ROW EXECUTE FUNCTION {table}_dies()")


def behind(postgres: Database, link: Path) -> str:
    """The address of the database behind a link, which need not be there yet."""
    return postgres.url.replace(str(postgres.server.pgdata), str(link))


def failures(job: Any) -> int:
    """How often the sinks of a job have failed."""
    return sum(breaker.failures for breaker in job.writer.failing.breakers.values())


def check(postgres: Database, table: str, *, refused: bool) -> None:
    """Every good row is there once, and nothing of a bad one is in any sum."""
    good = [1, 2, 4, 5] if refused else [1, 2, 4, 5, 10]
    assert sorted(row[0] for row in postgres.ask(f"SELECT v FROM {table}_rows")) == good
    assert postgres.ask(f"SELECT k, n, total FROM {table}_sums") == [("a", 5, 205.0)], "poison changed no state"


@pytest.mark.parametrize("strategy", ["SendToDLQ", "LogAndContinue", "RetryWithBackoff"])
def test_the_rest_goes_on_whatever_record_or_sink_fails(
    one_spark: Any, tmp_path: Path, postgres: Database, caplog: pytest.LogCaptureFixture, strategy: str
) -> None:
    table = strategy.casefold()
    tables(postgres, table)
    write_lines(tmp_path, "1.jsonl", [GOOD[0], *POISON, *GOOD[1:]])
    link = tmp_path / "pg"
    text = application(behind(postgres, link), table, failure_strategy=strategy, **RETRIED)
    runner = runner_of(one_spark, tmp_path, text)

    def come_back() -> None:
        while not (len(runner.jobs) == 2 and all(failures(job) >= 4 for job in runner.jobs)):
            time.sleep(0.01)
        link.symlink_to(postgres.server.pgdata)

    thread = threading.Thread(target=come_back)
    thread.start()
    with caplog.at_level(logging.WARNING, "velostream"):
        runner.run_until_done()
    thread.join()
    check(postgres, table, refused=True)
    assert all(job.accounts.adds_up for job in runner.jobs)
    reports = {one["name"]: one for one in runner.report()["jobs"]}
    failed = {"sums": {"undecodable": 1, "bad_value": 1}, "copied": {"undecodable": 1, "bad_value": 1, "refused": 1}}
    for job, reasons in failed.items():
        records = reports[job]["records"]
        dropped = strategy == "LogAndContinue"
        assert records["read"] == 7
        assert (records["dropped"], records["dead_lettered"]) == ((reasons, {}) if dropped else ({}, reasons))
        assert Counter(one["reason"] for one in letters(tmp_path, job)) == ({} if dropped else reasons)
        breaker = reports[job]["circuit_breakers"]["db"]
        assert (breaker["state"], breaker["opened"] > 0) == ("closed", True), "the report tells that it was away"
        assert breaker["failures"] >= 4
        assert breaker["error"]
        assert any(f"job '{job}' tries again" in line for line in caplog.messages)
    assert reports["copied"]["refused"] == 1
    assert postgres.ask(f"SELECT last_value > 1 FROM {table}_tries") == [(True,)], "it died half-way, and went on"
    logged = [line for line in caplog.messages if "dropped a record" in line]
    assert len(logged) == (5 if strategy == "LogAndContinue" else 0)


def test_with_fail_batch_the_job_ends_with_nothing_written_and_goes_on_where_it_was(
    one_spark: Any, tmp_path: Path, postgres: Database
) -> None:
    table = "failbatch"
    tables(postgres, table)
    write_lines(tmp_path, "1.jsonl", [*GOOD, POISON[2]])
    link = tmp_path / "pg"
    text = application(behind(postgres, link), table, failure_strategy="FailBatch")

    def ends(message: str, home: Path = tmp_path) -> VeloError:
        runner = runner_of(one_spark, home, text)
        with pytest.raises(VeloError, match=message) as caught:
            runner.run_until_done()
        assert postgres.ask(f"SELECT count(*) FROM {table}_rows") == [(0,)], "nothing of the micro-batch is there"
        failed = [one for one in runner.report()["jobs"] if one["state"] == "failed"]
        assert len(failed) >= 1
        assert all(one["circuit_breakers"].get("db", {}).get("failures", 0) <= 1 for one in failed), "no second try"
        return caught.value

    write_lines(tmp_path / "bad", "1.jsonl", [*GOOD, POISON[0]])
    error = ends(r"a record of 's' failed \(undecodable\)", tmp_path / "bad")
    assert (error.exit_code, "{poison" in error.hint) == (2, True)
    assert ends("cannot be used").exit_code == 3
    link.symlink_to(postgres.server.pgdata)
    assert ends("terminating connection").exit_code == 3
    assert ends("violates check constraint").exit_code == 2
    postgres.ask(f"ALTER TABLE {table}_rows DROP CONSTRAINT {table}_rows_v_check")
    runner_of(one_spark, tmp_path, text).run_until_done()
    check(postgres, table, refused=False)
