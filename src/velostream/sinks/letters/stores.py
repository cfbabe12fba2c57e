"""Where the dead letters of a job are: beside its checkpoint, in a folder, a Kafka topic or PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from velostream.config.connections.address import read_address
from velostream.config.secrets import masked
from velostream.errors import InvalidProperty
from velostream.sinks.letters.files import FileLetters
from velostream.sinks.letters.kafka import KafkaLetters
from velostream.sinks.letters.postgres import PostgresLetters

COPIED = ".copied"
"""A file below the folder of all checkpoints of an application that another version of it has too: the letters of both
may come together, and are told apart by who wrote them."""
_DATABASE = ("postgresql://", "postgres://")


class LetterStore(Protocol):
    """A place for letters."""

    @property
    def shown(self) -> str:
        """Where they are, for people."""

    def write(self, query: str, batch: int, letters: Iterable[Mapping[str, Any]]) -> None:
        """Writes the letters of a micro-batch of a query; written again, they are there once."""

    def read(self) -> Iterator[dict[str, Any]]:
        """All letters of the job, each with its `id`."""

    def purge(self, ids: Collection[str]) -> int:
        """Takes letters out; answers how many."""


def store_of(location: str, job: str, home: Path, folder: Path) -> LetterStore:
    """The place that `dlq.location` names for a job, else `home`; relative folders start from `folder`."""
    if not location:
        return FileLetters(home, job, shared=(home.parent.parent / COPIED).exists())
    if location.startswith(_DATABASE):
        from velostream.postgres import Server

        return PostgresLetters(Server(location, shown=masked("url", location)), job)
    if location.startswith("kafka://"):
        told = dict(read_address(location).settings)
        topic = told.pop("topic")
        return KafkaLetters(topic, tuple(told.items()), job)
    if "://" in location and not location.startswith("file://"):
        message = f"dead letters cannot go to '{masked('url', location)}'"
        hint = "give a folder, kafka://host:9092/topic or postgresql://host/database"
        raise InvalidProperty(message, hint=hint)
    return FileLetters(folder / location.removeprefix("file://") / job, job, shared=True)
