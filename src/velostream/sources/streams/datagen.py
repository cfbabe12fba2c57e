"""Generated records as a stream. An offset is how many records have arrived and the time that the first one has.

Both are in Spark's offset log before a batch is read, so a re-run of it makes the same records with the same times.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, SupportsTriggerAvailableNow

from velostream.sources.made_columns import Made
from velostream.sources.streams.limits import BatchLimit
from velostream.sources.streams.marks import finished, listed, mark
from velostream.types import HEADERS

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

    from velostream.sources.streams.arrivals import Arrivals

SYSTEM = f"_partition INT, _offset BIGINT, _timestamp TIMESTAMP, _headers {HEADERS}, _clock TIMESTAMP, _mark STRING"
ROWS = 100_000
"""Records of an Arrow batch."""
LEAST_BATCH, MOST_BATCH = 1_000, 500_000
LEAST_TASK = 25_000
PAUSE = 0.05


@dataclass(frozen=True)
class Recipe:
    """All that records are made from, as it travels to the workers."""

    source: str
    seed: int
    partitions: int
    batched: bool
    lap: int
    per_lap: int
    columns: tuple[Made, ...]
    rows: int | None = None
    rate: int | None = None
    start: int | None = None
    disorder_share: float = 0.0
    disorder: int = 0
    late_share: float = 0.0
    late_by: int = 0
    headers: dict[str, list[str]] = field(default_factory=dict)
    time: str = ""
    """The column that holds the event time: a TIMESTAMP here, which Spark writes as the column is declared."""
    tasks: int = 1
    limit: BatchLimit = field(default_factory=BatchLimit)
    ends: bool = False
    """True in a run that ends with the rows: it waits for those that the rate has not let come yet."""

    @classmethod
    def read(cls, text: str) -> Recipe:
        """From JSON."""
        data = json.loads(text)
        columns = tuple(Made(**{**one, "values": tuple(one["values"])}) for one in data.pop("columns"))
        return cls(**{**data, "columns": columns, "limit": BatchLimit(**data["limit"])})

    @property
    def batch(self) -> int:
        """The most records of a micro-batch: a tenth of all, but neither a handful nor more than memory likes."""
        most = self.limit.most_records
        if most is not None:
            return most
        return MOST_BATCH if self.rows is None else min(max(-(-self.rows // 10), LEAST_BATCH), MOST_BATCH)

    @property
    def arrivals(self) -> Arrivals:
        """The order of arrival."""
        from velostream.sources.streams.arrivals import Arrivals

        shares = (self.disorder_share, self.disorder, self.late_share, self.late_by)
        return Arrivals(self.seed, self.rows, self.partitions, self.batched, self.lap, self.per_lap, *shares)


class DatagenReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Makes records: at the rate given, counted while the job runs, else as fast as they are taken."""

    def __init__(self, recipe: Recipe, schema: StructType) -> None:
        self.recipe = recipe
        self.columns = schema
        self.bounded = False
        self.began: tuple[float, int] | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Nothing has arrived, and time has not begun."""
        return {"arrived": 0, "start": ""}

    def getDefaultReadLimit(self) -> ReadAllAvailable:  # noqa: N802
        """The recipe limits itself."""
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """A bounded run goes on until all rows are there, however long the rate makes it."""
        self.bounded = True

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802
        """As many as are due, and not too many at once."""
        arrived = start["arrived"]
        recipe = self.recipe
        if recipe.rows is not None and arrived >= recipe.rows:
            return start
        due = self._due(arrived)
        while due <= arrived and (self.bounded or recipe.ends):
            time.sleep(PAUSE)
            due = self._due(arrived)
        if due <= arrived:
            return start
        first = start["start"] or str(recipe.start if recipe.start is not None else time.time_ns() // 1_000)
        return {"arrived": min(due, arrived + recipe.batch), "start": first}

    def _due(self, arrived: int) -> int:
        rows, rate = self.recipe.rows, self.recipe.rate
        if rate is None:
            assert rows is not None
            return rows
        now = time.monotonic()
        if self.began is None:
            self.began = (now, arrived)
        since, before = self.began
        due = before + int((now - since) * rate)
        return due if rows is None else min(due, rows)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Stretches of the records that arrive, as many as there are cores to make them."""
        first, last = start["arrived"], end["arrived"]
        if first == last:
            return []
        count = max(1, min(self.recipe.tasks, (last - first) // LEAST_TASK))
        edges = [first + (last - first) * index // count for index in range(count + 1)]
        began = int(end["start"])
        clock = began + last * self.recipe.lap // self.recipe.per_lap
        return [InputPartition((edges[n], edges[n + 1], began, clock, n == 0)) for n in range(count)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of a stretch, between what is to be known of the partitions before and after."""
        from velostream.sources.streams.arrow import arrow_schema

        first, last, start, clock, leads = partition.value
        recipe, schema = self.recipe, arrow_schema(self.columns)
        if leads:
            yield mark(schema, listed(recipe.source, range(recipe.partitions)))
        for begin in range(first, last, ROWS):
            yield records(recipe, schema, begin, min(begin + ROWS, last), start, clock)
        ended = recipe.arrivals.finished(first, last)
        if ended:
            yield mark(schema, finished(recipe.source, ended))


def records(recipe: Recipe, schema: pa.Schema, first: int, last: int, start: int, clock: int) -> pa.RecordBatch:
    """The records that arrive from `first` up to `last`; `start` is the event time of the first record of all, `clock`
    what the clock shows when the last one of the micro-batch has come."""
    import pyarrow as pa

    from velostream.sources.streams.making import headers, holed, make

    arrivals = recipe.arrivals
    ids = arrivals.ids(first, last)
    times = pa.array(arrivals.times(ids, start))
    columns = {
        made.name: holed(made, times, ids, recipe.seed)
        if made.name == recipe.time
        else make(made, ids, recipe.seed, start)
        for made in recipe.columns
    }
    columns |= {
        "_partition": pa.array(ids % recipe.partitions),
        "_offset": pa.array(ids // recipe.partitions),
        "_timestamp": times,
        "_clock": pa.repeat(clock, len(ids)),
        "_mark": pa.nulls(len(ids), pa.string()),
    }
    if recipe.headers:
        columns["_headers"] = headers(recipe.headers, ids, recipe.seed)
    arrays = [
        columns[field.name].cast(field.type) if field.name in columns else pa.nulls(len(ids), field.type)
        for field in schema
    ]
    return pa.record_batch(arrays, schema=schema)


class DatagenStream(DataSource):
    """`velo_datagen`: option `recipe`, a Recipe as JSON."""

    @classmethod
    def name(cls) -> str:
        """Its name in Spark."""
        return "velo_datagen"

    def streamReader(self, schema: StructType) -> DatagenReader:  # noqa: N802
        """The reader."""
        return DatagenReader(Recipe.read(self.options["recipe"]), schema)
