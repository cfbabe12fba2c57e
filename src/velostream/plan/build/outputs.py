"""Where rows go: sinks with their keys and guarantees, a table, or the terminal."""

from __future__ import annotations

from velostream.plan.build.context import Building, value_of
from velostream.plan.build.outcome import Keyed
from velostream.plan.nodes import Materialise, Node, Print, Sinks, SinkTarget
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
    window = tuple(name for name in node.identity if name in _BOUNDS)
    return SinkTarget(
        name=sink.name,
        connector=connector.name,
        writes=writes,
        guarantee=connector.guarantee(str(value_of(building.settings, "job.mode", "simple")), sink.settings),
        format=str(value_of(sink.settings, "format", "")),
        key=keyed.key,
        identity=(*keyed.key, *window) if keyed.key and writes is WriteMode.UPSERT else (),
        headers=connector.headers,
        settings=sink.settings,
    )
