"""Unnest: one row for each element of an array or a map, or for each row that a function gives.

A record that has none is marked as unmatched and goes on, so that it is counted; so do rows that are no records.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from velostream.plan.expression import reads
from velostream.plan.nodes import Unnest
from velostream.spark.lower.context import CARRIED, Lowering, column
from velostream.spark.lower.corrections import multiplied, separated
from velostream.spark.lower.expressions import BAD_VALUE, compute
from velostream.spark.lower.functions import called_rows
from velostream.spark.stateful.layout import DETAIL, MARK, STATUS, UNMATCHED

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_ELEMENTS, _ELEMENT, _PLACE, _ERROR = "_elements", "_element", "_nth", "_call_error"


def lower_unnest(node: Unnest, frame: DataFrame, lowering: Lowering) -> DataFrame:
    """The rows of the input, each with one of its elements."""
    from pyspark.sql import functions as F  # noqa: N812

    frame = separated(frame, node.input)
    wanted = [(member.name, reads(member.name, member.type)) for member in node.input.fields]
    arguments = [(f"_argument_{place}", given) for place, given in enumerate(node.arguments)]
    rows = compute(frame, [*wanted, *arguments], CARRIED, node.input.fields)
    alive = column(STATUS).isNull() & column(MARK).isNull()
    given = [name for name, _ in arguments]
    elements, error = _elements(node, rows, given, lowering)
    rows = rows.withColumns({_ELEMENTS: F.when(alive, elements), _ERROR: F.when(alive, error)})
    exploded = rows.select("*", F.posexplode_outer(column(_ELEMENTS)).alias(_PLACE, _ELEMENT))
    is_lost = alive & column(_PLACE).isNull() & F.lit(not node.outer)
    status = (
        F.when(alive & column(_ERROR).isNotNull(), F.lit(BAD_VALUE))
        .when(is_lost, F.lit(UNMATCHED))
        .otherwise(column(STATUS))
    )
    said = {STATUS: status, DETAIL: F.coalesce(column(DETAIL), column(_ERROR)), **multiplied(rows, _PLACE)}
    carried = [name for name in (*CARRIED,) if name in rows.columns or name in said]
    return exploded.select(
        *(column(name) for name, _ in wanted),
        *_columns(node, rows, given),
        F.coalesce(column(_PLACE), F.lit(0)).alias(node.ordinal),
        *(said.get(name, column(name)).alias(name) for name in carried),
    )


def _elements(node: Unnest, rows: DataFrame, given: Sequence[str], lowering: Lowering) -> tuple[Column, Column]:
    """The rows to be as one array, and what went wrong where they could not be made."""
    from pyspark.sql import functions as F  # noqa: N812

    nothing = F.lit(None).cast("string")
    if lowering.is_users(node.function):
        made = called_rows(node.function, [column(name) for name in given])
        return made["value"], made["error"]
    if node.function == "STACK":
        return _stacked(given[1:], len(node.columns), _constant(node)), nothing
    if node.function == "JSON_TUPLE":
        paths = [F.concat(F.lit("$['"), column(name), F.lit("']")) for name in given[1:]]
        found = [
            F.call_function("get_json_object", column(given[0]), path).alias(f"c{place}")
            for place, path in enumerate(paths)
        ]
        return F.array(F.struct(*found)), nothing
    lists = [F.map_entries(column(name)) if _is_map(rows, name) else column(name) for name in given]
    if len(lists) == 1:
        return lists[0], nothing
    return F.arrays_zip(*(F.coalesce(one, F.array()).alias(f"a{place}") for place, one in enumerate(lists))), nothing


def _columns(node: Unnest, rows: DataFrame, given: Sequence[str]) -> list[Column]:
    """The columns of an element under the names of the plan; the place comes first, or last WITH ORDINALITY."""
    from pyspark.sql import functions as F  # noqa: N812

    parts = _parts(node, rows, given)
    if node.function == "POSEXPLODE":
        parts = [column(_PLACE), *parts]
    if len(parts) < len(node.columns):
        parts.append((column(_PLACE) + 1).cast("bigint"))
    alive = column(_PLACE).isNotNull()
    return [F.when(alive, part).alias(field.name) for part, field in zip(parts, node.columns, strict=True)]


def _parts(node: Unnest, rows: DataFrame, given: Sequence[str]) -> list[Column]:
    element = column(_ELEMENT)
    if node.function in ("STACK", "JSON_TUPLE"):
        return [element[f"c{place}"] for place in range(len(node.columns))]
    kind = rows.schema[_ELEMENTS].dataType.elementType  # type: ignore[attr-defined]
    if node.function in ("EXPLODE", "POSEXPLODE"):
        return _fields(element, kind) if _is_map(rows, given[0]) else [element]
    if len(given) <= 1 or node.function not in ("UNNEST", "INLINE"):
        return _fields(element, kind)
    return [part for field in kind.fields for part in _fields(element[field.name], field.dataType)]


def _fields(element: Column, kind: Any) -> list[Column]:
    names = getattr(kind, "names", None)
    return [element.getField(name) for name in names] if names is not None else [element]


def _stacked(values: Sequence[str], width: int, height: int) -> Column:
    """The values in rows; what is missing in the last one is NULL."""
    from pyspark.sql import functions as F  # noqa: N812

    cells = [*map(column, values), *[F.lit(None)] * (width * height - len(values))]
    rows = [cells[start : start + width] for start in range(0, width * height, width)]
    return F.array(*(F.struct(*(cell.alias(f"c{place}") for place, cell in enumerate(row))) for row in rows))


def _constant(node: Unnest) -> int:
    """How many rows STACK makes, which validation has found to be a literal."""
    return int(str(node.arguments[0]))


def _is_map(rows: DataFrame, name: str) -> bool:
    return rows.schema[name].dataType.typeName() == "map"
