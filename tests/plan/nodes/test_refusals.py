"""Nodes that would be wrong refuse to exist, and say what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.plan.making import project, stream, table, value

from velostream.errors import InvalidPlan
from velostream.plan.emission import Emission, Lateness
from velostream.plan.expression import reads
from velostream.plan.fields import Field
from velostream.plan.job import ApplicationPlan, Job, PlannedMetric
from velostream.plan.nodes import (
    Aggregate,
    AggregateCall,
    Bounds,
    Buffer,
    Column,
    Deduplicate,
    Distinct,
    Filter,
    HeaderEdit,
    Headers,
    JoinStreams,
    JoinTable,
    KeyPair,
    Materialise,
    MissingData,
    Node,
    Order,
    OrderLimit,
    Print,
    Project,
    ReadStream,
    RowCall,
    RowWindows,
    Scan,
    ScanWay,
    Sinks,
    SinkTarget,
    SubqueryCheck,
    TableScan,
    TopN,
    Union,
    Unnest,
    Values,
    Window,
)
from velostream.plan.time import EventTime, Watermark
from velostream.sinks.base import Guarantee, WriteMode
from velostream.types import BIGINT, DOUBLE, INT, STRING, TIMESTAMP, map_of
from velostream.windows.assigners import Tumbling

T, L = stream(), table()
PRICE, SYMBOL, TIME = reads("t.price", DOUBLE), reads("t.symbol", STRING), reads("t._event_time", TIMESTAMP)
MISSING = reads("t.pirce", DOUBLE)
PAIR = KeyPair(SYMBOL, reads("l.symbol", STRING))
WINDOW = Window(Tumbling(60_000_000), TIME)
COUNT = AggregateCall("COUNT(*)", "COUNT", "count", BIGINT)
BY_PRICE = (Order(PRICE),)
ROWS = project(T, symbol="t.symbol")
TARGET = SinkTarget("out", "file_sink", WriteMode.APPEND, Guarantee.EXACTLY_ONCE)


def streams(**changes: object) -> Node:
    u = stream("u")
    given: dict[str, object] = {
        "kind": "INNER",
        "left_time": "t._event_time",
        "right_time": "u._event_time",
        "keys": (KeyPair(SYMBOL, reads("u.symbol", STRING)),),
        "bounds": Bounds(-5, 5),
    }
    return JoinStreams(T, u, **(given | changes))  # type: ignore[arg-type]


def sink(**changes: object) -> SinkTarget:
    given: dict[str, object] = {"writes": WriteMode.APPEND, "guarantee": Guarantee.EXACTLY_ONCE}
    return SinkTarget("out", "file_sink", **(given | changes))  # type: ignore[arg-type]


REFUSALS: list[tuple[str, Callable[[], object]]] = [
    ("reads 't.pirce', which its input does not have", lambda: Filter(T, value("t.pirce > 1"))),
    ("is DOUBLE and no condition", lambda: Filter(T, PRICE)),
    ("mode 'hide'", lambda: Filter(T, value("t.price > 1"), mode="hide")),
    ("nothing to withdraw", lambda: Filter(T, value("t.price > 1"), mode="withdraw")),
    ("reads 't.pirce'", lambda: Project(T, (Column("p", MISSING),))),
    ("two fields are named 'p'", lambda: Project(T, (Column("p", PRICE), Column("p", PRICE)))),
    ("no column '_event_time' for the event time", lambda: Project(T, (Column("p", PRICE),), "_event_time")),
    ("does not belong to 't'", lambda: Scan("x", "t", "k", (Field("price", INT),), EventTime(), Watermark())),
    ("not a way to scan", lambda: Scan("x", "t", "k", (), EventTime(), Watermark(), way=ScanWay("jdbc", ""))),
    ("does not belong to 'l'", lambda: TableScan("x", "l", (Field("price", INT),), connector="k")),
    ("needs a statement or a connector", lambda: TableScan("x", "l", ())),
    ("does not belong to 's'", lambda: ReadStream("x", "s", (Field("price", INT),))),
    ("1 values for 2 columns", lambda: Values((Field("a", INT), Field("b", INT)), ((value("1", INT),),))),
    ("reads 't.price'", lambda: Values((Field("a", DOUBLE),), ((PRICE,),))),
    ("reads 't.pirce'", lambda: Unnest(T, "u", "UNNEST", (MISSING,), (Field("u.x", STRING),))),
    ("compares DOUBLE with STRING", lambda: JoinTable(T, L, "INNER", (KeyPair(PRICE, reads("l.symbol", STRING)),))),
    ("reads 'l.symbol'", lambda: JoinTable(T, L, "INNER", (KeyPair(reads("l.symbol", STRING), SYMBOL),))),
    ("is not a table", lambda: JoinTable(T, stream("u"), "INNER")),
    ("would wait for the stream to end", lambda: JoinTable(T, L, "RIGHT", (PAIR,))),
    ("strategy 'guess'", lambda: JoinTable(T, L, "INNER", (PAIR,), missing=MissingData("guess"))),
    (
        "it needs 'l.mots'",
        lambda: JoinTable(T, L, "LEFT", (PAIR,), missing=MissingData("use_defaults", (("l.mots", value("1", INT)),))),
    ),
    ("what can become of misses", lambda: JoinTable(T, L, "INNER", (PAIR,), misses="keep")),
    ("reads 'u.x'", lambda: JoinTable(T, L, "INNER", (PAIR,), as_of=reads("u.x", TIMESTAMP))),
    ("two fields are named 't.symbol'", lambda: JoinTable(T, table("t"), "INNER")),
    ("not a kind of join", lambda: streams(kind="SIDEWAYS")),
    ("its state has no bound", lambda: streams(bounds=None)),
    ("lies above the upper", lambda: streams(bounds=Bounds(5, -5))),
    ("it needs 'u.time'", lambda: streams(right_time="u.time")),
    ("there is no key", lambda: Deduplicate(T, ())),
    ("it needs two inputs", lambda: Union((ROWS,))),
    ("one side has 1 columns, another 2", lambda: Union((ROWS, project(T, a="t.symbol", b="t.price")))),
    ("is STRING on one side and DOUBLE", lambda: Union((ROWS, project(T, symbol="t.price")))),
    ("not a time", lambda: Aggregate(T, (), (COUNT,), Window(Tumbling(1), PRICE))),
    ("which is a MAP", lambda: Aggregate(stream(m=map_of(STRING, INT)), (_key("t.m"),), (COUNT,), None)),
    ("gap filling 'spline'", lambda: Aggregate(T, (), (COUNT,), WINDOW, fill="spline")),
    ("only between time windows", lambda: Aggregate(T, (), (COUNT,), fill="zero")),
    ("discarding needs a time window", lambda: Aggregate(T, (), (), emission=Emission(accumulation="discarding"))),
    ("reads 't.pirce'", lambda: Aggregate(T, (), (_sum(MISSING),), WINDOW)),
    ("no condition", lambda: Aggregate(T, (), (COUNT,), WINDOW, Emission(condition=PRICE))),
    ("there is no call", lambda: RowWindows(T, ())),
    ("holds nothing", lambda: RowWindows(T, (RowCall("n", "ROW_NUMBER", INT),), buffer=Buffer(0))),
    ("EMIT LATER", lambda: RowWindows(T, (RowCall("n", "ROW_NUMBER", INT),), buffer=Buffer(1, emit="LATER"))),
    ("the first 0 rows are none", lambda: TopN(T, 0, BY_PRICE)),
    ("'NTILE' does not rank", lambda: TopN(T, 1, BY_PRICE, ranking="NTILE")),
    ("there is no order", lambda: TopN(T, 1, ())),
    ("there is no column", lambda: Distinct(Project(T, ()))),
    ("belong to no window", lambda: Distinct(ROWS, per_window=True)),
    ("neither an order nor a limit", lambda: OrderLimit(ROWS)),
    ("below zero", lambda: OrderLimit(ROWS, limit=-1, scope="stops")),
    ("scope 'all'", lambda: OrderLimit(ROWS, limit=1, scope="all")),
    ("belong to no window", lambda: OrderLimit(ROWS, limit=1, scope="window")),
    ("its input does not end", lambda: OrderLimit(ROWS, limit=1)),
    ("only a LIMIT without an order", lambda: OrderLimit(T, BY_PRICE, 1, scope="stops")),
    ("nothing to set", lambda: Headers(T, ())),
    ("it needs 't._headers'", lambda: Headers(T, (HeaderEdit(value("'k'", STRING)),), "t._headers")),
    ("is not a kind of subquery", lambda: SubqueryCheck(T, L, "x", "SOME", operand=SYMBOL)),
    ("a subquery reads a stream", lambda: SubqueryCheck(T, stream("u"), "x", "EXISTS")),
    ("do not fit together", lambda: SubqueryCheck(T, L, "x", "IN")),
    ("the subquery has no column", lambda: SubqueryCheck(T, Project(L, ()), "x", "SCALAR")),
    ("the subquery gives STRING", lambda: SubqueryCheck(T, L, "x", "IN", operand=PRICE)),
    ("there is no sink", lambda: Sinks(ROWS, ())),
    ("two sinks are named 'out'", lambda: Sinks(ROWS, (TARGET, TARGET))),
    ("it needs 'id'", lambda: Sinks(ROWS, (sink(key=("id",)),))),
    ("cannot replace rows that have no key", lambda: Sinks(ROWS, (sink(writes=WriteMode.UPSERT),))),
    ("has nothing to write", lambda: Sinks(Project(T, ()), (TARGET,))),
    ("has no key", lambda: Materialise(ROWS, "positions", ())),
    ("there is no column", lambda: Print(Project(T, ()))),
    ("its rows go nowhere", lambda: Job("j", ROWS)),
    ("reads 'n'", lambda: Job("j", Print(ROWS), metrics=(PlannedMetric("m", value("n > 1")),))),
    ("two jobs are named 'j'", lambda: ApplicationPlan("a", (Job("j", Print(ROWS)), Job("j", Print(ROWS))))),
    ("neither event nor processing", lambda: EventTime(semantics="lunar")),
    ("fallback 'guess'", lambda: EventTime(fallback="guess")),
    ("strategy 'hope'", lambda: Watermark(strategy="hope")),
    ("scope 'world'", lambda: Watermark(scope="world")),
    ("needs a column or condition", lambda: Watermark(strategy="punctuated")),
    ("neither FINAL nor CHANGES", lambda: Emission("SOMETIMES")),
    ("granularity 'hour'", lambda: Emission(granularity="hour")),
    ("accumulation 'hoarding'", lambda: Emission(accumulation="hoarding")),
    ("excludes early rows", lambda: Emission("CHANGES", early=1)),
    ("late data strategy 'ignore'", lambda: Lateness(0, "ignore")),
    ("below zero", lambda: Lateness(-1)),
]


def _key(name: str) -> Column:
    return Column(name, reads(name, map_of(STRING, INT)))


def _sum(argument: object) -> AggregateCall:
    return AggregateCall("s", "SUM", "sum", DOUBLE, (argument,))  # type: ignore[arg-type]


@pytest.mark.parametrize(("message", "make"), REFUSALS, ids=[message for message, _ in REFUSALS])
def test_a_wrong_node_refuses_to_exist(message: str, make: Callable[[], object]) -> None:
    with pytest.raises(InvalidPlan) as refusal:
        make()
    assert message in refusal.value.message


def test_a_refusal_names_the_node_and_the_nearest_field() -> None:
    with pytest.raises(InvalidPlan, match=r"Filter: 't.pirce > 1' reads 't.pirce'") as refusal:
        Filter(T, value("t.pirce > 1"))
    assert "'t.price'" in refusal.value.hint
