"""What the driver knows of a Kafka source while a query runs: its partitions, which of them are read to the end, what
Kafka has lost; and what it tells Kafka, which shows the progress of a group.

Stateful nodes hear of partitions as marks. A bounded run reads to the offsets that are the end as its first micro-batch
begins.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from velostream.config.connections.kafka_clients import for_asking
from velostream.config.settings import Settings
from velostream.errors import VeloError
from velostream.kafka import QUIET, Cluster, Offsets, let_go
from velostream.sources.streams.kafka_limits import KafkaLimit
from velostream.sources.streams.kafka_topics import is_several
from velostream.sources.streams.limits import BatchLimit
from velostream.sources.streams.marks import finished, listed

_SOURCE = "KafkaV2["
_CLOSING = 10.0
"""How long, in seconds, the last word to a group may take."""


class KafkaFollower:
    """Follows one source of a query; `source` is what its records are called."""

    def __init__(
        self, source: str, settings: Settings, topics: Mapping[str, list[int]], limit: BatchLimit, *, bounded: bool
    ) -> None:
        self.source = source
        self.settings = settings
        self.several = is_several(settings)
        self.bounded = bounded
        self.known: dict[str, set[int]] = {topic: set(numbers) for topic, numbers in topics.items()}
        self.over: dict[str, set[int]] = {}
        rate = settings.get("max.rate")
        self.rate = None if rate is None else int(str(rate))
        """The most records of a second, which is then how often a micro-batch begins at most."""
        self.limit = KafkaLimit(settings, limit, self.rate)
        self.lost = 0
        """Records that Kafka no longer had when they were to be read, and that nobody has counted yet."""
        pattern = settings.get("topic.pattern")
        chosen = f"SubscribePattern[{pattern}]" if pattern else f"Subscribe[{', '.join(settings.names('topic'))}]"
        self.description = f"{_SOURCE}{chosen}]"
        self.skips = settings.text("on.data.loss") == "skip"
        self.read: Offsets = {}
        """How far it was read when it was looked the last time; looks may miss micro-batches."""
        self.oldest: Offsets = self._oldest()

    def begin(self) -> list[dict[str, Any]]:
        """What is to be known before the first record: the partitions that there are."""
        return [listed(self._name(topic), sorted(numbers)) for topic, numbers in self.known.items()]

    @property
    def most(self) -> int | None:
        """The most records of the next micro-batch."""
        return self.limit.most(self.read, self.known)

    def adapt(self, query: Any) -> None:
        """After a micro-batch: the next one of a query takes what its strategy allows now."""
        self.limit.follow(query, self.description, self.read, self.known)

    def look(self, progress: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What is new after a micro-batch: partitions that were added, and those that are read to their end."""
        told = next((one for one in progress["sources"] if one["description"] == self.description), None)
        if told is None:
            return []
        read = _offsets(told["endOffset"])
        self._count_lost(self.read or _offsets(told["startOffset"]), read)
        self.read = read
        self._show(read)
        marks = []
        for topic, numbers in read.items():
            added = numbers.keys() - self.known.get(topic, set())
            if added:
                self.known.setdefault(topic, set()).update(added)
                marks.append(listed(self._name(topic), sorted(self.known[topic])))
        return [*marks, *self._ended(read, _offsets(told["latestOffset"]))] if self.bounded else marks

    def _ended(self, read: Offsets, latest: Offsets) -> list[dict[str, Any]]:
        """Partitions that are read to their end while others are not yet; when all are, the flush says the rest."""
        done = {
            topic: {number for number, offset in numbers.items() if offset >= latest.get(topic, {}).get(number, offset)}
            for topic, numbers in read.items()
        }
        if all(len(done[topic]) == len(numbers) for topic, numbers in read.items()):
            return []
        marks = []
        for topic, numbers in done.items():
            new = numbers - self.over.get(topic, set())
            if new:
                self.over.setdefault(topic, set()).update(new)
                marks.append(finished(self._name(topic), sorted(new)))
        return marks

    def _count_lost(self, start: Offsets, end: Offsets) -> None:
        """Counts what was gone before the micro-batch began that should have read it."""
        if not self.skips:
            return
        for topic, numbers in start.items():
            for number, offset in numbers.items():
                gone = min(self.oldest.get(topic, {}).get(number, 0), end.get(topic, {}).get(number, offset))
                self.lost += max(0, gone - offset)
        self.oldest = self._oldest()

    def _oldest(self) -> Offsets:
        """The first offsets that Kafka still has, where it may have lost some."""
        if self.skips:
            with suppress(VeloError):  # asked again after the next micro-batch
                return Cluster(for_asking(self.settings)).beginnings(self.known)
        return {}

    def _show(self, read: Offsets) -> None:
        """Lets Kafka show how far the group is, where one is named; what counts is the checkpoint."""
        if self.settings.get("group.id") is None:
            return
        from confluent_kafka import KafkaException, TopicPartition

        places = [TopicPartition(topic, number, at) for topic, held in read.items() for number, at in held.items()]
        with suppress(KafkaException):  # shown after the next micro-batch
            self._group.commit(offsets=places, asynchronous=True)

    @cached_property
    def _group(self) -> Any:
        from confluent_kafka import Consumer

        group = {"group.id": self.settings.text("group.id"), "enable.auto.commit": False}
        return Consumer({**for_asking(self.settings), **group, "logger": QUIET})

    def close(self) -> None:
        """Lets go of the group; one that is shown later is opened anew."""
        group = self.__dict__.pop("_group", None)
        if group is not None:
            let_go(group.close).join(_CLOSING)

    def _name(self, topic: str) -> str:
        return f"{self.source}/{topic}" if self.several else self.source


def freeze(query: Any) -> None:
    """From now on the Kafka sources of a query read nothing beyond what is there at this moment.

    Spark does the same for a query that reads what is available and ends; ours goes on, since it may have to flush.
    """
    streams = query._jsq.streamingQuery().sources()
    for index in range(streams.size()):
        stream = streams.apply(index)
        if stream.toString().startswith(_SOURCE):
            stream.prepareForTriggerAvailableNow()


def _offsets(said: Any) -> Offsets:
    data = json.loads(said) if isinstance(said, str) else said
    return {topic: {int(number): offset for number, offset in held.items()} for topic, held in (data or {}).items()}
