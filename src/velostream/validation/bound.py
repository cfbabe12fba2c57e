"""A bound statement: every name resolved, every expression typed. Rules check it, the plan is built from it.

Fields. In a bound expression every column is an `exp.Column` without a table whose quoted name is the *field*:
`alias.column` for a column of an input (`t.price`, also for its system columns: `t._event_time`), and the plain name
for what a window adds (`_window_start`). Struct access is an `exp.Dot` on such a column. Spark's text of a field is the
name in backticks.

Subqueries inside an expression (IN, EXISTS, scalar, ANY, ALL) keep their own columns as `alias.column` with a table
part; only what they read of the query around them are fields. The node that holds one (`exp.Subquery`, `exp.Exists`,
`exp.In`, `exp.Any`, `exp.All`) has `meta["bound"]`: the `BoundQuery`, and `meta["tables"]`: the names of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from sqlglot import exp

from velostream.catalog.relation import Relation
from velostream.catalog.schema import Schema
from velostream.positions import Span
from velostream.sql.application import ParsedStatement
from velostream.types import Type


@dataclass(frozen=True, slots=True)
class BoundExpression:
    """An expression over fields, with its type and its place in the text."""

    tree: exp.Expr
    type: Type
    span: Span

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields it reads, each once, in order."""
        columns = (column for column in self.tree.find_all(exp.Column) if not column.table)
        return tuple(dict.fromkeys(column.name for column in columns))


@dataclass(frozen=True, slots=True)
class BoundSource:
    """A relation in FROM or JOIN, under its alias."""

    alias: str
    relation: Relation
    span: Span
    as_of: BoundExpression | None = None
    """`FOR SYSTEM_TIME AS OF t`, against a table."""
    delay: int | None = None
    """`WATERMARK ts DELAY OF d` in microseconds."""
    delay_column: str = ""


@dataclass(frozen=True, slots=True)
class BoundSubquery:
    """A query in FROM or JOIN (also a CTE), under its alias."""

    alias: str
    query: BoundQuery
    span: Span


@dataclass(frozen=True, slots=True)
class BoundUnnest:
    """`CROSS JOIN UNNEST(array) AS t(x)`, `LATERAL VIEW explode(array) t AS x`: one row for each element."""

    alias: str
    function: str
    arguments: tuple[BoundExpression, ...]
    schema: Schema
    outer: bool
    span: Span


BoundInput = BoundSource | BoundSubquery | BoundUnnest


@dataclass(frozen=True, slots=True)
class TimeBounds:
    """How far apart in event time two joined rows may be: right − left lies in [lower, upper], in microseconds."""

    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class BoundJoin:
    """A join of all that stands left of it with one input.

    `classification`: stream-table, stream-stream, table-table, table-stream, unnest. `equalities` are pairs
    (left, right); `residual` is what is left of ON beside equalities and time bounds. `bounds` count from the event
    time of the input `bounded_by`; `grace` is how late its rows may be. `looked_up` is the alias of what is looked up
    for each row of a stream; `table` is whose rows that are, where it is one table, by itself or in a subquery.
    `missing` is the strategy that is set for rows which find nothing.
    """

    kind: str
    right: BoundInput
    classification: str
    span: Span
    condition: BoundExpression | None = None
    equalities: tuple[tuple[BoundExpression, BoundExpression], ...] = ()
    residual: tuple[BoundExpression, ...] = ()
    bounds: TimeBounds | None = None
    bounded_by: str = ""
    grace: int | None = None
    table: BoundSource | None = None
    looked_up: str = ""
    missing: Any = None


@dataclass(frozen=True, slots=True)
class BoundWindow:
    """WINDOW: the assigner's settings, the time that it goes by (None: the event time), and a session's own key."""

    assigner: Any
    time: BoundExpression | None
    span: Span
    key: BoundExpression | None = None
    grace: int | None = None
    retention: int | None = None


@dataclass(frozen=True, slots=True)
class BoundEmission:
    """When rows go out: EMIT clauses and emit.* properties together."""

    mode: str
    explicit: bool
    granularity: str = "record"
    accumulation: str = "accumulating"
    early: int | None = None
    condition: BoundExpression | None = None
    fallback: int | None = None
    every_count: int | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class BoundItem:
    """An item of the select list. `visible` is False for what sets a header or the event time and is no column."""

    name: str
    expression: BoundExpression
    span: Span
    key: bool = False
    visible: bool = True
    sets_event_time: bool = False


@dataclass(frozen=True, slots=True)
class BoundOrder:
    """One term of ORDER BY."""

    expression: BoundExpression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class BoundSelect:
    """One SELECT. Items, HAVING and ORDER BY still hold their aggregate calls, over fields of the inputs."""

    source: BoundInput | None
    items: tuple[BoundItem, ...]
    schema: Schema
    span: Span
    joins: tuple[BoundJoin, ...] = ()
    where: BoundExpression | None = None
    grouping: tuple[BoundExpression, ...] = ()
    window: BoundWindow | None = None
    having: BoundExpression | None = None
    order: tuple[BoundOrder, ...] = ()
    limit: int | None = None
    emission: BoundEmission | None = None
    distinct: bool = False
    aggregated: bool = False
    """True where rows are grouped: GROUP BY, or an aggregate in the select list or HAVING."""
    windowed: bool = False
    """True with a WINDOW, also where it could not be bound."""
    row_windows: bool = False
    """True where the select list has an OVER."""
    buffers: bool = False
    """True where each OVER answers from a buffer of rows."""
    bounded: bool = False
    partition_by: tuple[BoundExpression, ...] = ()
    primary: str = ""
    """The alias whose event time, headers and partition the rows have."""

    def __deepcopy__(self, memo: object) -> Self:
        """Itself, since nothing of it changes: else a copy of a tree that has a subquery would copy all of that."""
        return self

    @property
    def inputs(self) -> Iterator[BoundInput]:
        """All that it reads, in order."""
        if self.source is not None:
            yield self.source
        for join in self.joins:
            yield join.right


@dataclass(frozen=True, slots=True)
class BoundUnion:
    """UNION [ALL] of two queries."""

    left: BoundQuery
    right: BoundQuery
    distinct: bool
    schema: Schema
    span: Span
    order: tuple[BoundOrder, ...] = ()
    limit: int | None = None
    emission: BoundEmission | None = None

    def __deepcopy__(self, memo: object) -> Self:
        """Itself, as with one SELECT."""
        return self

    @property
    def bounded(self) -> bool:
        """True where both sides end."""
        return self.left.bounded and self.right.bounded


BoundQuery = BoundSelect | BoundUnion


@dataclass(frozen=True, slots=True)
class BoundSink:
    """A sink of a statement: a declaration of velostream.sinks, and its settings."""

    name: str
    connector: Any
    settings: Any
    span: Span | None = None

    @property
    def upserts(self) -> bool:
        """True where a correction replaces the row of its key."""
        return bool(self.connector.write_mode(self.settings).value == "upsert")


@dataclass(frozen=True, slots=True)
class BoundMetric:
    """A @metric with its condition and field bound to the output columns (fields are the plain output names)."""

    metric: Any
    condition: BoundExpression | None = None
    field: BoundExpression | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BoundLog:
    """A @log line with its condition bound to the output columns."""

    line: Any
    condition: BoundExpression | None = None


@dataclass(frozen=True, slots=True)
class BoundStatement:
    """A statement ready to be planned. `query` is None for declarations and commands."""

    parsed: ParsedStatement
    name: str
    query: BoundQuery | None = None
    creates: Relation | None = None
    sinks: tuple[BoundSink, ...] = ()
    settings: Any = None
    """The job's resolved settings (velostream.config)."""
    owner_settings: dict[str, Any] = field(default_factory=dict)
    """Settings of each source, table and sink by name."""
    metrics: tuple[BoundMetric, ...] = ()
    logs: tuple[BoundLog, ...] = ()
    reads: tuple[str, ...] = ()
    """The names of the statements whose streams and tables it reads."""
    is_job: bool = False
    """True where it runs by itself: it has a sink, is a table, or prints."""


@dataclass(frozen=True, slots=True)
class BoundApplication:
    """All statements of a file, in an order in which each comes after what it reads."""

    name: str
    statements: tuple[BoundStatement, ...]
    relations: dict[str, Relation]
    settings: Any = None
