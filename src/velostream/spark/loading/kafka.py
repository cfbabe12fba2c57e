"""Tables from Kafka: all that topics hold, then what has come since; a message without a value deletes a row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.connections.kafka_clients import for_asking
from velostream.errors import VeloError
from velostream.kafka import Cluster, Offsets
from velostream.plan.job import LoadedTable
from velostream.sources.streams.kafka_bulk import read_messages
from velostream.sources.streams.kafka_topics import wait_for_topics
from velostream.spark.loading.records import TableRecords
from velostream.tables.loading import Step

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STEP_MESSAGES = 500_000
"""About so many messages are loaded in one step."""


class KafkaTable(TableRecords):
    """The messages of topics, of each key the newest. The offset says of each partition where to go on."""

    def __init__(self, table: LoadedTable, spark: SparkSession, folder: Path, home: Path) -> None:
        super().__init__(table, folder)
        self.spark = spark
        self.cluster = Cluster(for_asking(table.settings))
        self.ends: Offsets = {}

    def measure(self, since: Mapping[str, Any]) -> int:
        """Where the topics end now. Their bytes nobody tells."""
        topics = wait_for_topics(self.table.name, self.table.settings, self.cluster)
        self.ends = self.cluster.ends(topics)
        return 0

    def step(self, since: Mapping[str, Any]) -> Step | None:
        """The next messages up to where the topics ended when they were measured."""
        starts = self._starts(since)
        ahead = {
            topic: {number: max(starts[topic][number], end) for number, end in numbers.items()}
            for topic, numbers in self.ends.items()
        }
        left = sum(ahead[topic][number] - starts[topic][number] for topic in ahead for number in ahead[topic])
        if not left and since:
            return None
        until = _limited(starts, ahead, left)
        frame = read_messages(self.spark, self.table.settings, starts, until)
        rows, letters = self.rows(frame, str(self.table.settings.get("format") or "json"), ("_partition", "_offset"))
        offset = {"offsets": {topic: {str(n): at for n, at in numbers.items()} for topic, numbers in until.items()}}
        return Step(rows, offset, until == ahead, letters=letters)

    def _starts(self, since: Mapping[str, Any]) -> Offsets:
        """Where to go on; a partition that nobody has read yet from its beginning, or as `auto.offset.reset` says."""
        known = self._still_there(since.get("offsets", {}))
        latest = not since and self.table.settings.get("auto.offset.reset") == "latest"
        first = self.ends if latest else self.cluster.beginnings(self.ends)
        return {
            topic: {number: known.get(topic, {}).get(str(number), first[topic][number]) for number in numbers}
            for topic, numbers in self.ends.items()
        }

    def _still_there(self, known: Mapping[str, Mapping[str, int]]) -> Mapping[str, Mapping[str, int]]:
        """Where to go on, without partitions that end before that: such a topic was deleted and made anew."""
        shrunk = {
            (topic, number): end
            for topic, numbers in self.ends.items()
            for number, end in numbers.items()
            if end < known.get(topic, {}).get(str(number), 0)
        }
        if shrunk and self.table.settings.text("on.data.loss") == "fail":
            topic, number = min(shrunk)
            message = (
                f"partition {number} of topic '{topic}' ends before the messages that table '{self.table.name}' has"
            )
            hint = f"'{self.table.name}.on.data.loss' = 'skip' reads it from its beginning; or load the table anew"
            raise VeloError(f"{message}: it was made anew", hint=hint, code="offsets-lost")
        return {
            topic: {number: at for number, at in held.items() if (topic, int(number)) not in shrunk}
            for topic, held in known.items()
        }


def _limited(starts: Offsets, ahead: Offsets, left: int) -> Offsets:
    """Of each partition so many messages that all together are about a step."""
    share = min(1.0, STEP_MESSAGES / left) if left else 1.0
    return {
        topic: {n: min(end, starts[topic][n] + -int(-(end - starts[topic][n]) * share // 1)) for n, end in each.items()}
        for topic, each in ahead.items()
    }
