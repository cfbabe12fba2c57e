"""Where rows go: sinks with their keys and guarantees, a table, or the terminal."""

from __future__ import annotations

from velostream.plan.build.context import Building, value_of
from velostream.plan.build.outcome import Keyed
from velostream.plan.nodes import Aggregate, Materialise, Node, Print, Project, Sinks, SinkTarget
from velostream.plan.nodes.base import EVENT_TIME, WINDOW_END, WINDOW_START
from velostream.sinks.base import WriteMode
from velostream.validation.bound import BoundSink

_BOUNDS = (WINDOW_START, WINDOW_END)


def plan_outputs(keyed: Keyed, building: Building) -> Node:
    """The root of a job."""
    statement, node = building.statement, keyed.node
    if statement.sinks:
        node = Sinks(node, targets_of(keyed, building))
    made = statement.creates
    if made is not None and made.is_table:
        version = EVENT_TIME if EVENT_TIME in node.fields else ""
        settings = building.owner_settings(made.name, made.settings)
        return Materialise(node, made.name, keyed.key or made.key, version, settings)
    return node if statement.sinks else Print(node)


def targets_of(keyed: Keyed, building: Building) -> tuple[SinkTarget, ...]:
    """The sinks of a statement."""
    return tuple(_target(sink, keyed, building) for sink in building.statement.sinks)


def _target(sink: BoundSink, keyed: Keyed, building: Building) -> SinkTarget:
    node, connector = keyed.node, sink.connector
    writes = connector.write_mode(sink.settings)
    identity = tuple(dict.fromkeys((*keyed.key, *_window(node))))
    return SinkTarget(
        name=sink.name,
        connector=connector.name,
        writes=writes,
        guarantee=connector.guarantee(str(value_of(building.settings, "job.mode", "simple")), sink.settings),
        format=str(value_of(sink.settings, "format", "")),
        key=keyed.key,
        identity=identity if keyed.key and writes is WriteMode.UPSERT else (),
        headers=connector.headers,
        settings=sink.settings,
    )


def _window(node: Node) -> tuple[str, ...]:
    """The fields that tell which window a row belongs to, by whatever names they were selected."""
    names, found, below = {name: name for name in node.identity}, set[str](), node
    while True:
        found |= {shown for name, shown in names.items() if name.rpartition(".")[2] in _BOUNDS}
        if isinstance(below, Aggregate) or len(below.children) != 1:
            return tuple(name for name in node.identity if name in found)
        if isinstance(below, Project):
            renamed = [column for column in below.columns if column.is_renamed and column.name in names]
            names = {column.expression.name: names[column.name] for column in renamed}
        below = below.children[0]
