"""What differs between the rows of a table and others: of a load from the beginning only that is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.tables.newest import GONE, ROW, TIME, alive, index_of, named
from velostream.tables.past import ORDER

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

_HELD = "_held"


def differences(before: pa.Table, rows: pa.Table, key: Sequence[str], now: int) -> pa.Table | None:
    """Changes that make `rows` out of those `before`; keys that are gone are deleted as of `now`. None where nobody can
    tell: without a key, or where values are not alike one by one.

    A row that is as it was is no change, whenever it was read.
    """
    import polars as pl
    import pyarrow as pa

    names = [name for name in rows.schema.names if name not in (*key, TIME)]
    if not key or before.schema.names != rows.schema.names or any(_is_nested(rows, name) for name in names):
        return None
    keys = named(key)
    held, fresh = _told(before, key, names), _told(rows, key, names)
    both = fresh.join(held, on=keys, how="left", nulls_equal=True, maintain_order="left", suffix=_HELD)
    other = (pl.col(f"v{n}").ne_missing(pl.col(f"v{n}{_HELD}")) for n in range(len(names)))
    changed = reduce(lambda one, each: one | each, other, pl.col(f"_there{_HELD}").is_null())
    places = both.select(changed.arg_true()).to_series()
    gone = index_of(before, key).join(fresh, on=keys, how="anti", nulls_equal=True)
    deleted = before.take(gone[ROW].to_arrow())
    later = gone.select(pl.max_horizontal(pl.col(TIME), pl.lit(now))).to_series()
    deleted = deleted.set_column(deleted.schema.get_field_index(TIME), TIME, later.to_arrow())
    deleted = deleted.append_column(GONE, pa.repeat(pa.scalar(value=True), deleted.num_rows))
    made = alive(rows.take(places.to_arrow()))
    return pa.concat_tables([made, deleted.cast(made.schema)])


def added(before: pa.Table | None, after: pa.Table, key: Sequence[str]) -> pa.Table:
    """Of the changes to a base those that differ from what they were, each key once; keys whose change is the same are
    left out where values can be compared one by one."""
    import polars as pl

    names = [name for name in after.schema.names if name not in key]
    if before is None or any(_is_nested(after, name) for name in names):
        return after
    held, fresh = _told(before, key, names), _told(after, key, names).with_row_index(ROW)
    both = fresh.join(held, on=named(key), how="left", nulls_equal=True, maintain_order="left", suffix=_HELD)
    other = (pl.col(f"v{n}").ne_missing(pl.col(f"v{n}{_HELD}")) for n in range(len(names)))
    changed = reduce(lambda one, each: one | each, other, pl.col(f"_there{_HELD}").is_null())
    return after.take(both.filter(changed)[ROW].to_arrow())


def deletions(keys: Mapping[str, pa.ChunkedArray], like: pa.Table) -> pa.Table:
    """Changes that delete the rows of keys, with the columns of others."""
    import pyarrow as pa

    count = len(next(iter(keys.values())))
    held = [
        keys[each.name].cast(each.type) if each.name in keys else pa.nulls(count, each.type) for each in like.schema
    ]
    gone = pa.repeat(pa.scalar(value=True), count)
    fields = [*(each.with_nullable(True) for each in like.schema), pa.field(GONE, pa.bool_())]
    return pa.table([*held, gone], schema=pa.schema(fields))


def _told(rows: pa.Table, key: Sequence[str], names: Sequence[str]) -> pl.DataFrame:
    import polars as pl

    keys = {short: pl.Series(short, pl.from_arrow(rows[name])) for short, name in zip(named(key), key, strict=True)}
    values = {f"v{n}": pl.Series(f"v{n}", pl.from_arrow(rows[name])) for n, name in enumerate(names)}
    return pl.DataFrame({**keys, **values, "_there": pl.repeat(value=True, n=rows.num_rows, eager=True)})


def _is_nested(rows: pa.Table, name: str) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_nested(rows.schema.field(name).type))


def with_columns_of(rows: pa.Table, changes: pa.Table, table: str) -> pa.Table:
    """Rows with the columns that changes have, beside what is kept of each: new ones are NULL, others go."""
    import pyarrow as pa

    told = [member for member in changes.schema if member.name != GONE]
    told += [member for member in rows.schema if member.name in (GONE, ORDER)]
    columns = []
    for member in told:
        try:
            held = rows[member.name].cast(member.type) if member.name in rows.schema.names else None
        except pa.ArrowException as error:
            message = f"table '{table}' holds values of '{member.name}' that are no {member.type}: {error}"
            hint = "undo the change, or start with another checkpoint"
            raise VeloError(message.split("\n", 1)[0], hint=hint, code="state-mismatch") from None
        columns.append(pa.nulls(rows.num_rows, member.type) if held is None else held)
    return pa.table(columns, schema=pa.schema([member.with_nullable(True) for member in told]))
