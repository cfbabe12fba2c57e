"""Objects that a queue told of: written down, in order of arrival, before their messages are deleted.

What was told is a file of the application, since a queue hands a message to one only who asks: every statement that
reads the queue finds all of it there, and keeps how far it has read it.
"""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from threading import Event, Thread
from typing import BinaryIO

from velostream.errors import VeloError
from velostream.events import LOGGER
from velostream.files import locked, replace_text
from velostream.sources.streams.calling import Calls
from velostream.sources.streams.notifications import read_notice
from velostream.sources.streams.queue import Message, Queue

FOLDER = ".queues"
"""Below the folder of the checkpoints of an application."""
WAIT, DRAIN = 20, 1
"""Seconds that a queue without messages is asked to wait for one: while a job runs, and where a run ends with it."""
_SHOWN = 200
_BLOCK = 4096
"""Bytes that are looked through at a time for the end of a list, which may be long."""
_log = logging.getLogger(LOGGER)


class Told:
    """The list of objects, one in a line."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @classmethod
    def of(cls, checkpoint: Path, url: str) -> Told:
        """Of a queue; `checkpoint` is the folder of the application."""
        return cls(checkpoint / FOLDER / f"{blake2b(url.encode(), digest_size=8).hexdigest()}.jsonl")

    def add(self, paths: Sequence[str]) -> None:
        """Adds objects; when it returns they are on disk."""
        if not paths:
            return
        with locked(self.file.with_suffix(".lock")), self.file.open("a+b") as file:
            file.truncate(_whole(file))
            file.write("".join(json.dumps(path) + "\n" for path in paths).encode())
            file.flush()
            os.fsync(file.fileno())
            _settle(self.file.parent)

    def since(self, place: int) -> tuple[list[str], int]:
        """The objects of whole lines after a place, and the place after them."""
        if not self.file.exists():
            return [], place
        with self.file.open("rb") as file:
            file.seek(place)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        return [json.loads(line) for line in whole.splitlines()], place + len(whole)


@dataclass(frozen=True)
class Heard:
    """How far a source has read what was told, and what became of it."""

    place: int = 0
    taken: int = 0
    """Objects that are read because of it."""
    repeated: int = 0
    """Told of objects that were known."""
    elsewhere: int = 0
    """Objects that the path of the source does not name."""
    gone: int = 0
    """Objects that were not there any more."""
    last: dict[str, str] = field(default_factory=dict)
    """The last object of each of these."""

    @classmethod
    def read(cls, file: Path) -> Heard | None:
        """From a file; None before the first look."""
        return cls(**json.loads(file.read_text())) if file.exists() else None

    def more(self, place: int, found: dict[str, list[str]]) -> Heard:
        """With further objects, by what became of them."""
        counts = {kind: getattr(self, kind) + len(paths) for kind, paths in found.items()}
        last = {kind: paths[-1] for kind, paths in found.items() if paths}
        return replace(self, place=place, last={**self.last, **last}, **counts)

    def save(self, file: Path) -> None:
        """To a file."""
        replace_text(file, json.dumps(asdict(self)))

    @property
    def report(self) -> dict[str, int]:
        """The numbers."""
        return {"taken": self.taken, "repeated": self.repeated, "elsewhere": self.elsewhere, "gone": self.gone}


def heard_of(manifest: Path) -> Path:
    """Where it is kept how far a source has read what was told."""
    return manifest.with_suffix(".heard.json")


def failed_of(manifest: Path) -> Path:
    """Where it stands why nothing more is told."""
    return manifest.with_suffix(".failed.json")


def reports(home: Path) -> dict[str, dict[str, int]]:
    """What became of what was told, by source; `home` is the folder of a job."""
    found = {file.name.removesuffix(".heard.json"): Heard.read(file) for file in home.glob("sources/*.heard.json")}
    return {name: heard.report for name, heard in sorted(found.items()) if heard is not None}


@dataclass
class Receiver:
    """Writes down what a queue tells, and deletes its messages then."""

    queue: Queue
    told: Told
    calls: Calls
    manifest: Path
    _ended: Event = field(default_factory=Event)
    _warned: Counter[str] = field(default_factory=Counter)

    def look(self, wait: int) -> int:
        """Asks once; how many messages there were. One that is not about objects stays in the queue, and is an error:
        it is somebody else's."""
        messages = self.queue.receive(wait)
        made: list[str] = []
        known: list[Message] = []
        strange: tuple[Message, ValueError] | None = None
        for one in messages:
            try:
                notice = read_notice(one.body)
            except ValueError as error:
                strange = (one, error)
                continue
            made += notice.made
            known.append(one)
        self.told.add(made)
        self.queue.delete(known)
        if strange is not None:
            message = f"queue '{self.queue.url}' of '{self.queue.source}' has a message that is no notification of S3"
            hint = f"{strange[1]}: {strange[0].body[:_SHOWN]!r}; name the queue of the bucket, or take the message out"
            raise VeloError(message, hint=hint, code="foreign-message")
        return len(messages)

    def drain(self) -> None:
        """Writes down all that the queue tells now."""
        failed_of(self.manifest).unlink(missing_ok=True)
        while self.calls(lambda: self.look(DRAIN)):
            pass

    def start(self) -> None:
        """Goes on asking, beside everything else, until it is closed or has failed often enough."""
        failed_of(self.manifest).unlink(missing_ok=True)
        self._ended = Event()
        name = f"velo-queue-{self.queue.source}"
        Thread(target=self._go_on, args=(self._ended,), name=name, daemon=True).start()

    def _go_on(self, ended: Event) -> None:
        while not ended.is_set():
            try:
                self.calls(lambda: self.look(WAIT))
                self.warn()
            except VeloError as error:
                with suppress(OSError):
                    said = {"message": error.message, "hint": error.hint, "code": error.error_code}
                    replace_text(failed_of(self.manifest), json.dumps(said))
                    return
            except OSError as error:
                _log.warning("what queue '%s' tells cannot be written down: %s", self.queue.url, error)
                ended.wait(1.0)

    def warn(self) -> None:
        """Says of objects that were told and are not read, how many they are and what the last one is."""
        heard = Heard.read(heard_of(self.manifest))
        for kind, why in _WHY.items():
            count = getattr(heard, kind) if heard is not None else 0
            if heard is not None and count > self._warned[kind]:
                text = "source '%s': the queue told of %d objects that are not read, since %s; the last one is '%s'"
                _log.warning(text, self.queue.source, count, why, heard.last[kind])
                self._warned[kind] = count

    def close(self) -> None:
        """Asks no more."""
        self._ended.set()


_WHY = {"elsewhere": "its path does not name them", "gone": "they were deleted before"}


def _whole(file: BinaryIO) -> int:
    """Where the last whole line ends: what stands behind it was being written when its process died."""
    end = file.seek(0, os.SEEK_END)
    while end:
        begin = max(0, end - _BLOCK)
        file.seek(begin)
        last = file.read(end - begin).rfind(b"\n")
        if last >= 0:
            return begin + last + 1
        end = begin
    return 0


def _settle(folder: Path) -> None:
    """A new file is there also after a power cut."""
    for each in (folder, folder.parent):
        number = os.open(each, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
