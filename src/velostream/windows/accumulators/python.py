"""Aggregates that a user wrote in Python: a class whose objects are the state of a group."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from velostream.errors import InvalidPlan
from velostream.lazy import lazy
from velostream.types import Type
from velostream.windows.accumulators import casting
from velostream.windows.accumulators.base import Accumulator, Distinct
from velostream.windows.accumulators.cells.objects import Objects
from velostream.windows.accumulators.dtypes import dtype

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


class Python(Accumulator):
    """The parameters are the class and its result type; objects have `add(*row)`, `merge(other)` and `finish()`.

    Whatever the class raises is an error of the group. NULLs come as None.
    """

    name: ClassVar[str] = "python"
    constants: ClassVar[tuple[int, int]] = (2, 2)
    distinct: ClassVar[Distinct] = Distinct.NEVER

    def __post_init__(self) -> None:
        super().__post_init__()
        made_of, declared = self.call.parameters
        if not callable(made_of) or not isinstance(declared, Type):
            message = f"{made_of!r} and {declared!r} are not a class and its result type"
            raise InvalidPlan(message, hint="give the class that was decorated, and the type that it returns")

    @classmethod
    def takes(cls, arguments: int) -> bool:
        """Any number."""
        return arguments >= 0

    @classmethod
    def casts(cls, given: tuple[Type, ...]) -> tuple[Type, ...]:
        """Anything."""
        return tuple(map(casting.anything, given))

    @property
    def made_of(self) -> Callable[[], Any]:
        """The class."""
        made_of: Callable[[], Any] = self.call.parameters[0]
        return made_of

    @property
    def type(self) -> Type:
        """As the class was declared."""
        declared: Type = self.call.parameters[1]
        return declared

    @property
    def cells(self) -> tuple[Objects, ...]:
        """The object."""
        return (Objects(self.made_of, self.call.arguments, self.call.where),)

    def finish(self) -> pl.Expr:
        """What the objects answer."""
        return self._asked(0, dtype(self.type))

    def error(self) -> pl.Expr | None:
        """What the class raised, or an answer that is not of its type."""
        return self._asked(1, pl.String())

    def _asked(self, part: int, kind: pl.DataType) -> pl.Expr:
        (cell,) = self.cells

        def ask(states: pl.Series) -> pl.Series:
            answers = [self._answer(state) for state in states.to_list()]
            return pl.Series(states.name, [answer[part] for answer in answers], dtype=kind)

        return pl.col(cell.column).map_batches(ask, kind, is_elementwise=True)

    def _answer(self, state: dict[str, Any] | None) -> tuple[Any, str | None]:
        value, failed = self.cells[0].ask(state or {"held": None, "failed": None})
        try:
            pl.Series([value], dtype=dtype(self.type))
        except (TypeError, pl.exceptions.PolarsError):
            return None, f"answers {value!r}, which is not of type {self.type}"
        return value, failed
