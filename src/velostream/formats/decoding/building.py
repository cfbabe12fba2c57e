"""Records as Arrow columns: all at once where they fit, one by one where one of them does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

FAULT = "_fault"
"""The column that says why a record could not be decoded."""


class Fault(Exception):
    """Why a record cannot be decoded; in words for its dead letter."""


def built(records: Sequence[dict[str, Any] | Fault | None], columns: pa.Schema) -> pa.StructArray:
    """An array of structs with the columns and, for records that are at fault, `_fault`. None is a record that is not
    there, and has neither."""
    import pyarrow as pa

    kind = pa.struct(list(columns))
    faults = [str(one) if isinstance(one, Fault) else None for one in records]
    values = [one if isinstance(one, dict) else None for one in records]
    try:
        made = pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        made = _one_by_one(values, kind, faults)
    return pa.StructArray.from_arrays(
        [*made.flatten(), pa.array(faults, pa.string())], fields=[*kind, pa.field(FAULT, pa.string())]
    )


def _one_by_one(values: list[dict[str, Any] | None], kind: pa.DataType, faults: list[str | None]) -> pa.Array:
    """The records that fit; for the others a fault is noted."""
    import pyarrow as pa

    kept: list[dict[str, Any] | None] = []
    for index, value in enumerate(values):
        try:
            pa.array([value], kind)
            kept.append(value)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            faults[index] = f"a value does not fit its column: {' '.join(str(error).split())}"
            kept.append(None)
    return pa.array(kept, kind)
