"""Each piece of advice has a case in which it is given, and one in which it is not."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.observability.test_lineage import planned

from velostream.cli.main import main
from velostream.durations import MINUTE, SECOND
from velostream.jobs.accounts import Accounts
from velostream.observability.advice import advise
from velostream.observability.advice.anomalies import anomalies, baseline
from velostream.observability.advice.base import Advice, Case, span
from velostream.observability.advice.columns import unused
from velostream.observability.advice.load import growing_state, skewed_keys, skewed_partitions, slow_stages
from velostream.observability.advice.records import dead_letters, joins, late, watermark

START = datetime(2026, 1, 1, tzinfo=UTC)
SQL = """
CREATE STREAM s (k STRING, v DOUBLE, x INT, y INT, at TIMESTAMP) WITH ('s.type' = 'file_source',
    's.path' = 'in/*.jsonl', 's.format' = 'jsonl', 's.event.time.field' = 'at');
-- @name: sums
SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m);
"""


def case(accounts: Accounts | None = None, **history: list[dict[str, Any]]) -> Case:
    plan = planned(SQL)
    return Case(plan, plan.jobs[0], accounts or Accounts(), history)


def only(found: Any) -> Advice:
    (advice,) = list(found)
    json.dumps(advice.data(), default=str)
    return advice


def rows(count: int, **columns: Any) -> list[dict[str, Any]]:
    """Moments ten seconds apart; a column is a value or a function of the place."""
    return [
        {"at": START + timedelta(seconds=10 * place)}
        | {name: value(place) if callable(value) else value for name, value in columns.items()}
        for place in range(count)
    ]


JOB = {"records_read": lambda place: place * 1_000, "dead_letters": 0, "lag_seconds": 2.0, "batch_p50": 0.5}


def test_too_late_records_come_with_the_lateness_that_would_be_enough() -> None:
    accounts = Accounts(windows=Counter(dropped_after_lateness=7, late_events=9))
    bounds = [SECOND, 5 * SECOND, 10 * SECOND, 5 * MINUTE]
    accounts.histograms["lateness"] = {"bounds": bounds, "counts": [2, 3, 0, 4, 0], "total": 99}
    advice = only(late(case(accounts)))
    assert "'allowed.lateness' = '5m'" in advice.change
    assert advice.figures["too_late"] == 7
    accounts.histograms["lateness"]["counts"][-1] = 1
    assert "more than a day" in only(late(case(accounts))).change
    assert not list(late(case()))


def test_dead_letters_and_misses_count_from_a_share_on() -> None:
    accounts = Accounts(read=100, dead_lettered=Counter(event_time_invalid=2, late=50))
    advice = only(dead_letters(case(accounts)))
    assert (advice.figures["share"], advice.guide) == (0.02, "docs/guides/wrong-timestamps.md")
    assert not list(dead_letters(case(Accounts(read=1_000, dead_lettered=Counter(bad_value=2)))))
    accounts.add_join("limits", "skip_record", 90, 10)
    assert "10.0% of the rows find nothing in table 'limits'" in only(joins(case(accounts))).what


def test_a_partition_far_behind_the_others_is_named() -> None:
    shown = {f"s/{n}": {"max_event_time": 600 * SECOND, "lag_ms": 0, "idle": False} for n in range(3)}
    shown["s/3"] = {"max_event_time": 0, "lag_ms": 0, "idle": False}
    advice = only(watermark(case(Accounts(partitions=shown, holding=["s/3"]))))
    assert "partition s/3 holds the watermark back: it is 10m behind" in advice.what
    assert not list(watermark(case(Accounts(partitions=shown, holding=["s/1"]))))


def test_a_busy_job_is_told_which_stage_takes_the_time() -> None:
    stages = [{"at": START, "stage": "compute", "seconds": 1.0}, {"at": START, "stage": "sink db", "seconds": 9.0}]
    advice = only(slow_stages(case(jobs=rows(6, busy=0.9), stages=stages)))
    assert "90% of that is 'sink db'" in advice.what
    assert not list(slow_stages(case(jobs=rows(6, busy=0.2), stages=stages)))
    assert not list(slow_stages(case(jobs=rows(5, busy=0.9), stages=stages)))


def test_keys_and_partitions_with_most_of_the_records_are_named() -> None:
    accounts = Accounts()
    stage = {
        "records": 10_000,
        "rows": 5,
        "seconds": 1.0,
        "last_seconds": 0.1,
        "buckets": {"1": 9_000, "2": 500, "3": 500},
    }
    heaviest = [{"keys": {"k": key}, "records": records} for key, records in (("AAPL", 8_000), ("B", 400), ("C", 300))]
    accounts.seen["stages"]["1"] = stage | {"heaviest": heaviest}
    advice = only(skewed_keys(case(accounts)))
    assert "2.7 times the mean: k = AAPL" in advice.what
    for loads, told in (({"1": 9_000, "2": 1_000}, 1), ({"1": 7_000, "2": 3_000}, 0)):
        two = Accounts()
        two.seen["stages"]["1"] = stage | {"heaviest": [], "buckets": loads}
        assert len(list(skewed_keys(case(two)))) == told, (
            "of two buckets the fullest cannot have more than twice the mean"
        )
    accounts.seen["delivered"] |= {"s/0": 9_000, "s/1": 500, "s/2": 500}
    assert "partition s/0 delivers 2.7 times" in only(skewed_partitions(case(accounts))).what
    accounts.seen["delivered"] |= {"s/0": 900, "s/1": 500, "s/2": 500}
    assert not list(skewed_partitions(case(accounts)))


@pytest.mark.parametrize("groups", [1, 2, 5, 12])
def test_few_groups_that_are_alike_are_not_skewed_though_they_leave_buckets_empty(groups: int) -> None:
    loads = dict.fromkeys(map(str, range(32)), 0) | {str(place % 5): 20_000 for place in range(groups)}
    heaviest = [{"keys": {"k": str(place)}, "records": 1_000 + place} for place in range(min(groups, 5))]
    accounts = Accounts()
    accounts.seen["stages"]["1"] = {
        **{"records": 20_000 * groups, "rows": 5, "seconds": 1.0, "last_seconds": 0.1},
        **{"buckets": loads, "heaviest": heaviest[::-1]},
    }
    assert not list(skewed_keys(case(accounts)))


def test_state_that_only_grows_is_told_from_state_that_comes_and_goes() -> None:
    grown = rows(40, state_bytes=lambda place: 1_000_000 + place * 100_000)
    assert "grew from 1,000,000 to 4,900,000 bytes" in only(growing_state(case(jobs=grown))).what
    assert "'allowed.lateness'" in only(growing_state(case(jobs=grown))).change, "it has a window already"
    assert not list(growing_state(case(jobs=grown[:25]))), "it has only begun"
    small = rows(40, state_bytes=lambda place: 10_000 + place * 1_000)
    assert not list(growing_state(case(jobs=small))), "40 kB are no matter"
    waves = rows(40, state_bytes=lambda place: 1_000_000 * (1 + place % 2))
    assert not list(growing_state(case(jobs=waves)))


def test_columns_that_nobody_reads_are_listed() -> None:
    assert only(unused(case())).figures["columns"] == ["x", "y"]


def test_a_steady_job_is_not_odd() -> None:
    assert not list(anomalies(case(jobs=rows(60, **JOB))))


def test_a_rate_that_falls_is_explained_by_the_partition_behind_it() -> None:
    slower = JOB | {"records_read": lambda place: place * 1_000 - max(0, place - 55) * 700}
    partitions = [
        {
            **row,
            "partition": name,
            "records": place * 500 - (max(0, place - 55) * 450 if name == "s/1" else 0),
            "lag_seconds": 1.0,
        }
        for place, row in enumerate(rows(60))
        for name in ("s/0", "s/1")
    ]
    advice = only(anomalies(case(jobs=rows(60, **slower), partitions=partitions)))
    assert "30 records per second, where 100 are usual" in advice.what
    assert advice.figures["partition"] == "s/1"


def test_lag_errors_and_slow_batches_are_odd_and_what_gets_better_is_not() -> None:
    jobs = JOB | {
        "lag_seconds": lambda place: 2.0 if place < 55 else 90.0,
        "dead_letters": lambda place: max(0, place - 55) * 100,
        "batch_p50": lambda place: 0.5 if place < 55 else 6.0,
    }
    stages = [
        {**row, "stage": name, "seconds": place * 1.0 + (max(0, place - 55) * 20 if name == "sink db" else 0)}
        for place, row in enumerate(rows(60))
        for name in ("compute", "sink db")
    ]
    accounts = Accounts(dead_lettered=Counter(bad_value=400))
    found = {
        advice.what.split(" ", 1)[1]: advice
        for advice in anomalies(case(accounts, jobs=rows(60, **jobs), stages=stages))
    }
    assert len(found) == 3
    assert next(a for w, a in found.items() if "micro-batch" in w).figures["stage"] == "sink db"
    assert next(a for w, a in found.items() if "dead letters" in w).figures["reason"] == "bad_value"
    better = JOB | {"lag_seconds": lambda place: 90.0 if place < 55 else 2.0}
    assert not list(anomalies(case(jobs=rows(60, **better))))


def test_a_baseline_is_not_moved_by_a_few_wild_values() -> None:
    assert baseline([10.0] * 20 + [1e6] * 3) == (10.0, 1.0)


@pytest.mark.parametrize(("seconds", "text"), [(300, "5m"), (86_400, "1d"), (90, "90s"), (0.5, "0.5s"), (7_200, "2h")])
def test_spans_are_written_as_settings_take_them(seconds: float, text: str) -> None:
    assert span(seconds) == text


def test_a_column_that_a_setting_names_is_used() -> None:
    plan = planned(SQL.replace("'jsonl', 's.", "'jsonl', 's.partition.by' = 'x', 's."))
    assert [one.figures["columns"] for one in unused(Case(plan, plan.jobs[0], Accounts(), {}))] == [["y"]]


def test_velo_advise_reads_a_checkpoint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "shop.sql"
    file.write_text(SQL)
    arguments = ["advise", str(file), "--checkpoint", str(tmp_path / "home")]
    assert main(arguments) == 0
    assert "nobody reads x, y of 's'" in capsys.readouterr().out
    (tmp_path / "home" / "sums").mkdir(parents=True)
    Accounts(windows=Counter(dropped_after_lateness=7)).save(tmp_path / "home" / "sums" / "accounts.json")
    assert main([*arguments, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [advice["kind"] for advice in told] == ["loses", "waste"]
    assert [advice.kind for advice in advise(planned(SQL), tmp_path / "home", tmp_path)] == ["loses", "waste"]
