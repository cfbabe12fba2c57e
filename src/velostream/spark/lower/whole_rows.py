"""Stateful nodes whose rows keep all fields of their input: under which names these travel, and what comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.plan.expression import Expression, reads
from velostream.plan.nodes import Node, Order
from velostream.plan.nodes.base import EMISSION, REVISION, WINDOW_END, system_field
from velostream.spark.lower.context import Lowering, column
from velostream.spark.lower.stage import Shape, Stage, lower_stage
from velostream.spark.lower.types import arrow_schema
from velostream.spark.stateful import layout as names
from velostream.types import Type
from velostream.windows.accumulators.base import Sort
from velostream.windows.rows.said import PREVIOUS
from velostream.windows.watermark import WatermarkSettings

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

TIME = "_event_time"


@dataclass(frozen=True)
class Answering:
    """How an operator over whole rows answers.

    `results` are the columns that it adds, by field and with their types. With `corrects` its rows have an emission, a
    revision and an origin; `identity` names what tells them apart where that is not the origin of their input.
    """

    operator: Callable[[WatermarkSettings], Callable[[Any], Any]]
    keys: Sequence[str]
    results: Sequence[tuple[str, str, Type]] = ()
    corrects: bool = False
    keeps_previous: bool = False
    identity: Sequence[str] = ()
    lives: bool = False
    """True where what a row is known by may be forgotten, so that its revisions begin again and do not order it."""
    keeps_record: bool = False
    """True where rows still are the records that came, which dead letters of nodes above then hold."""


class WholeRows:
    """The short names of a node's input: fields as `c0` …, other expressions as `x0` …; what says where a record stands
    and when it happened travels anyway.

    State is kept under these names, so that fields which rows have had only since a flush are counted apart: `n0` ….
    """

    def __init__(self, node: Node, frame: DataFrame, lowering: Lowering, *, corrects: bool) -> None:
        self.node = node
        self.new = lowering.since_flush.get(id(node), frozenset())
        self.input = node.children[0]
        self.derived = names.ORIGIN[0] in frame.columns
        """True where rows come from a stateful node, and may be corrected."""
        self.wanted: list[tuple[str, Expression]] = []
        self.counts = Counter[bool]()
        self.made: dict[Expression, str] = {}
        self.placed = self._places(frame)
        self.columns: dict[str, str] = {}
        """The columns that go out as they came, by field."""
        marks = {system_field(self.input, name) for name in (EMISSION, REVISION)} if corrects else set()
        for member in self.input.fields:
            if member.name not in self.placed and member.name not in marks:
                self.columns[member.name] = self.add(reads(member.name, member.type))
        emission = system_field(self.input, EMISSION) if corrects else ""
        self.kind = self.add(reads(emission, self.input.fields.of(emission).type)) if emission else ""
        """The column that says as what a row came; empty where none does."""
        end = system_field(self.input, WINDOW_END)
        self.end = self.add(reads(end, self.input.fields.of(end).type)) if end and end not in self.new else ""
        """The column that says when the window of a row ends; empty where none does."""

    def _places(self, frame: DataFrame) -> dict[str, str]:
        """Fields that are the event time, or a part of the position of a record."""
        found = {self.input.time: TIME} if self.input.time else {}
        for name in self.input.position:
            suffix = name.split(".")[-1]
            if suffix in names.POSITION and name in frame.columns:
                found[name] = suffix
        return found

    def add(self, expression: Expression) -> str:
        """The column of an expression."""
        if expression not in self.made:
            new = expression.is_field and expression.name in self.new
            letter = "n" if new else "c" if expression.is_field else "x"
            self.made[expression] = f"{letter}{self.counts[new]}"
            self.counts[new] += 1
            self.wanted.append((self.made[expression], expression))
        return self.made[expression]

    def sorts(self, order: Sequence[Order]) -> tuple[Sort, ...]:
        """The terms of an ORDER BY."""
        return tuple(
            Sort(self._sorted(term.expression), term.expression.type, term.descending, term.nulls_first)
            for term in order
        )

    def _sorted(self, expression: Expression) -> str:
        is_time = expression.is_field and expression.name == self.input.time
        return TIME if is_time else self.add(expression)

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns that go out as they came."""
        return tuple(self.columns.values())

    def lower(self, frame: DataFrame, lowering: Lowering, answering: Answering) -> Stage:
        """The streaming part of the node."""
        previous = {**self.columns, **self.placed, **{name: short for name, short, _ in answering.results}}
        shape = Shape(
            self.node,
            self.wanted,
            tuple(answering.keys),
            answering.operator,
            lambda schema: self._results(schema, answering),
            lambda rows: self._fields(answering),
            self.input.time,
            tuple(answering.identity),
            previous,
        )
        return lower_stage(shape, frame, lowering)

    def _results(self, schema: pa.Schema, answering: Answering) -> pa.Schema:
        """What the operator answers with. Marks among the rows of a stream have nothing in any of these columns."""
        import pyarrow as pa

        more = [name for name in answering.identity if name not in self.shown]
        rows = [schema.field(name) for name in (*self.shown, *more)]
        rows += [arrow_schema(((short, kind),)).field(0) for _, short, kind in answering.results]
        rows += [schema.field(name) for name in names.POSITION]
        rows += [pa.field(names.RECORD, pa.string())] if answering.keeps_record else []
        if answering.corrects:
            said = pa.struct([member.with_nullable(True) for member in rows if member.name not in more])
            rows += [pa.field("_emission", pa.string()), pa.field("_revision", pa.int64())]
            if not answering.identity:
                kinds = (pa.string(), pa.int64(), pa.bool_())
                rows += [pa.field(name, kind) for name, kind in zip(names.ORIGIN, kinds, strict=True)]
            elif answering.lives:
                rows += [pa.field(names.ORIGIN[1], pa.int64())]
            rows += [pa.field(PREVIOUS, said)] if answering.keeps_previous else []
        elif self.derived:
            rows += [schema.field(name) for name in names.ORIGIN]
        return pa.schema([member.with_nullable(True) for member in rows])

    def _fields(self, answering: Answering) -> dict[str, Column]:
        """The fields of the node, from what the operator answers with."""
        from pyspark.sql import functions as F  # noqa: N812

        found = {name: column(short) for name, short in self.columns.items()}
        found |= {name: column(short) for name, short, _ in answering.results}
        for name, place in self.placed.items():
            kind = str(self.input.fields.of(name).type)
            found[name] = F.timestamp_micros(column(TIME)) if place == TIME else column(place).cast(kind)
        if answering.corrects:
            for member in self.node.fields:
                if member.system and member.name.split(".")[-1] == EMISSION:
                    found[member.name] = column("_emission")
                elif member.system and member.name.split(".")[-1] == REVISION:
                    found[member.name] = column("_revision").cast("int")
        return found
