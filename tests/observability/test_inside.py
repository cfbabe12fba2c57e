from typing import Any

import polars as pl
from tests.observability.test_lineage import planned

from velostream.durations import SECOND
from velostream.jobs.accounts import Accounts
from velostream.observability.inside import emissions, enough, partitions, stages, watermark_behind, what_if
from velostream.spark.lower.job import Role
from velostream.windows.statistics import Stats

ONLY = Role(first=True, last=True, records=True)
HISTOGRAM = {"bounds": [1, 5, 10], "counts": [3, 2, 0, 1], "count": 6, "sum": 99}


def said(bucket: int, **more: Any) -> dict[str, Any]:
    beside = {"bucket": bucket, "stage": 1, "rows": 2, "counts": {}, "expanded": 0, "derived": 0, "multiplied": 0}
    return Stats(**more).as_data() | beside | {"seconds": 0.25, "delivered": {"s/0": 5}}


def spoke(start: int, emission: str, revision: int, records: int, key: str) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "k0": [key],
            "_window_start": [start * SECOND],
            "_window_end": [(start + 60) * SECOND],
            "_emission": [emission],
            "_revision": [revision],
            "_event_count": [records],
        }
    )


def test_a_watermark_is_never_ahead_of_the_newest_event() -> None:
    slow = {"s/0": {"max_event_time": "2026-01-01T00:00:02Z"}}
    assert watermark_behind({"watermark": "2026-01-01T00:00:01Z", "partitions": slow}) == 1.0
    assert watermark_behind({"watermark": "2026-01-01T00:00:21Z", "partitions": slow}) == 0.0


def test_windows_tell_how_they_were_emitted_and_buckets_are_added_up() -> None:
    accounts = Accounts()
    first, second, later = Stats(records_added=6), Stats(records_added=2), Stats(records_added=1)
    first.show(pl.concat([spoke(0, "final", 1, 6, "a"), spoke(60, "early", 1, 2, "a")]), {"k0": "symbol"})
    second.show(spoke(0, "final", 1, 2, "b"), {"k0": "symbol"})
    later.show(spoke(0, "late", 2, 7, "a"), {"k0": "symbol"})
    for batch, group in enumerate(([first, second], [later])):
        rows = [
            said(bucket, records_added=one.records_added, firings=one.firings, heaviest=one.heaviest)
            for bucket, one in enumerate(group)
        ]
        accounts.add(batch, rows, {1: ONLY}, [])
    newest, oldest = emissions(accounts)
    assert (newest["start"], newest["early"], newest["final"]) == ("1970-01-01T00:01:00Z", 1, 0)
    assert (oldest["final"], oldest["late"], oldest["revision"]) == (2, 1, 2)
    assert [(told["batch"], told["emission"], told["rows"], told["records"]) for told in oldest["history"]] == [
        (0, "final", 2, 8),
        (1, "late", 1, 7),
    ]
    (stage,) = stages(planned().jobs[0], accounts)
    assert (stage["node"], stage["records"], stage["rows"], stage["seconds"]) == ("Aggregate", 9, 6, 0.75)
    assert stage["heaviest"] == [{"keys": {"symbol": "a"}, "records": 7}, {"keys": {"symbol": "b"}, "records": 2}]
    assert stage["skew"] == round(7 / 4.5, 2)
    assert partitions(accounts, 5.0) == {"s/0": {"records": 15, "last": 5, "rate": 3.0}}
    accounts.add(1, [said(0)], {1: ONLY}, [])
    assert partitions(accounts, 5.0)["s/0"]["records"] == 15


def test_only_the_newest_windows_are_remembered() -> None:
    accounts = Accounts()
    for batch in range(20):
        lines = [[n * 60, n * 60 + 60, "final", 1, 1, 1] for n in range(batch * 40, batch * 40 + 40)]
        accounts.add(batch, [said(0, firings=lines)], {1: ONLY}, [])
    assert len(accounts.seen["windows"]) == 300
    assert accounts.seen["windows"][-1][2] == 799 * 60 + 60


def test_what_would_have_been_late_with_another_lateness() -> None:
    assert what_if(HISTOGRAM) == {
        "late": 6,
        "beyond": [
            {"lateness_seconds": 1, "records": 3},
            {"lateness_seconds": 5, "records": 1},
            {"lateness_seconds": 10, "records": 1},
        ],
    }
    assert enough(HISTOGRAM, 0.2) == 5
    assert enough(HISTOGRAM) is None
