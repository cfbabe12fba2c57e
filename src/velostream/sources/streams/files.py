"""Files as a stream: in order of name, a number of them per micro-batch; records know their file and their index in it.

An offset is how many files of the manifest are taken, how many are known, whether the run ends with them, what the
clock showed then, and of files that grow how many bytes and records of each are read.
"""

from __future__ import annotations

import base64
import json
import pickle
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxFiles, SupportsTriggerAvailableNow

from velostream.errors import VeloError
from velostream.sources.file import found_at
from velostream.sources.streams.csv_records import CsvForm
from velostream.sources.streams.decoding import FileForm, record_batches
from velostream.sources.streams.growing import grown
from velostream.sources.streams.limits import BatchLimit
from velostream.sources.streams.manifest import Manifest, Taken
from velostream.sources.streams.marks import finished, listed, mark
from velostream.sources.streams.missing import interrupted, vanished
from velostream.sources.streams.sizes import records_of
from velostream.sources.streams.watermarks import below, largest_before
from velostream.stores import Store, is_remote, use

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType

SYSTEM = "_partition INT, _offset BIGINT, _topic STRING, _mark STRING, _late BOOLEAN"
LINES = f"value STRING, {SYSTEM}"
"""What text formats give: lines, to be decoded by Spark."""
FAULTS = "_raw STRING, _fault STRING"
BATCH_BYTES = 256 * 1024 * 1024
"""Without `files.per.batch`, a micro-batch takes files of this size together, and at least one."""

COMBINED = 1_000_000
"""How many records a worker that combines them takes together: the more, the fewer groups it sends."""


@dataclass(frozen=True)
class FileOptions:
    """What the reader is told, as it travels through Spark's options."""

    source: str
    path: str
    folder: str
    manifest: str
    form: FileForm
    per_batch: int | None = None
    by: str = ""
    growing: bool = False
    ends: bool = False
    interval: float = 1.0
    time: str = ""
    """The column of event times, where it is a TIMESTAMP of the file itself."""
    watermarks: str = ""
    """Where the stateful nodes of the job leave their watermarks."""
    limit: BatchLimit = field(default_factory=BatchLimit)
    store: Store | None = None
    """Where the files are objects of a store: how it is reached."""
    told: str = ""
    """Where they are objects that a queue tells of: the list of these."""
    existing: bool = True
    """Whether objects that are there at the first start are read too."""
    worker: str = ""
    """What is done with records where they are read, instead of sending them on: packed, see `packed`."""

    @classmethod
    def read(cls, text: str) -> FileOptions:
        """From JSON."""
        data = json.loads(text)
        form = data.pop("form")
        store = Store(**data["store"]) if data["store"] is not None else None
        form = FileForm(form["format"], tuple(form["columns"]), CsvForm(**form["csv"]), form["ordered"])
        return cls(**{**data, "form": form, "limit": BatchLimit(**data["limit"]), "store": store})


@dataclass(frozen=True, slots=True)
class Task:
    """What one task reads: a file, or the bytes that were added to it, whose first record has the index `first`."""

    number: int
    path: str
    start: int
    end: int | None
    first: int
    clock: int
    before: str
    after: str


class FileStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads the files of a path, a folder or a glob."""

    def __init__(self, options: FileOptions, schema: StructType) -> None:
        self.options = options
        self.columns = schema
        self.looked = -1e9
        self.until: int | None = None
        self.sizes: dict[int, int] = {}

    @cached_property
    def manifest(self) -> Manifest:
        """The files taken so far; in the driver only."""
        return Manifest(Path(self.options.manifest))

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Before the first file."""
        return {"files": 0, "known": 0, "ends": False, "grown": {}, "clock": 0}

    def getDefaultReadLimit(self) -> ReadMaxFiles:  # noqa: N802
        """How many files a micro-batch takes."""
        return ReadMaxFiles(self.options.per_batch or 1_000_000)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """A bounded run reads what is there now."""
        self._fix(0)

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:  # noqa: N802
        """As many files as the next micro-batch takes, and what was added to those taken before."""
        with interrupted(self.options.source):
            if self.until is None and self.options.ends:
                self._fix(start["files"])
            self._look(start["files"])
        known = len(self.manifest.taken) if self.until is None else max(self.until, start["files"])
        ahead = self._limited(self.manifest.taken[start["files"] : known], limit)
        files = start["files"] + len(ahead)
        read = {number: tuple(held) for number, held in start["grown"].items()}
        added = grown(self.manifest.taken[:files], read, self.options.form, self.sizes) if self.options.growing else {}
        if files == start["files"] and added == start["grown"]:
            return start
        ends = self.until is not None
        clock = time.time_ns() // 1_000
        return {"files": files, "known": known if ends else files, "ends": ends, "grown": added, "clock": clock}

    def _fix(self, done: int) -> None:
        """From now on nothing more is taken than what is there."""
        self._look(done)
        self.until = len(self.manifest.taken)
        self.sizes = {
            number: Path(one.path).stat().st_size
            for number, one in enumerate(self.manifest.taken)
            if self.options.growing and Path(one.path).exists()
        }

    def _look(self, done: int) -> None:
        """Takes note of new files; one that was read and has changed is an error."""
        if self.until is not None or time.monotonic() - self.looked < self.options.interval:
            return
        self.looked = time.monotonic()
        self._reach()
        found = found_at(self.options.path, Path(self.options.folder))
        if not self.options.growing:
            self._refuse_changed(found, done)
        self.manifest.take(found)

    def _refuse_changed(self, found: Mapping[str, tuple[int, int] | None], done: int) -> None:
        changed = self.manifest.changed(found, done)
        if changed is not None:
            hint = (
                f"give changed data a new name; '{self.options.source}.growing' = 'true' reads what is added to files"
            )
            raise VeloError(f"'{changed}' has changed after it was read", hint=hint, code="source-unreadable")

    def _reach(self) -> None:
        """Lets this process reach the store that the files are in."""
        if self.options.store is not None:
            use(self.options.path, self.options.store)

    def _limited(self, ahead: list[Taken], limit: Any) -> list[Taken]:
        if isinstance(limit, ReadAllAvailable):
            return ahead
        if self.options.per_batch is not None:
            return ahead[: self.options.per_batch]
        most, size, records = self.options.limit.most_records, 0, 0
        for count, one in enumerate(ahead):
            size += one.size
            records += records_of(one.path, one.size, self.options.form) if most is not None else 0
            if size > (self.options.limit.bytes or BATCH_BYTES) or (most is not None and records > most):
                return ahead[: max(count, 1)]
        return ahead

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """One for each file; the first says which partitions there are, each which of them it ends."""
        tasks = []
        for number in range(0 if self.options.growing else start["files"], end["files"]):
            held, upto = start["grown"].get(str(number), (0, 0)), end["grown"].get(str(number))
            if number >= start["files"] or (upto is not None and upto != held):
                stop = upto[0] if upto is not None else None
                path = self.manifest.taken[number].path
                tasks.append(Task(number, path, held[0], stop, held[1], end["clock"], "", self._ended(number, end)))
        if not tasks:
            return []
        first, last = self._about(start, end)
        tasks[0] = replace(tasks[0], before=first)
        tasks[-1] = replace(tasks[-1], after=last or tasks[-1].after)
        return [InputPartition(task) for task in tasks]

    def _ended(self, number: int, end: dict[str, Any]) -> str:
        """A file is a partition that ends with it, unless it grows."""
        if self.options.by != "file" or self.options.growing:
            return ""
        return json.dumps(finished(self.options.source, [number]))

    def _about(self, start: dict[str, Any], end: dict[str, Any]) -> tuple[str, str]:
        """What is to be known of the partitions before a batch, and after its last record."""
        source, last = self.options.source, end["ends"] and end["files"] == end["known"]
        if self.options.by == "file":
            waiting = range(0 if self.options.growing else start["files"], end["known"])
            over = json.dumps(finished(source, waiting)) if last and self.options.growing else ""
            return json.dumps(listed(source, waiting)), over
        if self.options.by:
            return "", ""
        return json.dumps(listed(source, [0])), json.dumps(finished(source, [0])) if last else ""

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The records of a file, or what a worker makes of them."""
        from velostream.sources.streams.arrow import arrow_schema

        if not self.options.worker:
            yield from self._records(partition.value, arrow_schema(self.columns))
            return
        worker = unpacked(self.options.worker)
        task = partition.value
        yield from worker.routed(self._records(task, worker.schema, COMBINED), task.path, task.clock)

    def _records(self, task: Task, schema: pa.Schema, rows: int | None = None) -> Iterator[pa.RecordBatch]:
        """The records of a file, between what is to be known of its partition before and after."""
        self._reach()
        if task.before:
            yield mark(schema, json.loads(task.before))
        first = self.options.form.first_of(task.number) + task.first
        watermark = largest_before(self.options.watermarks) if self.options.time else None
        try:
            with interrupted(self.options.source, in_store=is_remote(task.path)):
                for batch in record_batches(task.path, self.options.form, schema, task.start, task.end, rows):
                    late = below(batch, self.options.time, watermark)
                    yield _placed(batch, schema, task, first, late, by_file=self.options.by == "file")
                    first += batch.num_rows
        except FileNotFoundError:
            raise vanished(task.path) from None
        except (OSError, EOFError) as error:
            message = f"'{task.path}' cannot be read: {error}"
            raise VeloError(message, hint="see to the file, or take it away", code="source-unreadable") from None
        if task.after:
            yield mark(schema, json.loads(task.after))


def packed(worker: Any) -> str:
    """What is done with records where they are read, as text: a `schema`, and `routed(batches, path, clock)`."""
    from pyspark import cloudpickle

    data: bytes = cloudpickle.dumps(worker)  # type: ignore[no-untyped-call]
    return base64.b64encode(data).decode()


def unpacked(text: str) -> Any:
    """What `packed` was given."""
    return pickle.loads(base64.b64decode(text))  # our own, from the driver


def _placed(
    batch: pa.RecordBatch, schema: pa.Schema, task: Task, first: int, late: pa.Array, *, by_file: bool
) -> pa.RecordBatch:
    """Records with their partition, their index in the file, the file, and whether they may come late."""
    import numpy as np
    import pyarrow as pa

    rows = batch.num_rows
    columns = {
        **dict(zip(batch.schema.names, batch.columns, strict=True)),
        "_partition": pa.array(np.full(rows, task.number if by_file else 0, np.int32)),
        "_offset": pa.array(np.arange(first, first + rows, dtype=np.int64)),
        "_mark": pa.nulls(rows, pa.string()),
        "_late": late,
    }
    if "_topic" in schema.names:
        columns["_topic"] = pa.repeat(task.path, rows)
    return pa.record_batch([columns[name] for name in schema.names], schema=schema)


class FileStream(DataSource):
    """`velo_files`: option `files`, FileOptions as JSON."""

    @classmethod
    def name(cls) -> str:
        """Its name in Spark."""
        return "velo_files"

    def streamReader(self, schema: StructType) -> FileStreamReader:  # noqa: N802
        """The reader."""
        return FileStreamReader(FileOptions.read(self.options["files"]), schema)
