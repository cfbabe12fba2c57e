import pytest
from tests.windows.driving import Record, frame, settings

from velostream.errors import VeloError
from velostream.windows.assigners import Session, Tumbling
from velostream.windows.assigners.unbounded import Unbounded
from velostream.windows.combining import combined, combines
from velostream.windows.dedup import DedupSettings
from velostream.windows.emission import emission
from velostream.windows.facts import Facts, Progress
from velostream.windows.operator import Operator
from velostream.windows.store import MemoryStore


def test_records_are_folded_by_key_and_pane() -> None:
    rows = combined(settings(Tumbling(10)), frame([Record(1), Record(2), Record(11), Record(3, "b")]))
    assert sorted(rows.select("key", "_start", "_end").rows()) == [("a", 0, 10), ("a", 10, 20), ("b", 0, 10)]


def test_the_numbers_of_combined_records_add_up() -> None:
    what = settings(Session(5))
    operator = Operator(what, MemoryStore())
    empty = frame([])
    outcome = operator.process(empty, Facts(), combined(what, frame([Record(1), Record(2), Record(50)])))
    assert (outcome.stats.read, outcome.stats.open, outcome.stats.records_added) == (3, 3, 3)
    assert operator.process(empty, Facts(flush=True)).stats.in_results == 3


@pytest.mark.parametrize(
    ("what", "may"),
    [
        (settings(Tumbling(10)), True),
        (settings(Tumbling(10), emission=emission("CHANGES")), False),
        (settings(Tumbling(10), emission=emission(on="alarm")), False),
        (settings(Tumbling(10), dedup=DedupSettings(("key",))), False),
        (settings(Tumbling(10), replaces=True), False),
        (settings(Unbounded(), emission=emission("FINAL"), ttl=5), False),
    ],
)
def test_what_must_see_each_record_does_not_combine(what: object, may: bool) -> None:
    assert combines(what) is may  # type: ignore[arg-type]


def test_combined_records_where_each_must_be_seen_or_that_come_late_are_refused() -> None:
    changes = settings(Tumbling(10), emission=emission("CHANGES"))
    with pytest.raises(VeloError, match="each of them"):
        Operator(changes, MemoryStore()).process(frame([]), Facts(), combined(changes, frame([Record(1)])))
    what = settings(Tumbling(10))
    operator = Operator(what, MemoryStore())
    operator.process(frame([]), Facts((Progress("s", 0, 50),)))
    with pytest.raises(VeloError, match="too late"):
        operator.process(frame([]), Facts(), combined(what, frame([Record(1)])))
