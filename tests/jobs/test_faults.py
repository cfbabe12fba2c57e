"""Rows that something is wrong with: letters of them, and what is counted of those that a stateful node had counted."""

import pyarrow as pa

from velostream.jobs.accounts import Accounts, Counted
from velostream.jobs.faults import Faults
from velostream.sinks.letters.envelope import DERIVED


def test_a_row_that_fails_behind_a_stateful_node_is_counted_and_if_it_is_a_record_in_no_result() -> None:
    place = {"source": "s", "partition": 0, "offset": 1, "event_time": 5}
    rows = [
        {"_status": None, "_detail": None, "_record": "fine", "_place": place, "_counted": True},
        {"_status": "filtered", "_detail": None, "_record": "out", "_place": place, "_counted": True},
        {"_status": "bad_value", "_detail": "no", "_record": f'{DERIVED}{{"w": 1}}', "_place": place, "_counted": True},
        {"_status": "bad_value", "_detail": "no", "_record": f'{DERIVED}{{"n": 2}}', "_place": None, "_counted": True},
        {"_status": "undecodable", "_detail": "no", "_record": "{", "_place": place, "_counted": None},
    ]
    faults = Faults()
    letters = faults.of_table(pa.Table.from_pylist(rows))
    assert [(one["reason"], one["record"], one["row"]) for one in letters] == [
        ("bad_value", None, '{"w": 1}'),
        ("bad_value", None, '{"n": 2}'),
        ("undecodable", "{", None),
    ]
    accounts = Accounts()
    accounts.add(0, [], {}, [Counted("", False, False, 3), Counted("undecodable", False, False, 1)])
    faults.settle(accounts)
    assert accounts.failed_rows == {"bad_value": 2}
    assert (accounts.in_results, accounts.dead_lettered) == (2, {"undecodable": 1, "bad_value": 1})
    assert accounts.adds_up
    faults.begin()
    faults.settle(accounts)
    assert accounts.failed_rows == {"bad_value": 2}
