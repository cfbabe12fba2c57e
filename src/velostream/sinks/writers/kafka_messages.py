"""Rows as messages: key, value, headers and time, made a column at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from velostream.formats.encoding.encoders import Encoder
from velostream.formats.encoding.unencodable import encode
from velostream.sinks.writers.batch import Refusal, Shape
from velostream.sinks.writers.kafka_topic import Topic

if TYPE_CHECKING:
    import pyarrow as pa

Headers = list[tuple[str, str | bytes | None]]
Message = tuple[bytes | None, bytes | None, Headers | None, int]
"""Key, value, headers, and the time in milliseconds; 0 for the time of writing."""
OVERHEAD = 128
"""Bytes that a message may take beside key, value and headers."""
TRACE = "traceparent"
REVISION, RETRACT = "_revision", "retract"


@dataclass(frozen=True)
class Messages:
    """What makes messages of rows; it travels to workers."""

    shape: Shape
    topic: Topic
    value: Encoder
    key: Encoder | None
    timed: bool = True
    """True where messages have the event time of their rows."""
    traceparent: str = ""
    """The W3C traceparent of the micro-batch, for messages that did not bring one; empty where nobody traces."""

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The columns that keys are made of."""
        return self.shape.identity if self.shape.upserts else self.shape.key

    def of(self, rows: pa.Table | pa.RecordBatch, refused: list[Refusal]) -> Iterator[Message]:
        """The messages of rows, in their order; those that are too large for the topic or have values that the format
        does not take are refused instead."""
        values, failed = encode(self.value, rows.select(list(self.shape.names)))
        keys, keyless = encode(self.key, rows.select(list(self.key_columns))) if self.key is not None else (None, {})
        headers = self._headers(rows)
        times = self._times(rows)
        gone = self._gone(rows)
        for place, value in enumerate(values):
            key = keys[place] if keys is not None else None
            more = headers[place] if headers is not None else None
            withdraws = gone is not None and gone[place]
            why = keyless.get(place) or ("" if withdraws else failed.get(place, ""))
            if why:
                refused.append(self._refusal(rows, place, why))
                continue
            if withdraws:
                value = None
            size = OVERHEAD + len(value or b"") + len(key or b"") + _size(more)
            if size > self.topic.largest:
                refused.append(self._refusal(rows, place, self._too_large(size)))
                continue
            yield key, value, more, times[place] if times is not None else 0

    def _gone(self, rows: Any) -> list[bool] | None:
        """Whether each row withdraws the one of its key: a message without a value says so to whoever upserts."""
        if not self.shape.upserts or not self.shape.emission:
            return None
        return [said == RETRACT for said in rows.column(self.shape.emission).to_pylist()]

    def _headers(self, rows: Any) -> list[Headers | None] | None:
        """The headers of each row, and for rows that may correct others how they came about."""
        made: list[Headers | None] | None = None
        if self.shape.headers:
            held = rows.column(self.shape.headers).to_pylist()
            made = [[(one["key"], one["value"]) for one in each] if each else None for each in held]
        for name in (self.shape.emission, REVISION if self.shape.emission else ""):
            if name and name in rows.schema.names:
                told = rows.column(name).to_pylist()
                made = [_with(each, name, said) for each, said in zip(made or [None] * len(told), told, strict=True)]
        if self.traceparent:
            made = [self._traced(each) for each in made or [None] * rows.num_rows]
        return made

    def _traced(self, headers: Headers | None) -> Headers:
        """Headers that name a trace: their own, else that of the micro-batch."""
        if headers and any(name.casefold() == TRACE for name, _ in headers):
            return headers
        return _with(headers, TRACE, self.traceparent)

    def _times(self, rows: Any) -> Sequence[int] | None:
        """Event times in milliseconds. What lies further ahead than the topic allows is written with the time of now,
        and so are rows without a time."""
        if not self.timed or not self.shape.time:
            return None
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        micros = np.asarray(pc.fill_null(rows.column(self.shape.time).cast(pa.int64()), 0))
        times = np.maximum(micros // 1_000, 0)
        if self.topic.ahead is not None:
            times[times > time.time_ns() // 1_000_000 + self.topic.ahead] = 0
        found: list[int] = times.tolist()
        return found

    def _too_large(self, size: int) -> str:
        most = f"the {self.topic.largest:,} that topic '{self.topic.name}' takes"
        return f"a message of {size:,} bytes is larger than {most}"

    def _refusal(self, rows: Any, place: int, error: str) -> Refusal:
        from velostream.formats.encoding.json_texts import json_rows

        text = json_rows(rows.slice(place, 1).select(list(self.shape.names)))[0].as_py()
        return Refusal.of(error, text, rows, place)


def _with(headers: Headers | None, name: str, said: Any) -> Headers:
    return [*(headers or ()), (name, None if said is None else str(said).encode())]


def _size(headers: Headers | None) -> int:
    return sum(len(name) + len(value or b"") + 8 for name, value in headers) if headers else 0
