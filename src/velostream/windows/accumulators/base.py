"""What an accumulator is: a call of an aggregate, the cells of state that it needs, and how they become a result.

The operator never speaks to accumulators one by one. It builds one `Aggregation` (see `aggregation.py`) from all calls
of a query and works on whole frames of many groups:

    calls = (
        Call("n", "count"),
        Call("total", "sum", ("amount",), (types.BIGINT,)),
        Call("p95", "percentile_cont", ("latency",), (types.DOUBLE,), parameters=(0.95,), where="is_error"),
    )
    aggregation = Aggregation(calls)
    state = aggregation.fold(rows, by=["window", "key"])          # raw rows -> one row of state per group
    state = aggregation.merge(pl.concat([old, state]), by=[...])  # any number of states per group -> one
    table = aggregation.finish(state)                             # keys and results, and `_error`

- `fold` keeps `by` and adds the columns of `aggregation.state` (name -> Polars type: fixed for a plan, so state can be
  written as Arrow IPC with one schema). Merging is associative and commutative, so the same three verbs serve the
  combining router (fold early), state deltas, panes of sliding windows (merge with the pane's windows as `by`) and
  sessions (merge with the session's bounds as `by`). Nothing is ever retracted from a state.
- `finish` keeps every column that is not state, adds one column per call, named `call.result`, of the Polars type that
  `aggregation.results[name]` (a Spark type) means, and `ERROR`: NULL, or the text of what went wrong in this group
  (overflow). The results of a group with an error are NULL and must not be used: the group is a dead letter.
- Rows hold the columns of `aggregation.arguments`; for ordered aggregates that includes `POSITION`.
- FILTER (WHERE …) is a boolean column named in `call.where`; a row counts for the call only where it is true. It is not
  done by NULLing arguments, since COUNT(*), FIRST and LAST would see those rows.

State is made of cells that are named by what they hold, so calls share them: AVG(x), SUM(x) and COUNT(x) keep one sum
and one count, and three percentiles of one column keep one table of values.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators.checks import check

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

ERROR = "_error"
"""The column of `finish` that says what went wrong in a group."""

GROUP = "__group__"
"""The number of a group while table cells work on it."""

POSITION = ("_event_time", "_source", "_partition", "_offset")
"""The total order of records: Int64 microseconds, String, Int32, Int64. Whatever depends on order depends on these."""


def position_types() -> dict[str, pl.DataType]:
    """The Polars types of `POSITION`."""
    return dict(zip(POSITION, (pl.Int64(), pl.String(), pl.Int32(), pl.Int64()), strict=True))


class Distinct(Enum):
    """What DISTINCT means to an aggregate."""

    VALUES = "it aggregates the different values"
    SAME = "repeated values change nothing"
    OWN = "it looks at the call itself"
    NEVER = "it is refused"

    @property
    def taken(self) -> bool:
        """Whether a call may have it."""
        return self is not Distinct.NEVER


@dataclass(frozen=True, slots=True)
class Sort:
    """A term of an ORDER BY inside an aggregate; NULLs are first when ascending, last when descending, as in Spark."""

    column: str
    type: Type
    descending: bool = False
    nulls_first: bool | None = None

    @property
    def nulls_last(self) -> bool:
        """Where NULLs stand."""
        return self.descending if self.nulls_first is None else not self.nulls_first


@dataclass(frozen=True, slots=True)
class Call:
    """One aggregate of a query: `result` names the column it becomes, `name` the accumulator, `arguments` row columns.

    `parameters` are the constants of the call in their SQL order (percentages, k, a separator). `order` is the ORDER BY
    inside the call or in WITHIN GROUP. `where` is the boolean column of FILTER. With `ansi` a division by zero is an
    error of the group, else NULL; an overflow is always an error.
    """

    result: str
    name: str
    arguments: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    parameters: tuple[Any, ...] = ()
    distinct: bool = False
    ignore_nulls: bool = False
    order: tuple[Sort, ...] = ()
    where: str = ""
    ansi: bool = True


class Cell(ABC):
    """A part of the state of a group: one or more columns.

    Cells are frozen values: equal cells are one cell, whichever calls asked for it.
    """

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, pl.DataType]:
        """The state columns and their types; the names are the same for the same cell in every run."""

    @property
    @abstractmethod
    def inputs(self) -> tuple[str, ...]:
        """The columns of rows that it reads."""


class ScalarCell(Cell):
    """A cell whose columns are one aggregation expression each, for `group_by(...).agg(...)`, named like the column."""

    @abstractmethod
    def fold(self) -> Sequence[pl.Expr]:
        """From the rows of a group to the columns."""

    @abstractmethod
    def merge(self) -> Sequence[pl.Expr]:
        """From any number of states of a group to one."""

    def prefix(self) -> Sequence[pl.Expr] | None:
        """From the states of a group, in order, to what each makes with all before it; None where merging must do."""
        return None


class TableCell(Cell):
    """A cell that takes more than one grouping: a table of values, moments around a mean, a sketch.

    Both verbs get frames whose column `GROUP` numbers the groups, and answer with at most one row per group: `GROUP`
    and the columns. The columns of a group that they leave out are NULL, which must mean empty.
    """

    @abstractmethod
    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """From rows to one row of state per group."""

    @abstractmethod
    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """From any number of states per group to one."""


class Accumulates(Protocol):
    """What the aggregation asks of whatever answers a call."""

    @property
    def call(self) -> Call:
        """The call that it answers."""
        ...

    @property
    def type(self) -> Type:
        """The Spark type of the result."""
        ...

    @property
    def cells(self) -> tuple[Cell, ...]:
        """What must be kept."""
        ...

    def finish(self) -> pl.Expr:
        """The result: an expression over the columns of the cells, one value per group."""
        ...

    def error(self) -> pl.Expr | None:
        """What went wrong, a text such as `overflows BIGINT`, NULL where nothing did; None where nothing can."""
        ...


def told(failed: pl.Expr | None, complaint: str) -> pl.Expr | None:
    """The text of an error where something failed."""
    return None if failed is None else pl.when(failed).then(pl.lit(complaint))


@dataclass(frozen=True)
class Accumulator(ABC):
    """One aggregate function: which cells it keeps for a call, and the result that they give.

    `arity` is the number of columns, `constants` the least and the most parameters; `sorts` and `skips` say whether it
    takes ORDER BY (`sorts_itself`: only by its own column) and IGNORE NULLS.
    """

    call: Call
    name: ClassVar[str]
    arity: ClassVar[int] = 1
    constants: ClassVar[tuple[int, int]] = (0, 0)
    distinct: ClassVar[Distinct] = Distinct.VALUES
    sorts: ClassVar[bool] = False
    sorts_itself: ClassVar[bool] = False
    skips: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def takes(cls, arguments: int) -> bool:
        """Whether it can be called with so many columns."""
        return arguments == cls.arity

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """What arguments must be cast to before they come here, as Spark does by itself; an error if nothing fits."""
        return given

    @property
    @abstractmethod
    def type(self) -> Type:
        """The Spark type of the result."""

    @property
    @abstractmethod
    def cells(self) -> tuple[Cell, ...]:
        """What must be kept."""

    @abstractmethod
    def finish(self) -> pl.Expr:
        """The result: an expression over the columns of the cells, one value per group."""

    def error(self) -> pl.Expr | None:
        """What went wrong, a text such as `overflows BIGINT`, NULL where nothing did; None if nothing ever can."""
        return None
