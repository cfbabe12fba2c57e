"""Records of a table's source decoded as those of a stream are: rows with their times, deletions, and letters."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.formats.schemas.wire import optional
from velostream.plan.fields import Field
from velostream.plan.job import LoadedTable
from velostream.sinks.letters import letter
from velostream.sinks.writers.crossing import to_arrow
from velostream.spark.lower.coded import CODED
from velostream.spark.lower.context import column
from velostream.spark.lower.decoding import NULL_KEY, TOMBSTONE, decoded
from velostream.tables.keys import split_key
from velostream.tables.newest import GONE, TIME
from velostream.types import STRING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_TOLD = ("_status", "_detail", "_record")


@dataclass(frozen=True)
class TableNode:
    """A table as the readers of streams take a scan."""

    source: str
    declared: tuple[Field, ...]
    settings: Any
    connector: str = "file_source"
    fields: tuple[Field, ...] = (Field("_key", STRING, system=True),)
    """The key of a message is read: it says whom a tombstone deletes."""


class TableRecords:
    """What all sources of tables share."""

    def __init__(self, table: LoadedTable, folder: Path) -> None:
        self.table = table
        self.folder = folder
        """Where relative paths start."""
        self.reading: Callable[[int], None] = lambda size: None

    @property
    def node(self) -> TableNode:
        """The table as a scan."""
        return TableNode(self.table.name, self.table.columns, self.table.settings, self.table.connector)

    @property
    def schema(self) -> str:
        """Its columns as DDL."""
        return ", ".join(f"`{member.name}` {member.type}" for member in self.table.columns)

    def rows(self, frame: DataFrame, form: str, order: tuple[str, ...] = ()) -> tuple[pa.Table, list[dict[str, Any]]]:
        """The rows of records as a source gives them, and letters for those that are none.

        `order` are columns that say in which order records of one key came.
        """
        import pyarrow.compute as pc
        from pyspark.sql import functions as F  # noqa: N812

        made = decoded(self.node, frame, self.schema, form, self.folder)
        made = made.orderBy(*order) if order else made
        if "_gone" in made.columns and "_key" not in made.columns:  # behind a deletion, a line that says nothing new
            says_nothing = (column("_status") == TOMBSTONE) & ~column("_gone")
            made = made.filter(~F.coalesce(says_nothing, F.lit(False)))
        names = [member.name for member in self.table.columns]
        key = column("_key") if "_key" in made.columns else F.lit(None).cast("string")
        time = self._time(made).alias(TIME)
        told = to_arrow(made.select(*map(column, names), time, *map(column, _TOLD), key.alias("_key")))
        fine, letters = self._judged(told)
        gone = pc.fill_null(pc.equal(told["_status"], TOMBSTONE), False)
        if not pc.any(gone).as_py():
            return fine.select([*names, TIME]), letters
        return self._with_deletions(told, gone, letters)

    def _judged(self, told: pa.Table) -> tuple[pa.Table, list[dict[str, Any]]]:
        """Records that are rows, and letters for the others; deletions are neither."""
        import pyarrow as pa
        import pyarrow.compute as pc

        status = told["_status"]
        broken = told.filter(pc.and_(pc.is_valid(status), pc.not_equal(status, TOMBSTONE)))
        letters = [self._letter(*one.values()) for one in broken.select(list(_TOLD)).to_pylist()]
        fine = told.filter(pc.is_null(status))
        unknown = pa.array([False] * fine.num_rows, pa.bool_())
        for name in self.table.key:
            unknown = pc.or_(unknown, pc.is_null(fine[name]))
        complaint = f"the key {', '.join(self.table.key)} is NULL"
        letters += [self._letter(NULL_KEY, complaint, one) for one in fine.filter(unknown)["_record"].to_pylist()]
        return fine.filter(pc.invert(unknown)), letters

    def _with_deletions(
        self, told: pa.Table, gone: pa.Array, letters: list[dict[str, Any]]
    ) -> tuple[pa.Table, list[dict[str, Any]]]:
        """Rows and deletions in the order in which they came. Whose row is deleted, the record says (Debezium), or the
        key of a message without a value."""
        import pyarrow as pa
        import pyarrow.compute as pc

        keys = [self._key(text) for text in pc.if_else(gone, told["_key"], None).to_pylist()]
        columns = {}
        for place, member in enumerate(told.schema):
            held = told.column(place)
            if member.name in self.table.key:
                nth = self.table.key.index(member.name)
                named = pc.and_(gone, pc.is_null(held))
                asked = zip(keys, named.to_pylist(), strict=True)
                values = [key[nth] if key is not None and wanted else None for key, wanted in asked]
                columns[member.name] = pc.if_else(named, _typed(values, member.type), held)
            elif member.name not in (*_TOLD, "_key"):
                columns[member.name] = held
        columns[GONE] = gone
        known = pa.array([True] * told.num_rows, pa.bool_())
        for name in self.table.key:
            known = pc.and_(known, pc.is_valid(columns[name]))
        complaint = "a deletion does not say whose row it takes away"
        lost = told.filter(pc.and_(gone, pc.invert(known)))["_record"].to_pylist()
        letters += [self._letter(NULL_KEY, complaint, record) for record in lost]
        usable = pc.and_(known, pc.or_(pc.is_null(told["_status"]), gone))
        return pa.table(columns).filter(usable), letters

    def _key(self, text: str | None) -> list[str | None] | None:
        """The values of a message's key; None where it is not one of the table's."""
        if text is None:
            return None
        if text.startswith("{") and optional(self.table.settings, "key.format") in ("json", *CODED):
            told = json.loads(text)
            found = [told.get(name) for name in self.table.key]
            parts: list[str | None] = [one if isinstance(one, str | None) else json.dumps(one) for one in found]
        else:
            parts = split_key(text) if len(self.table.key) > 1 else [text]
        return parts if len(parts) == len(self.table.key) and None not in parts else None

    def _letter(self, reason: str, error: str | None, record: str | None) -> dict[str, Any]:
        return letter(reason=reason, error=error, record=record, source=self.table.name)

    def _time(self, frame: DataFrame) -> Column:
        """From when on a row holds: the column that says so, else the time of its record, else that of reading. A
        deletion says nothing of when, whatever row it shows: it holds from the time of its record on."""
        from pyspark.sql import functions as F  # noqa: N812

        chosen = self.table.settings.get("version.time")
        came = F.lit(time.time_ns() // 1000).cast("bigint")
        if "_timestamp" in frame.columns:
            came = F.coalesce(F.unix_micros(column("_timestamp")), came)
        if chosen is None:
            return came
        held = next(one for one in self.table.columns if one.name.casefold() == str(chosen).casefold())
        since = column(held.name).cast("bigint") * 1000
        if not held.type.is_integral:
            since = F.unix_micros(column(held.name).cast("timestamp"))
        return F.when(column("_status") == TOMBSTONE, came).otherwise(since)


def _typed(texts: list[str | None], kind: pa.DataType) -> pa.Array:
    """Texts as values of a type; one that is none is NULL, and its record a letter."""
    import pyarrow as pa

    try:
        return pa.array(texts, pa.string()).cast(kind)
    except pa.ArrowInvalid:
        return pa.concat_arrays([_typed_one(text, kind) for text in texts])


def _typed_one(text: str | None, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array([text], pa.string()).cast(kind)
    except pa.ArrowInvalid:
        return pa.nulls(1, kind)
