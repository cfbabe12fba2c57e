"""Which columns of a text are not what they are declared as: it has something there of which Spark made nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import Column

    from velostream.plan.time import EventTime

UNREAD = "_unread"
"""The column with what stands in the place of the event time of a record that is sound but for that."""
NO_RECORD = "the text is not a record of the declared columns"
_SHOWN = 100


@dataclass(frozen=True)
class WrongColumns:
    """What is known of a text that Spark could not read as a record: its columns as texts, and what was made of them.

    `texts` is a struct; it is NULL where the record is sound, and where the text as a whole is at fault.
    """

    texts: Column
    made: Mapping[str, Column]
    declared: Sequence[Any]

    @property
    def told(self) -> Column:
        """What is wrong with which columns; NULL where nothing can be said of any."""
        from pyspark.sql import functions as F  # noqa: N812

        return F.nullif(F.concat_ws("; ", *map(self._sentence, self._known)), F.lit(""))

    def of_time(self, times: EventTime | None) -> Column:
        """What stands in the place of the event time, where that is all that is wrong; else NULL."""
        from pyspark.sql import functions as F  # noqa: N812

        wanted = times.column.casefold() if times is not None and times.semantics == "event" else ""
        held = next((one for one in self._known if one.name.casefold() == wanted), None)
        if held is None:
            return F.lit(None).cast("string")
        alone = self._is_wrong(held)
        for one in self._known:
            alone = alone if one is held else alone & ~self._is_wrong(one)
        return F.when(alone, self.texts[held.name])

    @property
    def _known(self) -> list[Any]:
        return [one for one in self.declared if one.name in self.made]

    def _is_wrong(self, held: Any) -> Column:
        return self.texts[held.name].isNotNull() & self.made[held.name].isNull()

    def _sentence(self, held: Any) -> Column:
        from pyspark.sql import functions as F  # noqa: N812

        text = F.substring(self.texts[held.name], 1, _SHOWN)
        told = F.concat(F.lit(f"'{held.name}' is '"), text, F.lit(f"', which is not {held.type}"))
        return F.when(self._is_wrong(held), told)


def as_texts(schema: str) -> str:
    """A schema as DDL with text in the place of every type."""
    from pyspark.sql.types import StructType

    told = StructType.fromDDL(schema)
    assert isinstance(told, StructType)
    return ", ".join(f"`{one.name.replace('`', '``')}` STRING" for one in told.fields)
