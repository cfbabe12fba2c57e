"""Rows that something is wrong with: a letter for each, and how many failed behind the node that had counted them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from velostream.jobs.accounts import Accounts
from velostream.jobs.letter_owner import OWNING
from velostream.jobs.ownership import OTHERS
from velostream.sinks.letters import letter
from velostream.spark.lower.context import column
from velostream.spark.stateful import layout as names

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

COLUMNS = (names.STATUS, names.DETAIL, names.RECORD, "_place", names.COUNTED, OTHERS)
"""What is asked of a row, as far as there is such a column."""


@dataclass
class Faults:
    """Those of a micro-batch."""

    counted: Counter[tuple[str, bool]] = field(default_factory=Counter)
    """Rows that failed behind a stateful node, by reason, and whether each is a record of a source."""

    def begin(self) -> None:
        """Another micro-batch."""
        self.counted.clear()

    def of_frame(self, rows: DataFrame) -> list[dict[str, Any]]:
        """Letters for the rows of a frame."""
        status = column(names.STATUS)
        wrong = rows.filter(column(names.MARK).isNull() & status.isNotNull() & ~status.isin(*names.NO_FAULT))
        return self.of_table(wrong.select(*(name for name in COLUMNS if name in rows.columns)).toArrow())

    def of_table(self, table: pa.Table) -> list[dict[str, Any]]:
        """Letters for the rows of a table."""
        import pyarrow as pa
        import pyarrow.compute as pc

        status = table[names.STATUS]
        wrong = pc.and_(pc.is_valid(status), pc.invert(pc.is_in(status, pa.array(names.NO_FAULT))))
        known = table.filter(wrong).select([name for name in COLUMNS if name in table.column_names])
        return [self._letter(row) for row in known.to_pylist()]

    def _letter(self, row: dict[str, Any]) -> dict[str, Any]:
        place = row.get("_place") or {}
        made = letter(reason=row[names.STATUS], error=row[names.DETAIL], record=row[names.RECORD], **place)
        if row.get(names.COUNTED):
            is_record = bool(made["source"]) and not made["source"].startswith("#")
            self.counted[made["reason"], is_record] += 1
        return {**made, OWNING: {"others": True}} if row.get(OTHERS) else made

    def settle(self, accounts: Accounts) -> None:
        """Counts what failed after its records had been counted."""
        for (reason, is_record), rows in self.counted.items():
            accounts.fail(reason, rows, are_records=is_record)
