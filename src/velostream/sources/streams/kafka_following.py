"""What the driver knows of a Kafka source while a query runs: its partitions, and which of them are read to the end.

Stateful nodes hear it as marks. A bounded run reads to the offsets that are the end as its first micro-batch begins.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from velostream.config.settings import Settings
from velostream.sources.streams.kafka_topics import is_several
from velostream.sources.streams.marks import finished, listed

_SOURCE = "KafkaV2["


class KafkaFollower:
    """Follows one source of a query; `source` is what its records are called."""

    def __init__(self, source: str, settings: Settings, topics: Mapping[str, list[int]], *, bounded: bool) -> None:
        self.source = source
        self.several = is_several(settings)
        self.bounded = bounded
        self.known: dict[str, set[int]] = {topic: set(numbers) for topic, numbers in topics.items()}
        self.over: dict[str, set[int]] = {}
        pattern = settings.get("topic.pattern")
        chosen = f"SubscribePattern[{pattern}]" if pattern else f"Subscribe[{', '.join(settings.names('topic'))}]"
        self.description = f"{_SOURCE}{chosen}]"

    def begin(self) -> list[dict[str, Any]]:
        """What is to be known before the first record: the partitions that there are."""
        return [listed(self._name(topic), sorted(numbers)) for topic, numbers in self.known.items()]

    def look(self, progress: Mapping[str, Any]) -> list[dict[str, Any]]:
        """What is new after a micro-batch: partitions that were added, and those that are read to their end."""
        told = next((one for one in progress["sources"] if one["description"] == self.description), None)
        read = _offsets(told["endOffset"]) if told is not None else {}
        marks = []
        for topic, numbers in read.items():
            added = numbers.keys() - self.known.get(topic, set())
            if added:
                self.known.setdefault(topic, set()).update(added)
                marks.append(listed(self._name(topic), sorted(self.known[topic])))
        if self.bounded and told is not None:
            marks += self._ended(read, _offsets(told["latestOffset"]))
        return marks

    def _ended(self, read: dict[str, dict[int, int]], latest: dict[str, dict[int, int]]) -> list[dict[str, Any]]:
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


def _offsets(said: Any) -> dict[str, dict[int, int]]:
    data = json.loads(said) if isinstance(said, str) else said
    return {topic: {int(number): offset for number, offset in held.items()} for topic, held in (data or {}).items()}
