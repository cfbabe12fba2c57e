"""A stream that is read back from its sink: which sink that is, and what a source is told to read what it wrote."""

from __future__ import annotations

import glob
from dataclasses import replace

from velostream.catalog.properties import read_back_keys
from velostream.config.connections.kafka import CONSUMER, PRODUCER
from velostream.config.origin import DEFAULT
from velostream.config.owner import Owner
from velostream.config.property import Property, Scope
from velostream.config.settings import Settings, Value
from velostream.sinks.writers.objects import is_store
from velostream.sinks.writers.staging import beginning
from velostream.sources import SOURCES
from velostream.validation.bound import BoundSink, BoundStatement

ASKS = "read.from.sink"
_WRITERS_OWN = {one.name for one in PRODUCER} - {one.name for one in CONSUMER}
"""Settings of the client that mean nothing to one that reads."""
_EARLIEST = "earliest"
FIXED = ("type", "topic", "topic.pattern", "path", "bootstrap.servers", "format")
"""What says where and how rows were written, which only the sink can say."""


def asked_sink(own: Settings, maker: BoundStatement) -> BoundSink | None:
    """The sink that a reader has a stream read from; None where it is computed along with the reader.

    What the reader says holds; where it says nothing, what the sink says. Of several sinks it is the one that says so
    itself, else the first that can be read.
    """
    told = own.find(ASKS)
    offered = [sink for sink in maker.sinks if says_so(sink)]
    if not (told.value if told is not None else offered):
        return None
    return next((sink for sink in (*offered, *maker.sinks) if source_of(sink)), None)


def says_so(sink: BoundSink) -> bool:
    """True where a sink says that its stream is read from it."""
    return sink.settings.known.find(ASKS) is not None and bool(sink.settings.get(ASKS))


def source_of(sink: BoundSink) -> str:
    """The source that reads what a sink writes; empty where there is none."""
    if sink.connector.name == "file_sink":
        return "s3_source" if is_store(sink.settings.text("path")) else "file_source"
    return "kafka_source" if sink.connector.name == "kafka_sink" else ""


def as_source(sink: BoundSink, stream: str) -> Settings:
    """The settings of a sink, as those of the source that reads what it writes: the same place, client and format."""
    settings = sink.settings
    values = {name: value for name, value in settings.values.items() if name != ASKS}
    client = {name: value for name, value in settings.client.items() if name not in _WRITERS_OWN}
    told = {"type": source_of(sink), "format": settings.text("format")}
    if sink.connector.name == "file_sink":
        told["path"] = files_of(sink)
        told["format"] = "jsonl" if told["format"] == "json" else told["format"]
    else:
        told["auto.offset.reset"] = _EARLIEST
    known = {one.name: one for one in SOURCES[told["type"]].options}
    for name, text in told.items():
        values[name] = _value(name, text, settings, known)
    return Settings(stream, settings.known, values, client, settings.job)


def files_of(sink: BoundSink) -> str:
    """The files that a sink writes into its folder, where others may write too."""
    folder = sink.settings.text("path").rstrip("/")
    return f"{folder if is_store(folder) else glob.escape(folder)}/{beginning(sink.name)}*"


def owner_of(stream: Owner, base: Settings) -> Owner:
    """A stream as the source that reads it back."""
    return replace(stream, scope=Scope.SOURCE, choose=read_back_keys, base=base)


def _value(name: str, text: str, settings: Settings, known: dict[str, Property]) -> Value:
    """A value that follows from the sink, with the place where its type is said; one that may be said otherwise yields
    to whatever says so."""
    origin = settings.values["type"].origin if name in FIXED else DEFAULT
    declared = known.get(name) or settings.values["type"].declared
    return Value(declared, name, text, text, origin)
