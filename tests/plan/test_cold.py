"""The cold tier of a job as its plan says it: which windows are closed, and what their rows have."""

from __future__ import annotations

import pytest

from velostream.plan import plan
from velostream.plan.cold import ADDED, Cold, closing, cold_of
from velostream.plan.job import Job
from velostream.spark.lower.cold import refused_cold
from velostream.validation import validate

SOURCE = "CREATE STREAM s (k STRING, v INT, at TIMESTAMP) WITH ('type' = 'file_source', 'path' = 'in/*.jsonl', \
'format' = 'jsonl', 'event.time.field' = 'at');\n"
FILES = "'state.cold.backend' = 'files', 'state.cold.location' = 'cold'"
BARS = "SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m)"


def job_of(query: str, settings: str = FILES) -> Job:
    answer = validate(f"{SOURCE}{query} WITH ({settings});", "test.sql", variables={})
    assert answer.ok, answer.findings.errors
    return plan(answer.bound, answer.library).jobs[-1]


def tier(query: str, settings: str = FILES) -> Cold:
    found = cold_of(job_of(query, settings))
    assert found is not None
    return found


def test_rows_have_the_columns_of_the_job_and_which_window_they_are_of() -> None:
    found = tier(BARS)
    assert found.whole == (("k", "STRING"), ("n", "BIGINT"), *ADDED)
    assert found.identity == ("k", "_window_start")


def test_a_key_that_is_not_written_is_kept_all_the_same() -> None:
    found = tier("SELECT UPPER(k) AS name, _window_start, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m)")
    assert found.keys == ("k",)
    assert found.hidden == (("k", "STRING", 0),)
    assert [name for name, _ in found.own] == ["name", "n"], "the bounds are those of the tier"


def test_a_key_is_known_by_the_name_under_which_it_is_written() -> None:
    found = tier("SELECT k AS symbol, COUNT(*) AS k FROM s GROUP BY k WINDOW CUMULATE(1m, 5m)")
    assert (found.keys, found.hidden) == (("symbol",), ())
    assert found.identity == ("symbol", "_window_start", "_window_end"), "windows of one start grow"


def test_a_key_without_a_name_gets_one() -> None:
    assert tier("SELECT COUNT(*) AS k FROM s GROUP BY k WINDOW TUMBLING(1m)").keys == ("_key_0",)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, v FROM s",
        "SELECT k, COUNT(*) AS n FROM s GROUP BY k WINDOW TUMBLING(1m) EMIT CHANGES",
        f"{BARS} UNION ALL {BARS}",
    ],
)
def test_a_job_that_closes_no_windows_has_no_tier_and_may_not_ask_for_one(query: str) -> None:
    job = job_of(query)
    assert closing(job) is None
    assert cold_of(job) is None
    [refusal] = refused_cold(job)
    assert "says no final rows of windows" in refusal.message


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("'state.cold.backend' = 'postgres', 'state.cold.location' = 'cold'", "is not the address of a PostgreSQL"),
        ("'state.cold.backend' = 'files', 'state.cold.location' = 's3://b/x'", "is not a folder"),
    ],
)
def test_a_place_that_cannot_be_one_is_refused(settings: str, told: str) -> None:
    [refusal] = refused_cold(job_of(BARS, settings))
    assert told in refusal.message


def test_a_tier_that_set_asks_for_needs_a_place_where_windows_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGHOST", raising=False)
    answer = validate(f"SET 'state.cold.backend' = 'postgres';\n{SOURCE}{BARS};", "test.sql", variables={})
    [job] = plan(answer.bound, answer.library).jobs
    [refusal] = refused_cold(job)
    assert "needs 'state.cold.location'" in refusal.message
    monkeypatch.setenv("PGHOST", "127.0.0.1")
    assert not [*refused_cold(job)]
    assert cold_of(job) is not None


def test_a_preset_whose_tier_has_no_place_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGHOST", raising=False)
    answer = validate(f"{SOURCE}{BARS} WITH ('preset' = 'prod');", "test.sql", variables={})
    [warning] = [each for each in answer.findings.ordered() if "closed windows" in each.message]
    assert (warning.code, warning.severity.value) == ("missing-property", "note")
    monkeypatch.setenv("PGHOST", "127.0.0.1")
    answer = validate(f"{SOURCE}{BARS} WITH ('preset' = 'prod');", "test.sql", variables={})
    assert not [each for each in answer.findings.ordered() if "closed windows" in each.message]
