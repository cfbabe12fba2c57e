"""What nodes know about their rows: time, identity, corrections, routes."""

from dataclasses import replace

import pytest
from tests.plan.asking import found, job
from tests.plan.making import project, stream, table, value

from velostream.plan.emission import Emission, Lateness
from velostream.plan.expression import reads
from velostream.plan.fields import Field
from velostream.plan.nodes import (
    Aggregate,
    AggregateCall,
    Bounds,
    Column,
    Deduplicate,
    Distinct,
    Filter,
    JoinStreams,
    JoinTable,
    KeyPair,
    MissingData,
    Order,
    OrderLimit,
    Project,
    ReadStream,
    TopN,
    Union,
    Unnest,
    Values,
    Window,
)
from velostream.types import BIGINT, STRING, TIMESTAMP
from velostream.windows.assigners import Cumulate, Session, Tumbling

T = stream()
SYMBOL = reads("t.symbol", STRING)
TIME = reads("t._event_time", TIMESTAMP)
COUNT = AggregateCall("COUNT(*)", "COUNT", "count", BIGINT)
GROUPED = Aggregate(T, (Column("t.symbol", SYMBOL),), (COUNT,), Window(Tumbling(60_000_000), TIME))


def test_a_scan_knows_its_records_by_source_partition_and_offset() -> None:
    assert T.time == "t._event_time"
    assert T.identity == T.position == ("t._source", "t._partition", "t._offset")
    assert not T.revises


def test_a_changelog_knows_its_rows_by_key_and_revises_them() -> None:
    changelog = replace(T, changelog=True, key=("symbol",))
    assert changelog.identity == ("t.symbol",)
    assert changelog.revises


def test_a_window_adds_its_system_columns_and_a_session_says_what_closed_it() -> None:
    names = ("_window_start", "_window_end", "_event_time", "_emission", "_revision", "_watermark", "_event_count")
    assert GROUPED.fields.names == ("t.symbol", "COUNT(*)", *names, "_filled")
    session = replace(GROUPED, window=Window(Session(60_000_000), TIME))
    assert "closed_by" in session.fields
    without = replace(GROUPED, window=None, emission=Emission("CHANGES"))
    assert "_window_start" not in without.fields
    assert "_revision" in without.fields


def test_a_windowed_row_is_known_by_group_and_window() -> None:
    assert GROUPED.identity == ("t.symbol", "_window_start")
    growing = replace(GROUPED, window=Window(Cumulate(60_000_000, 3_600_000_000), TIME))
    assert growing.identity == ("t.symbol", "_window_start", "_window_end")
    assert GROUPED.time == "_event_time"
    assert GROUPED.position == ()
    assert GROUPED.windowed


@pytest.mark.parametrize(
    ("node", "revises"),
    [
        (GROUPED, False),
        (replace(GROUPED, lateness=Lateness(1)), True),
        (replace(GROUPED, lateness=Lateness(0, "process_all")), True),
        (replace(GROUPED, lateness=Lateness(0, "update_previous")), True),
        (replace(GROUPED, lateness=Lateness(0, "include_in_next")), False),
        (replace(GROUPED, emission=Emission(early=1)), True),
        (replace(GROUPED, emission=Emission(every_count=3)), True),
        (replace(GROUPED, emission=Emission("CHANGES")), True),
        (replace(GROUPED, window=None), True),
        (Aggregate(stream(ends=True), (), (COUNT,)), False),
    ],
)
def test_rows_are_corrected_by_lateness_early_rows_and_changes(node: Aggregate, revises: bool) -> None:
    assert node.revises is revises


def test_a_projection_renames_time_and_identity_and_loses_what_it_leaves_out() -> None:
    whole = Project(GROUPED, tuple(Column(f"x.{f.name}", reads(f.name, f.type), f.system) for f in GROUPED.fields))
    assert whole.identity == ("x.t.symbol", "x._window_start")
    assert whole.time == "x._event_time"
    part = Project(GROUPED, (Column("n", reads("COUNT(*)", BIGINT)),))
    assert part.identity == ()
    assert part.time == ""


def test_joins_know_rows_by_both_sides() -> None:
    joined = JoinTable(T, table(), "INNER", (KeyPair(SYMBOL, reads("l.symbol", STRING)),))
    assert joined.identity == T.identity
    crossed = JoinTable(T, table(), "CROSS")
    assert crossed.identity == (*T.identity, "l.symbol")
    assert not joined.keeps_state
    waiting = replace(joined, missing=MissingData("wait_and_retry", retries=3, delay=1))
    assert waiting.keeps_state
    assert waiting.route == ("t.symbol",)
    assert "t._event_time" in waiting.needs


def test_a_join_of_streams_holds_rows_for_as_long_as_a_match_may_come() -> None:
    u = stream("u")
    keys = (KeyPair(SYMBOL, reads("u.symbol", STRING)),)
    joined = JoinStreams(T, u, "LEFT", "t._event_time", "u._event_time", keys, Bounds(-10, 3))
    assert joined.held == (3, 10)
    assert joined.watermark_delay == 3
    assert joined.identity == (*T.identity, *u.identity)
    assert (joined.route, joined.right_route) == (("t.symbol",), ("u.symbol",))
    unbounded = replace(joined, bounds=None, ttl=100)
    assert unbounded.held == (100, 100)
    assert unbounded.watermark_delay == 100
    corrected = replace(joined, right=replace(u, changelog=True, key=("symbol",)))
    assert "_revision" in corrected.fields


def test_a_union_tells_its_sides_apart() -> None:
    names = {"symbol": "t.symbol", "_source": "t._source", "_partition": "t._partition", "_offset": "t._offset"}
    side = project(T, **names)
    union = Union((side, side))
    assert union.identity == ("_source", "_partition", "_offset", "_branch")
    assert union.position == ("_source", "_partition", "_offset")
    assert union.time == ""
    other = Union((side, project(T, a="t.symbol", b="t._source", c="t._partition", d="t._offset")))
    assert other.identity == union.identity
    assert other.position == ()
    assert Union((side, project(T, a="t.symbol", b="t._source", c="t._offset", d="t._partition"))).identity == ()


def test_elements_of_an_array_are_known_by_their_place() -> None:
    unnested = Unnest(T, "u", "UNNEST", (SYMBOL,), (Field("u.x", STRING),))
    assert unnested.identity == (*T.identity, "u._ordinal")


def test_rows_are_routed_by_key() -> None:
    assert GROUPED.route == ("t.symbol",)
    assert Deduplicate(T, (SYMBOL,)).route == ("t.symbol",)
    assert TopN(T, 1, (Order(TIME),), (SYMBOL,)).route == ("t.symbol",)
    assert Distinct(project(T, symbol="t.symbol")).route == ("symbol",)
    assert Distinct(GROUPED, per_window=True).spread[-2:] == ("_window_start", "_window_end")


def test_a_correction_is_routed_to_where_the_row_was_that_it_replaces() -> None:
    root = job(
        """CREATE STREAM minutes AS SELECT symbol, SUM(quantity) AS total FROM trades GROUP BY symbol
             WINDOW TUMBLING(1m) WITH ('allowed.lateness' = '1m');
           SELECT symbol, total, COUNT(*) AS n FROM minutes GROUP BY symbol, total WINDOW TUMBLING(1h)"""
    ).root
    upper = found(root, Aggregate)[0]
    assert isinstance(upper, Aggregate)
    assert [key.name for key in upper.keys] == ["minutes.symbol", "minutes.total"]
    assert upper.route == ("minutes.symbol",)
    assert upper.spread == ("minutes.symbol", "minutes.total")


def test_all_groups_of_a_window_meet_to_be_ordered() -> None:
    ordered = OrderLimit(GROUPED, (Order(reads("COUNT(*)", BIGINT)),), 3, "window")
    assert ordered.route == ("_window_start", "_window_end")
    assert ordered.keeps_state
    assert {"_window_start", "_window_end"} <= set(ordered.needs)
    stops = OrderLimit(project(T, symbol="t.symbol"), limit=3, scope="stops")
    assert stops.keeps_state  # it counts on after a restart
    assert stops.route == ()


def test_tables_and_values_are_static_and_end() -> None:
    assert table().static
    assert table().bounded
    assert table().identity == ("l.symbol",)
    assert Values((), ((),)).static
    assert not T.static
    assert not JoinTable(T, table(), "CROSS").static


def test_a_stream_of_another_statement_is_known_by_what_that_statement_says() -> None:
    columns = (Field("s.symbol", STRING), Field("s._window_start", TIMESTAMP, system=True))
    read = ReadStream("minutes", "s", columns, may_revise=True, key=("symbol",))
    assert read.identity == ("s.symbol", "s._window_start")
    assert read.revises
    assert read.windowed
    assert read.time == ""
    assert not read.bounded


def test_a_node_walks_itself_before_its_children() -> None:
    kept = Filter(T, value("t.price > 1"))
    assert list(kept.walk()) == [kept, T]
    assert kept.with_children([T]) is kept
