"""Lineage: for every column that comes out, the columns of sources that it comes from, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from velostream.plan.expression import Expression
from velostream.plan.job import Job
from velostream.plan.nodes import (
    Aggregate,
    Deduplicate,
    Distinct,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    Materialise,
    Node,
    OrderLimit,
    Print,
    Project,
    ReadStream,
    RowWindows,
    Scan,
    Sinks,
    SubqueryCheck,
    TableScan,
    TopN,
    Union,
    Unnest,
    Values,
)
from velostream.plan.nodes.base import EVENT_TIME, WINDOW_END, WINDOW_START
from velostream.plan.nodes.headers import EDITED
from velostream.plan.visitor import Visitor

IDENTITY, EXPRESSION, AGGREGATE = "identity", "expression", "aggregate"
FILTER, JOIN, GROUP, WINDOW, SORT, DEDUPLICATE = "filter", "join", "group", "window", "sort", "deduplicate"
_STRENGTH = (IDENTITY, EXPRESSION, AGGREGATE)


@dataclass(frozen=True, slots=True, order=True)
class Origin:
    """A column of a source. `how` it gets into a value: identity, expression, aggregate; or how it decides about rows:
    filter, join, group, window, sort, deduplicate."""

    source: str
    column: str
    how: str = IDENTITY

    def by(self, how: str) -> Origin:
        """The same after one more step: an aggregate stays one, an expression is no longer the value itself."""
        return replace(self, how=max(self.how, how, key=_STRENGTH.index))


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where each field comes from, and what decided which rows there are."""

    columns: dict[str, frozenset[Origin]]
    influences: frozenset[Origin] = frozenset()

    def of(self, expressions: Iterable[Expression], how: str) -> frozenset[Origin]:
        """The origins of a value that is computed from these."""
        found = []
        for expression in expressions:
            step = IDENTITY if expression.is_field and how == EXPRESSION else how
            found += [origin.by(step) for name in expression.fields for origin in self.columns.get(name, ())]
        return frozenset(found)

    def deciding(self, expressions: Iterable[Expression], how: str) -> frozenset[Origin]:
        """The origins of what decides about rows, beside those that did before."""
        names = [name for expression in expressions for name in expression.fields]
        return self.influences | {replace(o, how=how) for name in names for o in self.columns.get(name, ())}


@dataclass(frozen=True, slots=True)
class Output:
    """What one sink, table or terminal gets: the origins of each column."""

    name: str
    kind: str
    columns: dict[str, tuple[Origin, ...]]


@dataclass(frozen=True, slots=True)
class JobLineage:
    """The lineage of a job: its outputs, and what decides about their rows."""

    job: str
    outputs: tuple[Output, ...]
    influences: tuple[Origin, ...]

    def data(self) -> dict[str, object]:
        """As plain data."""
        outputs = [
            {
                "name": output.name,
                "kind": output.kind,
                "columns": {name: [_data(each) for each in origins] for name, origins in output.columns.items()},
            }
            for output in self.outputs
        ]
        return {"outputs": outputs, "influences": [_data(origin) for origin in self.influences]}


LINEAGE: Visitor[Lineage] = Visitor("lineage")


def lineage_of(job: Job) -> JobLineage:
    """Column by column, for every output of a job."""
    found = LINEAGE(job.root)
    outputs = [_output(node, found) for node in job.root.walk() if isinstance(node, Sinks | Materialise | Print)]
    flat = [output for group in outputs for output in group]
    return JobLineage(job.name, tuple(flat), tuple(sorted(found.influences)))


def _output(node: Sinks | Materialise | Print, found: Lineage) -> list[Output]:
    visible = [member.name for member in node.fields.visible]
    if isinstance(node, Sinks):
        return [
            Output(target.name, target.connector, _columns([f.name for f in target.columns(node.fields)], found))
            for target in node.targets
        ]
    if isinstance(node, Materialise):
        return [Output(node.table, "table", _columns(visible, found))]
    return [Output("console", "print", _columns(visible, found))]


def _columns(names: Iterable[str], found: Lineage) -> dict[str, tuple[Origin, ...]]:
    return {name: tuple(sorted(found.columns.get(name, ()))) for name in names}


def _data(origin: Origin) -> dict[str, str]:
    return {"source": origin.source, "column": origin.column, "how": origin.how}


@LINEAGE.on(Scan)
def _scan(node: Scan) -> Lineage:
    columns = {}
    for member in node.columns:
        name = member.name.removeprefix(f"{node.alias}.")
        column = node.event_time.column if name == EVENT_TIME and node.event_time.column else name
        how = IDENTITY if column == name else EXPRESSION
        columns[member.name] = frozenset({Origin(node.source, column, how)})
    return Lineage(columns)


@LINEAGE.on(TableScan, ReadStream)
def _read(node: TableScan | ReadStream) -> Lineage:
    source = node.table if isinstance(node, TableScan) else node.stream
    names = [member.name for member in node.columns]
    return Lineage({name: frozenset({Origin(source, name.removeprefix(f"{node.alias}."))}) for name in names})


@LINEAGE.on(Values)
def _values(node: Values) -> Lineage:
    return Lineage({member.name: frozenset() for member in node.columns})


@LINEAGE.on(Filter)
def _filter(node: Filter) -> Lineage:
    below = LINEAGE(node.input)
    return replace(below, influences=below.deciding([node.condition], FILTER))


@LINEAGE.on(Project)
def _project(node: Project) -> Lineage:
    below = LINEAGE(node.input)
    return replace(below, columns={c.name: below.of([c.expression], EXPRESSION) for c in node.columns})


@LINEAGE.on(Unnest)
def _unnest(node: Unnest) -> Lineage:
    below = LINEAGE(node.input)
    origins = frozenset(origin.by(EXPRESSION) for origin in below.of(node.arguments, EXPRESSION))
    added = dict.fromkeys((*(member.name for member in node.columns), node.ordinal), origins)
    return replace(below, columns=below.columns | added)


@LINEAGE.on(JoinTable, JoinStreams)
def _join(node: JoinTable | JoinStreams) -> Lineage:
    left, right = LINEAGE(node.left), LINEAGE(node.right)
    both = Lineage(left.columns | right.columns, left.influences | right.influences)
    times = (node.left_time, node.right_time) if isinstance(node, JoinStreams) and node.bounds is not None else ()
    if isinstance(node, JoinStreams) and node.time != node.left_time:
        own = frozenset(origin for name in (node.left_time, node.right_time) for origin in both.columns.get(name, ()))
        both = replace(both, columns=both.columns | {node.time: own})
    by_time = {replace(origin, how=JOIN) for name in times for origin in both.columns.get(name, ())}
    return replace(both, influences=both.deciding(node.expressions, JOIN) | by_time)


@LINEAGE.on(SubqueryCheck)
def _subquery_check(node: SubqueryCheck) -> Lineage:
    below, query = LINEAGE(node.input), LINEAGE(node.query)
    both = Lineage(below.columns | query.columns, below.influences | query.influences)
    answer = both.of((*node.expressions,), EXPRESSION)
    asked = () if node.kind == "EXISTS" else both.columns.get(node.value.name, ())
    answer |= {origin.by(EXPRESSION) for origin in asked}
    return Lineage(below.columns | {node.name: frozenset(o.by(EXPRESSION) for o in answer)}, both.influences)


@LINEAGE.on(Deduplicate)
def _deduplicate(node: Deduplicate) -> Lineage:
    below = LINEAGE(node.input)
    return replace(below, influences=below.deciding(node.keys, DEDUPLICATE))


@LINEAGE.on(Union)
def _union(node: Union) -> Lineage:
    sides = [(branch, LINEAGE(branch)) for branch in node.inputs]
    columns: dict[str, frozenset[Origin]] = {}
    for place, member in enumerate(node.fields.visible):
        columns[member.name] = frozenset(o for n, found in sides for o in found.columns[n.fields.visible[place].name])
    for member in node.fields:
        if member.system:
            columns[member.name] = frozenset(o for _, found in sides for o in found.columns.get(member.name, ()))
    return Lineage(columns, frozenset(o for _, found in sides for o in found.influences))


@LINEAGE.on(Aggregate)
def _aggregate(node: Aggregate) -> Lineage:
    below = LINEAGE(node.input)
    columns = {key.name: below.of([key.expression], EXPRESSION) for key in node.keys}
    columns |= {call.name: below.of(call.expressions, AGGREGATE) for call in node.calls}
    columns |= dict.fromkeys(node.added, frozenset())
    influences = below.deciding([key.expression for key in node.keys], GROUP)
    if node.window is not None:
        times = frozenset(origin.by(EXPRESSION) for origin in below.of([node.window.time], EXPRESSION))
        columns |= dict.fromkeys((WINDOW_START, WINDOW_END, EVENT_TIME), times)
        influences |= below.deciding([node.window.time], WINDOW)
    return Lineage(columns, influences)


@LINEAGE.on(RowWindows)
def _row_windows(node: RowWindows) -> Lineage:
    below = LINEAGE(node.input)
    around = below.of([*node.partition, *(term.expression for term in node.order)], AGGREGATE)
    columns = {call.name: below.of(call.expressions, AGGREGATE) or around for call in node.calls}
    return replace(below, columns=below.columns | columns)


@LINEAGE.on(TopN)
def _top_n(node: TopN) -> Lineage:
    below = LINEAGE(node.input)
    influences = below.deciding(node.partition, GROUP) | below.deciding([t.expression for t in node.order], SORT)
    rank = {node.rank: below.of(node.expressions, AGGREGATE)} if node.rank else {}
    return Lineage(below.columns | rank, influences)


@LINEAGE.on(Distinct)
def _distinct(node: Distinct) -> Lineage:
    below = LINEAGE(node.input)
    origins = {replace(o, how=DEDUPLICATE) for name in node.keys for o in below.columns.get(name, ())}
    return replace(below, influences=below.influences | origins)


@LINEAGE.on(OrderLimit)
def _order_limit(node: OrderLimit) -> Lineage:
    below = LINEAGE(node.input)
    return replace(below, influences=below.deciding(node.expressions, SORT)) if node.limit is not None else below


@LINEAGE.on(Headers)
def _headers(node: Headers) -> Lineage:
    below = LINEAGE(node.input)
    base = below.columns.get(node.base, frozenset())
    return replace(below, columns=below.columns | {EDITED: base | below.of(node.expressions, EXPRESSION)})


@LINEAGE.on(Sinks, Materialise, Print)
def _root(node: Node) -> Lineage:
    return LINEAGE(node.children[0])
