"""Rows to a Kafka topic: few are written by the driver, many by Spark's tasks."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from velostream.config.connections.kafka_clients import PRODUCER, for_asking, for_librdkafka
from velostream.errors import VeloError
from velostream.events import LOGGER, TRACEPARENT
from velostream.formats.encoding.encoders import key_encoder, value_encoder
from velostream.kafka import Cluster
from velostream.sinks.writers.batch import Batch, BatchRows, Refusal, Shape
from velostream.sinks.writers.crossing import map_in_arrow
from velostream.sinks.writers.kafka_messages import Message, Messages
from velostream.sinks.writers.kafka_producing import DRIVER, WRITERS, Producing, Writer
from velostream.sinks.writers.kafka_topic import Topic, open_topic

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from velostream.config.settings import Settings

MOST_REFUSED = 10_000
_SOON = 60.0
"""Seconds in which no broker forgets anything."""
_opened: dict[tuple[str, str], Opened] = {}
"""The producers of this process, by query and sink."""


@dataclass
class Opened:
    """A sink that is written to."""

    writer: Writer
    topic: Topic
    timed: bool
    producing: Producing
    by_tasks: int = -1
    """The last micro-batch of which tasks have written something."""
    messages: Messages | None = None
    told: bool = field(default=False)

    def encoded(self, name: str, rows: Any, settings: Settings, batch: Batch, shape: Shape) -> Messages:
        """What makes messages of rows, once their types are known."""
        if self.messages is None:
            topic, keys = self.topic.name, shape.identity if shape.upserts else shape.key
            kinds, key = rows.select(list(shape.names)).schema, None
            if keys:
                key = key_encoder(name, rows.select(list(keys)).schema, settings, batch.folder, topic)
            value = value_encoder(name, kinds, settings, batch.folder, topic)
            self.messages = Messages(shape, self.topic, value, key, self.timed)
        return replace(self.messages, traceparent=TRACEPARENT.get())


def write_kafka(name: str, rows: BatchRows, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    """Writes a micro-batch; in transactional mode what is there already is not written again."""
    key = (batch.query, name)
    try:
        opened = _opened.get(key) or _open(name, settings, batch, shape)
        _opened[key] = opened
        if rows.none:
            return ()
        # a micro-batch that is written again takes the way that it took before
        if opened.producing.done >= batch.number or (rows.few and opened.by_tasks < batch.number):
            return _by_driver(opened, rows.table(), settings, batch, shape)
        return _by_tasks(opened, rows.frame, settings, batch, shape)
    except BaseException:
        _close(*key)
        raise


def release(query: str) -> None:
    """Closes the producers of a query."""
    for owner, name in [key for key in _opened if key[0] == query]:
        _close(owner, name)


def _open(name: str, settings: Settings, batch: Batch, shape: Shape) -> Opened:
    """The sink, with a producer in the driver. One that writes exactly once fences all writers that there may be: what
    another process left unfinished is settled before anything is written again."""
    topic = open_topic(name, settings)
    _refuse_acks(name, settings, once=shape.once)
    told = for_librdkafka(settings, PRODUCER)
    # the limit of a topic is one of what is sent together
    told["message.max.bytes"] = str(max(topic.largest, 1_000))
    told["batch.size"] = str(min(int(told.get("batch.size", topic.largest)), topic.largest))
    client = tuple(sorted(told.items()))
    writer = Writer(name, batch.query, DRIVER, topic.name, client, shape.once)
    timed = settings.text("message.time") == "event_time"
    if not shape.once:
        return Opened(writer, topic, timed, Producing(writer))
    parts = [replace(writer, part=str(number)) for number in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS + 1) as pool:
        first = pool.submit(Producing, writer)
        others = list(pool.map(_settled, parts))
    opened = Opened(writer, topic, timed, first.result(), max(others))
    if max(opened.producing.done, opened.by_tasks) < 0:
        _warn_forgotten(writer, batch, for_asking(settings, PRODUCER))
    return opened


def _refuse_acks(name: str, settings: Settings, *, once: bool) -> None:
    """A transaction is in all replicas, or it is nothing."""
    asked = settings.client.get("acks")
    if once and asked is not None and asked.text not in ("all", "-1"):
        message = f"'{name}.acks' is {asked.text}, and a sink that writes exactly once needs all"
        hint = "remove it, or set 'job.mode' = 'simple'"
        raise VeloError(message, hint=hint, span=asked.origin.span, code="conflicting-properties")


def _settled(writer: Writer) -> int:
    """The last micro-batch that a writer has finished."""
    producing = Producing(writer)
    producing.close()
    return producing.done


def _close(query: str, name: str) -> None:
    opened = _opened.pop((query, name), None)
    if opened is not None:
        opened.producing.close()


def _by_driver(opened: Opened, table: pa.Table, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    refused: list[Refusal] = []
    messages = opened.encoded(opened.writer.sink, table, settings, batch, shape)
    made = list(messages.of(table, refused))
    check_refused(refused, 0 if batch.strict else MOST_REFUSED, opened.writer.sink)
    _warn(opened, [at for *_, at in made])
    opened.producing.write(made, batch.number)
    return refused


def _by_tasks(opened: Opened, frame: DataFrame, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    """Tasks write; of those that write exactly once there are always as many, and each is given the same rows again."""
    from pyspark.sql.pandas.types import to_arrow_schema

    empty: pa.Table = to_arrow_schema(frame.schema, timezone="UTC").empty_table()
    messages = opened.encoded(opened.writer.sink, empty, settings, batch, shape)
    if shape.once:
        frame = _spread(frame, messages.key_columns or shape.names)
    task = Task(opened.writer, messages, batch.number, 0 if batch.strict else MOST_REFUSED)
    told = map_in_arrow(frame, task, Task.SCHEMA).collect()
    return [Refusal(**one) for row in told for one in json.loads(row.refused)]


def _spread(frame: DataFrame, columns: Sequence[str]) -> DataFrame:
    """Rows to the writers by what names them; maps, which Spark does not compare, do not count."""
    from pyspark.sql import functions as F  # noqa: N812

    kinds = dict(frame.dtypes)
    chosen = [F.col("`" + name.replace("`", "``") + "`") for name in columns if "map<" not in kinds[name]]
    return frame.repartition(WRITERS, *(chosen or [F.lit(0)]))


@dataclass(frozen=True)
class Task:
    """What one of Spark's tasks does, for mapInArrow: it writes its rows, and answers with those that are not taken."""

    writer: Writer
    messages: Messages
    batch: int
    most: int
    SCHEMA: ClassVar[str] = "refused STRING"

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Writes what it is given."""
        import pyarrow as pa
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        refused: list[Refusal] = []
        producing = Producing(replace(self.writer, part=str(context.partitionId())))
        try:
            producing.write(self._made(batches, refused), self.batch)
            for _ in self._made(batches, refused):  # written before: only asked for what is too large
                pass
        finally:
            producing.close()
        yield pa.record_batch({"refused": pa.array([json.dumps([asdict(one) for one in refused])])})

    def _made(self, batches: Iterator[pa.RecordBatch], refused: list[Refusal]) -> Iterator[Message]:
        for rows in batches:
            yield from self.messages.of(rows, refused)
            check_refused(refused, self.most, self.writer.sink)


def check_refused(refused: Sequence[Refusal], most: int, sink: str) -> None:
    """Where more rows than `most` are not taken, that is an error."""
    if len(refused) > most:
        hint = "write less in a row, let the topic take more (max.message.bytes), or let the schema take such values"
        raise VeloError(f"sink '{sink}': {refused[0].error}", hint=hint, code="topic-refused")


def _warn_forgotten(writer: Writer, batch: Batch, client: dict[str, str]) -> None:
    """Says that it is not known whether a micro-batch was written, where Kafka may have forgotten that since."""
    if batch.age < _SOON:
        return
    kept = Cluster(client).forgets_after()
    if batch.age > kept:
        was = f"micro-batch {batch.number} of sink '{writer.sink}' was begun {batch.age / 86_400:.1f} days ago"
        text = f"{was}, and Kafka forgets after {kept / 86_400:.1f} days whether it was written: it is written now"
        logging.getLogger(LOGGER).warning("%s; what it wrote then would be there twice", text)


def _warn(opened: Opened, times: Sequence[int]) -> None:
    """Says once that Kafka will not keep what is written."""
    known = [at for at in times if at]
    if opened.told or opened.topic.kept is None or not known:
        return
    if min(known) < time.time_ns() // 1_000_000 - opened.topic.kept:
        opened.told = True
        name = opened.writer.sink
        text = f"topic '{opened.topic.name}' does not keep messages as old as those of '{name}': Kafka deletes them"
        print(f"{text}; '{name}.message.time' = 'processing_time' writes them with the time of now", file=sys.stderr)
