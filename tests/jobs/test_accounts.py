from pathlib import Path
from typing import Any

from velostream.jobs.accounts import Accounts
from velostream.windows.statistics import Stats


def bucket(number: int, counts: dict[str, int], **numbers: Any) -> dict[str, Any]:
    stats = Stats()
    for name, value in numbers.items():
        setattr(stats, name, value)
    return {**stats.as_data(), "bucket": number, "counts": counts}


def test_records_of_all_buckets_add_up() -> None:
    accounts = Accounts()
    accounts.add_stateful(
        0, [bucket(1, {"": 5, "filtered": 2, "undecodable": 1}, in_results=2, open=1), bucket(2, {}, open=2)]
    )
    assert accounts.records["read"] == 8
    assert accounts.records["open"] == 3
    assert accounts.records["dead_lettered"] == {"undecodable": 1}
    assert accounts.adds_up


def test_a_batch_that_is_repeated_counts_once() -> None:
    accounts = Accounts()
    for _ in range(2):
        accounts.add_stateful(0, [bucket(1, {"": 3}, in_results=3)])
        accounts.add_stateless(0, {"": 3})
    assert accounts.records["read"] == 3


def test_rows_without_a_status_are_results_of_a_stateless_job() -> None:
    accounts = Accounts()
    accounts.add_stateless(0, {"": 4, "filtered": 5, "unmatched": 1, "bad_value": 2})
    assert accounts.records["in_results"] == 4
    assert accounts.records["unmatched"] == 1
    assert accounts.adds_up


def test_accounts_survive_a_restart(tmp_path: Path) -> None:
    accounts = Accounts()
    accounts.add_stateful(3, [bucket(1, {"": 2}, in_results=2, watermark=7)])
    accounts.save(tmp_path / "a" / "accounts.json")
    again = Accounts.load(tmp_path / "a" / "accounts.json")
    assert again == accounts
    again.add_stateful(3, [bucket(1, {"": 2}, in_results=2)])
    assert again.records == accounts.records


def test_without_a_file_accounts_are_new(tmp_path: Path) -> None:
    assert Accounts.load(tmp_path / "none.json") == Accounts()
