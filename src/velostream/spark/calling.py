"""Calls of functions that users wrote, in a worker: Arrow arrays in, for every row the value or the error out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any, get_type_hints

from velostream.functions.implementation import Form

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.functions.base import Function

_LONGEST = 500
"""Of an error so many characters are kept."""
_SHOWN = Exception


def answers(function: Function, columns: Sequence[pa.Array], kind: pa.StructType) -> pa.StructArray:
    """The answers to all rows, as structs of the value and the error, one of which is NULL."""
    import pyarrow as pa

    assert function.implementation is not None
    rows = len(columns[0])
    given = [] if not function.parameters and not function.alternatives else list(columns)
    run, form = function.implementation.run, function.implementation.form
    value_kind = kind.field(0).type
    if form is Form.VECTORISED:
        whole = _whole(run, given, rows, value_kind)
        if whole is not None:
            return pa.StructArray.from_arrays([whole, pa.nulls(rows, pa.string())], fields=list(kind))
        one_by_one = _sliced(run, given, rows, value_kind)
    else:
        one_by_one = _called(run, given, rows, value_kind, gives_rows=form is Form.TABLE)
    found: list[Any] = []
    errors: list[str | None] = []
    for value, error in one_by_one:
        found.append(value)
        errors.append(error)
    return pa.StructArray.from_arrays([pa.array(found, value_kind), pa.array(errors, pa.string())], fields=list(kind))


Answer = tuple[Any, str | None]


def _whole(run: Callable[..., Any], given: list[pa.Array], rows: int, kind: pa.DataType) -> pa.Array | None:
    """The values of a whole batch; None where the function fails on it, since one bad row spoils all."""
    try:
        return _fitted(run(*given), rows, kind)
    except _SHOWN:
        return None


def _fitted(made: Any, rows: int, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    values = made if isinstance(made, pa.Array) else pa.array(made)
    if len(values) != rows:
        raise ValueError(f"gives {len(values)} values for {rows} rows")
    return values.cast(kind)


def _sliced(run: Callable[..., Any], given: list[pa.Array], rows: int, kind: pa.DataType) -> Iterator[Answer]:
    for place in range(rows):
        try:
            yield _fitted(run(*(column.slice(place, 1) for column in given)), 1, kind)[0].as_py(), None
        except _SHOWN as error:
            yield None, _said(error)


def _called(
    run: Callable[..., Any], given: list[pa.Array], rows: int, kind: pa.DataType, *, gives_rows: bool
) -> Iterator[Answer]:
    """A call per row, with numbers as the function says that it wants them."""
    import pyarrow as pa

    wanted = _wanted(run, len(given))
    lists = [[_number(value, want) for value in column.to_pylist()] for column, want in zip(given, wanted, strict=True)]
    for place in range(rows):
        try:
            value = run(*(values[place] for values in lists))
            value = [_row(row, kind.value_type) for row in value] if gives_rows else _suited(value, kind)
            pa.array([value], kind)
        except _SHOWN as error:
            yield None, _said(error)
        else:
            yield value, None


def _row(values: Any, kind: pa.StructType) -> dict[str, Any]:
    """A row of a table function under the names of its columns."""
    given = tuple(values) if isinstance(values, tuple | list) else (values,)
    fields = list(kind)
    if len(given) != len(fields):
        raise ValueError(f"gives {len(given)} values for {len(fields)} columns")
    return {field.name: _suited(value, field.type) for field, value in zip(fields, given, strict=True)}


def _wanted(run: Callable[..., Any], count: int) -> list[Any]:
    """What the parameters are annotated with; the last one again for all that are given beyond."""
    try:
        hints = get_type_hints(run)
    except (NameError, TypeError, AttributeError):
        return [None] * count
    found = [hints.get(name) for name in inspect.signature(run).parameters]
    return [found[min(place, len(found) - 1)] for place in range(count)]


def _number(value: Any, wanted: Any) -> Any:
    """A number as a float or a Decimal where that is wanted: to SQL both are numbers, Python keeps them apart."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return value
    if wanted is float:
        return float(value)
    if wanted is Decimal:
        return value if isinstance(value, Decimal) else Decimal(str(value))
    return value


def _suited(value: Any, kind: pa.DataType) -> Any:
    """A number as the result's type has it: decimals are rounded to its places as a cast does."""
    import pyarrow.types as kinds

    if kinds.is_floating(kind) and isinstance(value, Decimal):
        return float(value)
    if kinds.is_decimal(kind) and isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        exact = value if isinstance(value, Decimal) else Decimal(str(value))
        return exact.quantize(Decimal(1).scaleb(-kind.scale), ROUND_HALF_UP)
    return value


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:_LONGEST]
