from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from velostream.errors import VeloError
from velostream.jobs.accounts import Accounts, Counted
from velostream.spark.lower.job import Role
from velostream.windows.statistics import Stats

ONLY = {1: Role(records=True, first=True, last=True)}
CHAIN = {1: Role(records=True, first=True, last=False), 2: Role(records=True, first=False, last=True)}


def bucket(number: int, counts: dict[str, int], stage: int = 1, **numbers: Any) -> dict[str, Any]:
    stats = Stats()
    said = {"stage": stage, "bucket": number, "counts": counts, "expanded": 0, "derived": 0}
    for name, value in numbers.items():
        if name in said:
            said[name] = value
        else:
            setattr(stats, name, value)
    return {**stats.as_data(), **said}


def test_records_of_all_buckets_add_up() -> None:
    accounts = Accounts()
    first = bucket(1, {"": 5, "filtered": 2, "undecodable": 1}, in_results=2, open=1)
    accounts.add(0, [first, bucket(2, {}, open=2)], ONLY, [])
    assert accounts.records["read"] == 8
    assert accounts.records["open"] == 3
    assert accounts.records["dead_lettered"] == {"undecodable": 1}
    assert accounts.adds_up


def test_a_batch_that_is_repeated_counts_once() -> None:
    accounts = Accounts()
    for _ in range(2):
        accounts.add(0, [bucket(1, {"": 3}, in_results=3)], ONLY, [Counted("", expanded=False, counted=False, rows=3)])
    assert accounts.records["read"] == 6


def test_rows_without_a_status_are_results_of_a_stateless_job() -> None:
    accounts = Accounts()
    found = {"": 4, "filtered": 5, "unmatched": 1, "bad_value": 2}
    accounts.add(0, [], {}, [Counted(status, False, False, rows) for status, rows in found.items()])
    assert accounts.records["in_results"] == 4
    assert accounts.records["unmatched"] == 1
    assert accounts.adds_up


def test_further_rows_of_a_record_are_expanded() -> None:
    accounts = Accounts()
    accounts.add(0, [], {}, [Counted("", False, False, 2), Counted("filtered", True, False, 3)])
    assert (accounts.records["read"], accounts.records["expanded"]) == (2, 3)
    assert accounts.adds_up


def test_records_that_pass_through_a_stateful_node_are_counted_by_the_next() -> None:
    accounts = Accounts()
    passed = bucket(1, {"": 6, "filtered": 1}, in_results=5, duplicates=1)
    settled = bucket(1, {"": 4, "filtered": 1}, stage=2, in_results=2, open=1, dead_lettered=Counter(too_late=1))
    accounts.add(0, [passed, settled], CHAIN, [])
    assert accounts.records["read"] == 7
    assert accounts.records["in_results"] == 2
    assert accounts.records["filtered"] == 2
    assert accounts.adds_up


def test_rows_of_groups_are_no_records() -> None:
    accounts = Accounts()
    roles = {1: ONLY[1], 2: Role(records=False, first=False, last=True)}
    groups = bucket(1, {}, stage=2, in_results=9, derived=9)
    accounts.add(0, [bucket(1, {"": 4}, in_results=4), groups], roles, [])
    assert (accounts.records["read"], accounts.records["in_results"]) == (4, 4)
    assert accounts.adds_up


def test_accounts_survive_a_restart(tmp_path: Path) -> None:
    accounts = Accounts()
    accounts.add(3, [bucket(1, {"": 2}, in_results=2, watermark=7)], ONLY, [])
    accounts.save(tmp_path / "a" / "accounts.json")
    again = Accounts.load(tmp_path / "a" / "accounts.json")
    assert again == accounts
    again.add(3, [bucket(1, {"": 2}, in_results=2)], ONLY, [])
    assert again.records == accounts.records


def test_without_a_file_accounts_are_new(tmp_path: Path) -> None:
    assert Accounts.load(tmp_path / "none.json") == Accounts()


def test_accounts_that_are_damaged_are_told_and_not_counted_anew(tmp_path: Path) -> None:
    (tmp_path / "accounts.json").write_text('{"batch": 3,')
    with pytest.raises(VeloError, match=r"accounts\.json' is damaged") as raised:
        Accounts.load(tmp_path / "accounts.json")
    assert raised.value.error_code == "checkpoint-unreadable"


def test_places_of_partitions_that_were_only_counted_go_when_these_appear() -> None:
    accounts, seen = Accounts(), {"max_event_time": 5, "lag_ms": 1, "idle": False}
    silent = {"max_event_time": None, "lag_ms": None, "idle": False}
    accounts.add(
        0,
        [bucket(1, {"": 1}, in_results=1, partitions={"s/7": seen, "s/?2": silent, "s/-3": silent, "t/?1": silent})],
        ONLY,
        [],
    )
    accounts.add(1, [bucket(1, {"": 1}, in_results=1, partitions={"s/7": seen, "s/9": seen})], ONLY, [])
    assert accounts.partitions == {"s/7": seen, "s/9": seen, "t/?1": silent}
