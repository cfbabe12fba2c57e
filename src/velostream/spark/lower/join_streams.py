"""JoinStreams: both sides tagged and put together before the router, joined in the operator, and apart again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from velostream.plan.distances import reach
from velostream.plan.expression import reads
from velostream.plan.nodes import JoinStreams, Node
from velostream.plan.nodes.base import EMISSION, REVISION
from velostream.spark.lower.context import CARRIED, Lowering, column
from velostream.spark.lower.expressions import condition
from velostream.spark.lower.joined_corrections import unjoinable
from velostream.spark.lower.stage import Shape, Stage, lower_stage, position_of
from velostream.spark.stateful import layout as names
from velostream.spark.stateful.outgoing import delayed
from velostream.types import NULL
from velostream.windows.correcting_join import CorrectingJoin
from velostream.windows.joining import IDS, SIDE, TIMES, JoinOperator, JoinSettings
from velostream.windows.lateness import Lateness, LateStrategy
from velostream.windows.rows.said import PREVIOUS
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_TIME = "_time"


def lower_join_streams(
    node: JoinStreams, left: DataFrame, right: DataFrame, lowering: Lowering, *, keeps_previous: bool
) -> Stage:
    """The streaming part of a join of two streams."""
    odd = next(unjoinable(node, keeps_previous=keeps_previous), None)
    if odd is not None:
        raise odd
    columns = _numbered("l", node.left), _numbered("r", node.right)
    keys = tuple(f"k{index}" for index in range(len(node.keys)))
    sides = [
        _side(node, 0, left, columns[0], _times_of(node)),
        _side(node, 1, right, columns[1], [node.right_time]),
    ]
    both = sides[0].unionByName(sides[1], allowMissingColumns=True)
    lower, upper = reach(node)
    conditions = node.conditions_on(columns)

    def operator(watermark: WatermarkSettings) -> Callable[[Any], JoinOperator | CorrectingJoin]:
        lateness = Lateness(node.lateness.allowed, LateStrategy(node.lateness.strategy))
        keeps = (node.kind in ("LEFT", "FULL"), node.kind in ("RIGHT", "FULL"))
        settings = JoinSettings(keys, columns, lower, upper, keeps, watermark, lateness, conditions)
        return partial(CorrectingJoin, settings, keeps_previous) if node.revises else partial(JoinOperator, settings)

    shape = Shape(
        node,
        [(name, reads(name, NULL)) for name in (SIDE, *keys, *columns[0], *columns[1])],
        keys,
        operator,
        lambda schema: _results(schema, columns, keeps_previous=keeps_previous),
        lambda rows: _columns(node, columns),
        _TIME,
        IDS,
        {
            member.name: name
            for side, names_of in zip((node.left, node.right), columns, strict=True)
            for member, name in zip(side.fields, names_of, strict=True)
        },
        outgoing=partial(delayed, _longest(node, lower, upper) + node.lateness.allowed),
        position={name: name for name in names.POSITION[1:]},
        status=lambda rows: _status(node, rows),
    )
    return lower_stage(shape, both, lowering)


def _numbered(letter: str, side: Node) -> tuple[str, ...]:
    return tuple(f"{letter}{index}" for index in range(len(side.fields)))


def _longest(node: JoinStreams, lower: int, upper: int) -> int:
    """How long after its event time a row may come out: a pair has the time of its left row, a right row alone its own,
    and goes out when no left row can come any more."""
    return max(upper, 0, -lower if node.kind in ("RIGHT", "FULL") else 0)


def _times_of(node: JoinStreams) -> list[str]:
    """The time that left rows go by; one that has none of the input that the bounds count from goes by its own."""
    return list(dict.fromkeys((node.left_time, node.left.time)))


def _side(node: JoinStreams, side: int, frame: DataFrame, columns: tuple[str, ...], times: list[str]) -> DataFrame:
    """The rows of one side under short names; what they carry stays."""
    from pyspark.sql import functions as F  # noqa: N812

    input_node: Node = node.children[side]
    keys = [(pair.left, pair.right)[side] for pair in node.keys]
    kinds = [(pair.left.type, pair.right.type) for pair in node.keys]
    position = position_of(frame, [input_node])
    return frame.select(
        F.lit(side).alias(SIDE),
        *(_key(key.name, kind).alias(f"k{index}") for index, (key, kind) in enumerate(zip(keys, kinds, strict=True))),
        *(column(member.name).alias(name) for name, member in zip(columns, input_node.fields, strict=True)),
        F.coalesce(*map(column, times)).alias(_TIME),
        *(value.alias(name) for name, value in position.items()),
        *(column(name) for name in CARRIED if name in frame.columns),
    )


def _key(name: str, kinds: tuple[Any, Any]) -> Column:
    """A key in the type that both sides share."""
    from velostream.validation.coercion import common

    one, other = kinds
    shared = common(one, other)
    return column(name) if one == other or shared is None else column(name).cast(str(shared))


def _results(schema: pa.Schema, columns: tuple[tuple[str, ...], ...], *, keeps_previous: bool) -> pa.Schema:
    import pyarrow as pa

    values = [schema.field(name) for side in columns for name in side]
    ids = [pa.field(name, pa.string()) for name in IDS]
    times = [pa.field(name, pa.int64()) for name in TIMES]
    marks = [pa.field("_emission", pa.string()), pa.field("_revision", pa.int64())]
    said = pa.struct([*times, *(member.with_nullable(True) for member in values)])
    marks += [pa.field(PREVIOUS, said)] if keeps_previous else []
    return pa.schema([*ids, *times, *values, *marks])


def _columns(node: JoinStreams, columns: tuple[tuple[str, ...], ...]) -> dict[str, Column]:
    """The fields of both sides, and the event time of rows that may have no left side."""
    from pyspark.sql import functions as F  # noqa: N812

    made: dict[str, Column] = {}
    for side, names_of_side in zip((node.left, node.right), columns, strict=True):
        made |= {member.name: column(name) for member, name in zip(side.fields, names_of_side, strict=True)}
    if node.time not in made:
        left = [made[name] for name in _times_of(node)]
        made[node.time] = F.coalesce(*left, F.timestamp_micros(column(TIMES[1])))
    if node.revises:
        made |= {EMISSION: column("_emission"), REVISION: column("_revision").cast("int")}
    return made


def _status(node: JoinStreams, rows: DataFrame) -> Column | None:
    """Pairs that do not meet a condition of ON which the operator could not ask, or not of them, are no results."""
    from functools import reduce

    from pyspark.sql import functions as F  # noqa: N812

    if not node.uncertain:
        return None
    met = [condition(rows, each) for each in node.uncertain]
    pair = F.coalesce(*map(column, _times_of(node))).isNotNull() & column(node.right_time).isNotNull()
    failed = reduce(lambda one, other: one | other, [each.isNull() for each in met])
    all_met = reduce(lambda one, other: one & other, [F.coalesce(each["met"], F.lit(False)) for each in met])
    return F.when(pair, F.when(failed, F.lit("bad_value")).when(~all_met, F.lit(names.FILTERED)))
