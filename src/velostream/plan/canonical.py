"""Canonical names: what a field is, told from the sources up and without aliases, so that two plans can be compared."""

from __future__ import annotations

from collections.abc import Iterable

from velostream.plan.expression import Expression
from velostream.plan.nodes import (
    Aggregate,
    AggregateCall,
    Deduplicate,
    Distinct,
    Filter,
    Headers,
    JoinStreams,
    JoinTable,
    Materialise,
    Node,
    Order,
    OrderLimit,
    Print,
    Project,
    ReadStream,
    RowCall,
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
from velostream.plan.visitor import Visitor

Names = dict[str, str]
CANONICAL: Visitor[Names] = Visitor("canonical names")
"""The canonical text of every field of a node: `trades.price`, `SUM(trades.price * 2)`."""


def canonical(expression: Expression, names: Names) -> str:
    """An expression in canonical names."""
    return str(expression.over(names))


def canonical_call(call: AggregateCall, names: Names) -> str:
    """An aggregate call in canonical names: `SUM(DISTINCT trades.price) FILTER (WHERE trades.price > 1)`."""
    parts = [canonical(argument, names) for argument in call.arguments] + [repr(each) for each in call.parameters]
    inside = ("DISTINCT " if call.distinct else "") + (", ".join(parts) or "*")
    inside += f" ORDER BY {', '.join(_terms(call.order, names))}" if call.order else ""
    nulls = " IGNORE NULLS" if call.ignore_nulls else ""
    where = "" if call.where is None else f" FILTER (WHERE {canonical(call.where, names)})"
    return f"{call.function}({inside}){nulls}{where}"


def _terms(order: Iterable[Order], names: Names) -> list[str]:
    return [f"{canonical(term.expression, names)}{' DESC' if term.descending else ''}" for term in order]


def _aliased(names: Iterable[str], alias: str, source: str) -> Names:
    return {name: f"{source}.{name.removeprefix(f'{alias}.')}" for name in names}


@CANONICAL.on(Scan)
def _scan(node: Scan) -> Names:
    return _aliased(node.fields.names, node.alias, node.source)


@CANONICAL.on(TableScan)
def _table_scan(node: TableScan) -> Names:
    return _aliased(node.fields.names, node.alias, node.table)


@CANONICAL.on(ReadStream)
def _read_stream(node: ReadStream) -> Names:
    return _aliased(node.fields.names, node.alias, node.stream)


@CANONICAL.on(Values)
def _values(node: Values) -> Names:
    return {name: name for name in node.fields.names}


@CANONICAL.on(Project)
def _project(node: Project) -> Names:
    below = CANONICAL(node.input)
    return {column.name: canonical(column.expression, below) for column in node.columns}


@CANONICAL.on(Aggregate)
def _aggregate(node: Aggregate) -> Names:
    below = CANONICAL(node.input)
    names = {key.name: canonical(key.expression, below) for key in node.keys}
    names |= {call.name: canonical_call(call, below) for call in node.calls}
    return names | {name: name for name in node.added}


@CANONICAL.on(RowWindows)
def _row_windows(node: RowWindows) -> Names:
    below = CANONICAL(node.input)
    return below | {call.name: _over(call, node, below) for call in node.calls}


def _over(call: RowCall, node: RowWindows, names: Names) -> str:
    parts = [canonical(argument, names) for argument in call.arguments] + [repr(each) for each in call.parameters]
    keys = ", ".join(canonical(key, names) for key in node.partition)
    order = ", ".join(_terms(node.order, names))
    return f"{call.function}({', '.join(parts)}) OVER (PARTITION BY {keys} ORDER BY {order} {call.frame})"


@CANONICAL.on(TopN)
def _top_n(node: TopN) -> Names:
    below = CANONICAL(node.input)
    own = {name: name for name in node.fields.names if name not in below}
    return below | own


@CANONICAL.on(Union)
def _union(node: Union) -> Names:
    first = CANONICAL(node.inputs[0])
    return {name: first.get(name, name) for name in node.fields.names}


@CANONICAL.on(Unnest, SubqueryCheck, JoinTable, JoinStreams)
def _adding(node: Node) -> Names:
    known = {name: text for child in node.children for name, text in CANONICAL(child).items()}
    return {name: known.get(name, name) for name in node.fields.names}


@CANONICAL.on(Filter, Deduplicate, Distinct, OrderLimit, Headers, Sinks, Materialise, Print)
def _passing(node: Node) -> Names:
    below = CANONICAL(node.children[0])
    return {name: below.get(name, name) for name in node.fields.names}
