"""What each node of a plan says in its box of a picture: a title, a small word beside it, and a few lines.

Nodes come as the plain data of `velo explain --format json`, which a job server sends too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from velostream.durations import show

Data = Mapping[str, Any]
SOURCE, STEP, STATE, TABLE, SINK = "source", "step", "state", "table", "sink"
"""The kinds of boxes, which have colours of their own."""
MOST = 3


@dataclass(frozen=True, slots=True)
class Box:
    """One step of a job."""

    title: str
    lines: tuple[str, ...] = ()
    small: str = ""
    kind: str = STEP


def boxes_of(node: Data) -> tuple[Box, ...]:
    """The boxes of a node: of several sinks one each, else one."""
    if node["node"] == "Sinks":
        return tuple(map(_sink, node["sinks"]))
    described = _BOXES.get(node["node"])
    return (described(node) if described is not None else Box(node["node"]),)


def _lines(*lines: str | None) -> tuple[str, ...]:
    return tuple(line for line in lines if line)


def _some(items: Sequence[str], most: int = MOST) -> tuple[str, ...]:
    more = len(items) - most
    return (*items[:most], f"and {more} more") if more > 0 else tuple(items)


def _sink(sink: Data) -> Box:
    place = next(iter(sink["place"].values()), None) if sink["place"] else None
    lines = _lines(f"{sink['writes']}, {sink['guarantee']}", None if place is None else str(place))
    return Box(sink["name"], lines, sink["connector"], SINK)


def _scan(node: Data) -> Box:
    watermark = node["watermark"]
    behind = watermark["max_out_of_orderness"]
    idle = f", idle after {show(watermark['idle_timeout'])}" if watermark["idle_timeout"] else ""
    time = f"event time {node['event_time']['column'] or 'of the record'}"
    back = node["read_back"]
    written = None if back is None else f"written by {back['job']} to {back['sink']}"
    lines = _lines(written, time, None if behind is None else f"watermark {show(behind)} behind{idle}")
    return Box(node["source"], lines, node["connector"], SOURCE)


def _table_scan(node: Data) -> Box:
    key = ", ".join(node["key"])
    return Box(node["table"], _lines(f"key {key}" if key else None), node["connector"] or "table", TABLE)


def _read_stream(node: Data) -> Box:
    return Box(node["stream"], (), "stream", SOURCE)


def _filter(node: Data) -> Box:
    return Box("Filter", (node["condition"],), node["origin"])


def _project(node: Data) -> Box:
    columns = [column for column in node["columns"] if not column["system"]]
    return Box("Project", _some([_column(column) for column in columns]))


def _column(column: Data) -> str:
    name, expression = column["name"], column["expression"]
    return name if name in (expression, expression.rpartition(".")[2]) else f"{name} = {expression}"


def _unnest(node: Data) -> Box:
    return Box("Unnest", (f"{node['function']}({', '.join(node['arguments'])})",), "outer" if node["outer"] else "")


def _equalities(node: Data) -> Iterator[str]:
    return (f"{pair['left']} = {pair['right']}" for pair in node["keys"])


def _join_table(node: Data) -> Box:
    as_of = f"as of {node['as_of']}" if node["as_of"] else None
    return Box(f"{node['kind']} join", _lines(*_equalities(node), as_of), node["classification"])


def _join_streams(node: Data) -> Box:
    bounds = node["bounds"]
    apart = None if bounds is None else f"{_end(bounds['lower'])} to {_end(bounds['upper'])} apart"
    return Box(f"{node['kind']} join", _lines(*_equalities(node), apart), node["classification"], STATE)


def _end(micros: int | None) -> str:
    return "any time" if micros is None else show(micros)


def _subquery(node: Data) -> Box:
    return Box(node["kind"], _some([*_lines(node["operand"]), *node["conditions"]]), "subquery")


def _deduplicate(node: Data) -> Box:
    return Box("Deduplicate", (f"by {', '.join(node['keys'])}",), kind=STATE)


def _aggregate(node: Data) -> Box:
    window = node["window"]
    calls = [f"{call['function']}({', '.join(call['arguments']) or '*'})" for call in node["aggregates"]]
    keys = ", ".join(column["name"] for column in node["keys"]) or "nothing: one group"
    lateness = f"lateness {show(node['lateness']['allowed'])}" if window is not None else None
    title = "Group" if window is None else _window(window)
    return Box(title, _lines(f"by {keys}", *_some(calls, 2), lateness), f"EMIT {node['emission']['mode']}", STATE)


def _window(window: Data) -> str:
    lengths = [value for name, value in window.items() if name in ("size", "gap", "advance", "step") and value]
    return f"{window['kind']}({', '.join(show(value) for value in lengths)})"


def _row_windows(node: Data) -> Box:
    calls = [f"{call['function']}({', '.join(call['arguments'])})" for call in node["calls"]]
    partition = ", ".join(node["partition"])
    return Box("Row windows", _lines(f"by {partition}" if partition else None, *_some(calls, 2)), kind=STATE)


def _top_n(node: Data) -> Box:
    partition = ", ".join(node["partition"])
    return Box(f"Top {node['n']}", _lines(f"by {partition}" if partition else None), node["ranking"], STATE)


def _distinct(node: Data) -> Box:
    return Box("Distinct", _some(node["keys"]), kind=STATE)


def _order_limit(node: Data) -> Box:
    order = [f"{term['expression']}{' descending' if term['descending'] else ''}" for term in node["order"]]
    limit = None if node["limit"] is None else f"limit {node['limit']}"
    return Box("Order" if order else "Limit", _lines(*_some(order), limit), node["scope"])


def _headers(node: Data) -> Box:
    return Box("Headers", _some([edit["key"] for edit in node["edits"]]))


def _materialise(node: Data) -> Box:
    key = ", ".join(node["key"])
    return Box(node["table"], _lines(f"key {key}" if key else None), "makes a table", TABLE)


def _values(node: Data) -> Box:
    return Box("Values", (f"{len(node['rows'])} row{'' if len(node['rows']) == 1 else 's'}",), kind=SOURCE)


_BOXES: dict[str, Callable[[Data], Box]] = {
    "Scan": _scan,
    "TableScan": _table_scan,
    "ReadStream": _read_stream,
    "Values": _values,
    "Filter": _filter,
    "Project": _project,
    "Unnest": _unnest,
    "JoinTable": _join_table,
    "JoinStreams": _join_streams,
    "SubqueryCheck": _subquery,
    "Deduplicate": _deduplicate,
    "Union": lambda node: Box("Union", (f"of {node['sides']}",)),
    "Aggregate": _aggregate,
    "RowWindows": _row_windows,
    "TopN": _top_n,
    "Distinct": _distinct,
    "OrderLimit": _order_limit,
    "Headers": _headers,
    "Materialise": _materialise,
    "Print": lambda node: Box("Rows", ("to whoever asked",), kind=SINK),
}
KNOWN = frozenset({*_BOXES, "Sinks"})
"""The nodes that have a box of their own."""
