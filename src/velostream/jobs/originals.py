"""Dead letters get the record that they are about from the source that still has it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from velostream.plan.job import Job
from velostream.plan.nodes import Scan
from velostream.sinks.letters.envelope import kept
from velostream.sinks.letters.letter import iso
from velostream.sources.streams.file_originals import records_at
from velostream.sources.streams.kafka_originals import Place, messages_at
from velostream.sources.streams.kafka_topics import is_several

KAFKA = "kafka_source"
GONE = "the record is no longer in its topic"


class Originals:
    """The sources of a job that can be asked for a record once more: Kafka's, and those of files of text."""

    def __init__(self, scans: Sequence[Scan], home: Path) -> None:
        self.scans = {scan.source: scan for scan in scans}
        self.home = home

    def fill(self, letters: Sequence[dict[str, Any]]) -> None:
        """Gives letters their records, of Kafka with key, headers, topic and time, where they know only where these
        stand."""
        wanted: dict[str, list[dict[str, Any]]] = {}
        for letter in letters:
            scan = self._scan(letter["source"] or "")
            if scan is not None and _is_open(letter):
                wanted.setdefault(scan.source, []).append(letter)
        for source, ones in wanted.items():
            scan = self.scans[source]
            told = _messages(scan, ones) if scan.connector == KAFKA else _lines(scan, ones, self.home)
            for letter, more in zip(ones, told, strict=True):
                letter |= more

    def _scan(self, name: str) -> Scan | None:
        """The scan whose records are called so; one of several over one source has a number behind the name."""
        source = name.split("/", 1)[0]
        return self.scans.get(source) or self.scans.get(re.sub(r"_\d+$", "", source))


def originals_of(job: Job, home: Path) -> Originals | None:
    """What asks the sources of a job, whose folder is `home`; None where none of them can be asked."""
    scans = [scan for scan in job.scans if scan.connector in (KAFKA, "file_source")]
    return Originals(scans, home) if scans else None


def _is_open(letter: Mapping[str, Any]) -> bool:
    """True where of a record only its place is known."""
    known = letter["record"] is not None or letter["topic"] is not None
    return not known and letter["partition"] is not None and letter["offset"] is not None


def _messages(scan: Scan, letters: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What messages say that letters are about."""
    places: list[Place] = []
    for letter in letters:
        _, _, topic = letter["source"].partition("/")
        if not is_several(scan.settings):
            [topic] = scan.settings.names("topic")
        places.append((topic, letter["partition"], letter["offset"]))
    found = messages_at(scan.settings, places)
    return [
        _told(found[place]) if place in found else _gone(letter) for place, letter in zip(places, letters, strict=True)
    ]


def _lines(scan: Scan, letters: Sequence[Mapping[str, Any]], home: Path) -> list[dict[str, Any]]:
    """The records of files that letters are about, where it can be told of which file each is."""
    by_file = scan.settings.get("partition.by") == "file"
    found = records_at(scan, home, [(one["partition"] if by_file else None, one["offset"]) for one in letters])
    return [{} if one is None else {"record": kept(one.encode())} for one in found]


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
