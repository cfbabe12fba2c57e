"""Dead letters once more: requests that a job takes up in its next micro-batch, whether it runs now or later.

A request is written aside, then noted as done for its letters, then put where the job finds it. Whoever comes after a
crash finishes or removes what was begun, so that a letter is replayed once, and says so. Only one does so at a time.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from velostream.errors import VeloError
from velostream.files import locked, replace_text
from velostream.jobs.home import Home
from velostream.jobs.letters import REPLAYED
from velostream.replayed import LATE, marked
from velostream.sinks.letters.envelope import original
from velostream.spark.lower.decoding import TOMBSTONE, UNDECODABLE
from velostream.spark.lower.replays import FOLDER

NOTES = "replays"
"""Below the folder of a job: a note for each request, which letters it holds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OF_SCANS = (UNDECODABLE, TOMBSTONE, "clock_skew")
"""Reasons for which a record became a letter before anything else was done with it; event times are others."""


@dataclass(frozen=True)
class Replay:
    """What became of a wish to replay: how many records come again, and which letters cannot, with the reason."""

    records: int
    passed_over: list[tuple[str, str]] = field(default_factory=list)


def replay(home: Home, letters: Iterable[Mapping[str, Any]], late: str = LATE[0]) -> Replay:
    """Hands letters back to their job; `late` says what becomes of those that are too late."""
    if late not in LATE:
        raise VeloError(
            f"'{late}' is nothing that can be done with late records", hint=f"use {', '.join(LATE)}", code="usage"
        )
    if not home.checkpoint.exists():
        message = f"job '{home.folder.name}' has never run here"
        raise VeloError(message, hint="name its --checkpoint", code="unknown-job")
    with locked(_lock(home)):
        _finish(home)
        done = replays(home)
        requests: dict[str, list[str]] = {}
        ids, passed = [], []
        for letter in letters:
            why = _why_not({**letter, REPLAYED: done.get(letter["id"])})
            if why:
                passed.append((letter["id"], why))
                continue
            ids.append(letter["id"])
            requests.setdefault(letter["source"].split("/")[0], []).append(_line(letter, late))
        if ids:
            _request(home, ids, requests, late)
    return Replay(len(ids), passed)


def _lock(home: Home) -> Path:
    return home.folder / ".replays.lock"


def replays(home: Home) -> dict[str, str]:
    """When each letter was replayed, by its id."""
    found: dict[str, str] = {}
    for note in sorted((home.folder / NOTES).glob("*.json")):
        said = json.loads(note.read_text())
        found |= dict.fromkeys(said["letters"], said["at"])
    return found


def is_asked_for(home: Home) -> bool:
    """True where letters of a job have been replayed, ever: what it has read of them is in its checkpoint."""
    return any((home.folder / FOLDER).glob("*/*.jsonl"))


def recover(home: Home) -> None:
    """Finishes what was begun: a request that is noted is put in its place, one that is not is removed."""
    with locked(_lock(home)):
        _finish(home)


def _finish(home: Home) -> None:
    noted = {note.stem for note in (home.folder / NOTES).glob("*.json")}
    for aside in (home.folder / FOLDER).glob("*/.request-*"):
        number = aside.name.removeprefix(".request-")
        if number in noted:
            aside.replace(aside.with_name(f"{number}.jsonl"))
        else:
            aside.unlink()


def _request(home: Home, ids: list[str], requests: Mapping[str, list[str]], late: str) -> None:
    notes = home.folder / NOTES
    number = f"{max((int(note.stem) for note in notes.glob('*.json')), default=0) + 1:09d}"
    aside = []
    for source, lines in requests.items():
        file = home.folder / FOLDER / source / f".request-{number}"
        replace_text(file, "\n".join(lines) + "\n")
        aside.append(file)
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    replace_text(notes / f"{number}.json", json.dumps({"at": at, "late": late, "letters": ids}))
    for file in aside:
        file.replace(file.with_name(f"{number}.jsonl"))


def _why_not(letter: Mapping[str, Any]) -> str:
    if letter.get(REPLAYED):
        return f"it was replayed at {letter[REPLAYED]}"
    if not letter["source"] or letter["source"].startswith("#"):
        return "it is a row that the job made, and no record of a source"
    if letter.get("row") is not None:
        return "what failed is a row that was made of it, and the record itself is in the state of the job"
    if letter["record"] is None and letter["reason"] != TOMBSTONE:
        return "its record is not known"
    return ""


def _line(letter: Mapping[str, Any], late: str) -> str:
    passed = letter["reason"] not in _OF_SCANS and not letter["reason"].startswith("event_time")
    headers = letter.get("headers")
    line = {
        "value": _packed(letter["record"]),
        "key": _packed(letter.get("key")),
        "topic": letter.get("topic"),
        "partition": letter["partition"],
        "offset": letter["offset"],
        "timestamp": _micros(letter.get("timestamp")),
        "source": marked(letter["source"], late, passed=passed),
        "headers": [{"key": one["key"], "value": _packed(one["value"])} for one in headers] if headers else None,
    }
    return json.dumps(line)


def _packed(text: str | None) -> str | None:
    data = original(text)
    return None if data is None else base64.b64encode(data).decode()


def _micros(text: str | None) -> int | None:
    if text is None:
        return None
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)
