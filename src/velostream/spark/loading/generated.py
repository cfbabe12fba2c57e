"""Tables of generated records: a generator with a number of rows comes to an end."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.files import replace_text
from velostream.plan.job import LoadedTable
from velostream.plan.time import EventTime
from velostream.sources.streams.generating import recipe_of, schema_of
from velostream.spark.loading.records import TableRecords
from velostream.spark.lower.scan import with_time
from velostream.tables.loading import Step

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

STEP_ROWS = 500_000
"""At most so many rows are loaded in one step."""


class GeneratedTable(TableRecords):
    """The records of a generator in the order in which they arrive, at its rate. Each look makes the same ones; another
    generator's take their place."""

    def __init__(self, table: LoadedTable, spark: SparkSession, folder: Path, home: Path) -> None:
        super().__init__(table, folder)
        self.spark = spark
        self.began = home / "began"
        """What the clock showed at the first start: event times begin there, unless they are told where."""
        settings = table.settings
        told = {name: settings.get(f"event.time.{name}") for name in ("field", "format", "zone")}
        default = EventTime()
        self.times = EventTime(
            str(told["field"] or ""), str(told["format"] or default.format), str(told["zone"] or default.zone)
        )
        self.columns = [(column.name, column.type) for column in table.columns]
        self.recipe = recipe_of(table.name, self.columns, settings, self.times.column, 1)
        self.total = self.recipe.rows or 0
        self.made_of = blake2b(json.dumps(asdict(self.recipe)).encode(), digest_size=8).hexdigest()

    def measure(self, since: Mapping[str, Any]) -> int:
        """What is made has no size."""
        return 0

    def step(self, since: Mapping[str, Any]) -> Step | None:
        """The next records: all that is left, or those of a second where there is a rate, which takes that second."""
        fresh = since.get("recipe") != self.made_of
        first = 0 if fresh else int(since["made"])
        left = self.total - first
        if not left and not fresh:
            return None
        rate = self.recipe.rate
        count = min(left, STEP_ROWS if rate is None else rate, STEP_ROWS)
        if rate is not None:
            time.sleep(count / rate)
        rows, letters = self.rows(self._made(first, first + count), "made")
        offset = {"recipe": self.made_of, "made": first + count}
        return Step(rows, offset, last=count == left, fresh=fresh, letters=letters, size=0)

    def _made(self, first: int, last: int) -> DataFrame:
        import pyarrow as pa
        from pyspark.sql.types import StructType, _parse_datatype_string

        from velostream.sources.streams.arrow import arrow_schema
        from velostream.sources.streams.datagen import records

        struct = _parse_datatype_string(schema_of(self.recipe, self.columns))
        assert isinstance(struct, StructType)
        start = self._start()
        recipe = replace(self.recipe, start=start)
        batch = records(recipe, arrow_schema(struct), first, last, start, start)
        frame = self.spark.createDataFrame(pa.Table.from_batches([batch]), struct)
        return with_time(frame, self.table.columns, self.times) if self.times.column else frame

    def _start(self) -> int:
        if self.recipe.start is not None:
            return self.recipe.start
        if not self.began.exists():
            replace_text(self.began, str(time.time_ns() // 1_000))
        return int(self.began.read_text(encoding="utf-8"))
