"""Events of tables: what happened, in order, for those who listen and those who come back."""

from __future__ import annotations

from threading import Thread

from velostream.tables.events import KEPT, TableEvent, TableEvents
from velostream.tables.progress import LOADING, REFRESHING, Progress


def kinds(events: list[TableEvent]) -> list[str]:
    return [event.kind for event in events]


def loaded(about: Progress, events: TableEvents) -> None:
    """A table of 100 bytes that loads in two steps."""
    about.begin(LOADING)
    events.look()
    about.total_bytes, about.done_bytes, about.read = 100, 50, 5
    events.look()
    about.end(10)
    events.look()


def test_a_load_is_told_from_its_begin_to_its_end() -> None:
    about = Progress("t")
    events = TableEvents(lambda: [about])
    heard: list[TableEvent] = []
    events.subscribe(heard.append)
    loaded(about, events)
    summary = "SummaryUpdate"
    assert kinds(heard) == ["TableUpdate", summary, "TableUpdate", summary, "TableCompleted", summary]
    assert [event.number for event in heard] == [1, 2, 3, 4, 5, 6]
    assert heard[2].data["percent"] == 50.0
    assert (heard[-1].data["ready"], heard[-1].data["rows"]) == (1, 10)


def test_nothing_is_told_twice_and_a_failure_is_one() -> None:
    about = Progress("t")
    events = TableEvents(lambda: [about])
    heard: list[TableEvent] = []
    events.subscribe(heard.append)
    about.begin(LOADING)
    about.fail("the source is gone")
    events.look()
    events.look()
    assert kinds(heard) == ["TableFailed", "SummaryUpdate"]
    assert heard[0].data["error"] == "the source is gone"


def test_who_follows_gets_a_snapshot_and_then_what_happens_until_the_end() -> None:
    about = Progress("t")
    events = TableEvents(lambda: [about])
    following = events.follow(silence=5.0)
    first = next(following)
    assert (first.kind, first.data["tables"][0]["state"]) == ("InitialSnapshot", "waiting")
    rest: list[TableEvent] = []
    reader = Thread(target=lambda: rest.extend(following))
    reader.start()
    loaded(about, events)
    events.close()
    reader.join(timeout=10)
    assert [event.number for event in rest if event.kind != "KeepAlive"] == [1, 2, 3, 4, 5, 6]


def test_who_comes_back_gets_what_was_missed_or_a_snapshot_where_too_much_was() -> None:
    about = Progress("t")
    events = TableEvents(lambda: [about])
    loaded(about, events)
    assert kinds([next(events.follow(after=4))]) == ["TableCompleted"]
    for turn in range(KEPT):
        about.begin(REFRESHING)
        about.end(turn)
        events.look()
    assert kinds([next(events.follow(after=4))]) == ["InitialSnapshot"]
    assert kinds([next(events.follow(after=10**9))]) == ["InitialSnapshot"]


def test_silence_is_told_by_a_sign_of_life() -> None:
    events = TableEvents(lambda: [])
    following = events.follow(silence=0.01)
    assert kinds([next(following), next(following)]) == ["InitialSnapshot", "KeepAlive"]
