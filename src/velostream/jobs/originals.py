"""Dead letters get the record that they are about from the source that still has it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from velostream.plan.job import Job
from velostream.plan.nodes import Scan
from velostream.sinks.letters.envelope import kept
from velostream.sinks.letters.letter import iso
from velostream.sources.streams.kafka_originals import Place, messages_at
from velostream.sources.streams.kafka_topics import is_several

GONE = "the record is no longer in its topic"


class Originals:
    """The Kafka sources of a job."""

    def __init__(self, scans: Sequence[Scan]) -> None:
        self.scans = {scan.source: scan for scan in scans}

    def fill(self, letters: Sequence[dict[str, Any]]) -> None:
        """Gives letters their records, with key, headers, topic and time, where they know only where these stand."""
        wanted: dict[str, dict[Place, list[dict[str, Any]]]] = {}
        for letter in letters:
            scan = self._scan(letter["source"] or "")
            place = self._place(letter, scan) if scan is not None else None
            if scan is not None and place is not None:
                wanted.setdefault(scan.source, {}).setdefault(place, []).append(letter)
        for source, places in wanted.items():
            found = messages_at(self.scans[source].settings, places)
            for place, ones in places.items():
                for letter in ones:
                    letter |= _told(found[place]) if place in found else _gone(letter)

    def _place(self, letter: Mapping[str, Any], scan: Scan) -> Place | None:
        """Where the record of a letter stands, if only that is known."""
        known = letter["record"] is not None or letter["topic"] is not None
        if known or letter["partition"] is None or letter["offset"] is None:
            return None
        _, _, topic = letter["source"].partition("/")
        if not is_several(scan.settings):
            [topic] = scan.settings.names("topic")
        return topic, letter["partition"], letter["offset"]

    def _scan(self, name: str) -> Scan | None:
        """The scan whose records are called so; one of several over one source has a number behind the name."""
        source = name.split("/", 1)[0]
        return self.scans.get(source) or self.scans.get(re.sub(r"_\d+$", "", source))


def originals_of(job: Job) -> Originals | None:
    """What asks the Kafka sources of a job; None where it has none."""
    scans = [scan for scan in job.scans if scan.connector == "kafka_source"]
    return Originals(scans) if scans else None


def _told(message: Any) -> dict[str, Any]:
    value, key, (_, time) = message.value(), message.key(), message.timestamp()
    headers = [{"key": name, "value": None if data is None else kept(data)} for name, data in message.headers() or ()]
    return {
        "record": None if value is None else kept(value),
        "key": None if key is None else kept(key),
        "headers": headers or None,
        "topic": message.topic(),
        "timestamp": iso(time * 1_000),
    }


def _gone(letter: Mapping[str, Any]) -> dict[str, Any]:
    return {"error": f"{letter['error']}; {GONE}" if letter["error"] else GONE}
