"""Objects of a user's class as state: each is filled with rows, written as bytes, read back and merged.

Only what an object holds is written, not its class, so that a class may move to another file and keep its state.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.lazy import lazy
from velostream.windows.accumulators.base import GROUP, POSITION, TableCell, position_types
from velostream.windows.accumulators.cells.naming import label

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")


@dataclass(frozen=True, slots=True)
class Objects(TableCell):
    """A struct of the bytes of an object, the text of what failed, and the position of the first row.

    Rows are added, and objects merged, in the order of positions.
    """

    made_of: Callable[[], Any]
    arguments: tuple[str, ...]
    where: str = ""

    @property
    def column(self) -> str:
        """The state column."""
        return label(f"object {getattr(self.made_of, '__name__', 'state')}", *self.arguments, where=self.where)

    @property
    def columns(self) -> dict[str, pl.DataType]:
        """One struct."""
        return {self.column: pl.Struct({"held": pl.Binary(), "failed": pl.String(), **position_types()})}

    @property
    def inputs(self) -> tuple[str, ...]:
        """The arguments, the position and the condition."""
        return (*self.arguments, *filter(None, [self.where]), *POSITION)

    def fold(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Fill an object with the rows of each group."""
        chosen = rows.filter(pl.col(self.where)) if self.where else rows
        arguments = pl.struct(pl.col(name).alias(str(n)) for n, name in enumerate(self.arguments)).alias("rows")
        ordered = chosen.sort(POSITION).group_by(GROUP).agg(arguments, pl.struct(*POSITION).first().alias("first"))
        return self._packed(ordered, [self._filled(of) for of in ordered["rows"].to_list()])

    def merge(self, states: pl.DataFrame) -> pl.DataFrame:
        """Merge the objects of each group."""
        held = states.select(GROUP, self.column).unnest(self.column).filter(pl.col(POSITION[0]).is_not_null())
        first = pl.struct(*POSITION).first().alias("first")
        ordered = held.sort(POSITION).group_by(GROUP).agg(pl.struct("held", "failed").alias("states"), first)
        return self._packed(ordered, [self._merged(of) for of in ordered["states"].to_list()])

    def ask(self, state: dict[str, Any]) -> tuple[Any, str | None]:
        """The result of an object and what failed; an object that saw no row is asked too."""
        if state["failed"] is not None:
            return None, state["failed"]
        try:
            return (self._read(state["held"]) if state["held"] is not None else self.made_of()).finish(), None
        except Exception as failure:
            return None, _text(failure)

    def _packed(self, groups: pl.DataFrame, states: list[tuple[bytes | None, str | None]]) -> pl.DataFrame:
        held = pl.Series("held", [packed for packed, _ in states], dtype=pl.Binary)
        failed = pl.Series("failed", [text for _, text in states], dtype=pl.String)
        position = (pl.col("first").struct.field(name) for name in POSITION)
        return groups.select(GROUP, pl.struct(held, failed, *position).alias(self.column))

    def _filled(self, rows: Iterable[dict[str, Any]]) -> tuple[bytes | None, str | None]:
        try:
            state = self.made_of()
            for row in rows:
                state.add(*row.values())
            return _written(state), None
        except Exception as failure:
            return None, _text(failure)

    def _merged(self, states: list[dict[str, Any]]) -> tuple[bytes | None, str | None]:
        failed = next((one["failed"] for one in states if one["failed"] is not None), None)
        if failed is not None or len(states) == 1:
            return states[0]["held"] if failed is None else None, failed
        try:
            first, *others = (self._read(one["held"]) for one in states)
            for other in others:
                first.merge(other)
            return _written(first), None
        except Exception as failure:
            return None, _text(failure)

    def _read(self, packed: bytes) -> Any:
        state, held = self.made_of(), pickle.loads(packed)
        if hasattr(state, "__setstate__"):
            state.__setstate__(held)
            return state
        attributes, slots = held if isinstance(held, tuple) else (held, None)
        for name, value in {**(attributes or {}), **(slots or {})}.items():
            setattr(state, name, value)
        return state


def _written(state: Any) -> bytes:
    return pickle.dumps(state.__getstate__(), protocol=5)


def _text(failure: Exception) -> str:
    return f"fails with {type(failure).__name__}: {failure}".splitlines()[0]
