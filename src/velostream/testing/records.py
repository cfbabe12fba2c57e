"""Rows of a specification as records: JSON text that the scan decodes, times in the form that their column has."""

from __future__ import annotations

import base64
import json
from typing import Any

from velostream.plan.nodes import Scan
from velostream.registry import did_you_mean
from velostream.testing.document import Items, Table
from velostream.testing.times import micros_of, of_text, shown
from velostream.types import Type

PARTITION, OFFSET, TIMESTAMP, TOPIC, KEY, HEADERS = "_partition", "_offset", "_timestamp", "_topic", "_key", "_headers"
RAW, OP = "_raw", "_op"
_SYSTEM = (PARTITION, OFFSET, TIMESTAMP, TOPIC, KEY, HEADERS, RAW)
"""What a row may say of its record beside the columns."""
_OPS = ("c", "r", "u", "d")
"""What `_op` says of a row of a stream of changes: it came, was read, became this, or is deleted. Without it: read."""
_MILLIS_FROM = 100_000_000_000
"""Below it, a number that is detected counts as seconds."""


class Records:
    """Makes records of rows for a scan. Offsets count on within each partition, from batch to batch."""

    def __init__(self, scan: Scan, day: str) -> None:
        self.scan = scan
        self.day = day
        self.types: dict[str, tuple[str, Type]] = {
            column.name.casefold(): (column.name, column.type) for column in scan.declared
        }
        topics = scan.settings.names("topic") if scan.settings.known.find("topic") is not None else ()
        self.topic = topics[0] if topics else scan.source
        self.system = (*_SYSTEM, OP) if scan.changelog else _SYSTEM
        self.next: dict[int, int] = {}

    def batch(self, rows: Items, clock: int | None = None) -> list[dict[str, Any]]:
        """The records of a micro-batch: where each stands, what it carries, its text.

        One without a time of its own has that of the clock, else the beginning of the day: the same in every run.
        """
        start = micros_of(self.day, self.day) if clock is None else clock
        return [{**self._record(row, start), "clock": clock} for row in rows]

    def _record(self, row: Table, start: int | None) -> dict[str, Any]:
        partition = self._whole(row, PARTITION, 0)
        offset = self._whole(row, OFFSET, self.next.get(partition, 0))
        self.next[partition] = offset + 1
        return {
            "partition": partition,
            "offset": offset,
            "timestamp": self._timestamp(row) if TIMESTAMP in row else start,
            "topic": row.get(TOPIC, self.topic),
            "key": row.get(KEY),
            "headers": self._headers(row),
            "value": self._text(row),
        }

    def _timestamp(self, row: Table) -> int | None:
        micros = micros_of(row[TIMESTAMP], self.day)
        if micros is None and row[TIMESTAMP] is not None:
            raise row.refuse(TIMESTAMP, f"'{row[TIMESTAMP]}' is not a time", f"write {TIMESTAMP}: 10:05:03")
        return micros

    def _headers(self, row: Table) -> list[dict[str, Any]] | None:
        headers = row.get(HEADERS)
        if headers is None:
            return None
        if not isinstance(headers, Table):
            raise row.refuse(
                HEADERS, f"'{HEADERS}' is a mapping of names to values", f"write {HEADERS}: {{name: value}}"
            )
        return [{"key": name, "value": _encoded(value)} for name, value in headers.items()]

    def _whole(self, row: Table, key: str, default: int) -> int:
        value = row.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise row.refuse(key, f"'{key}' is a whole number", f"write {key}: 0")
        return value

    def _text(self, row: Table) -> str:
        columns = [key for key in row if key not in self.system]
        if RAW in row:
            if columns or not isinstance(row[RAW], str):
                raise row.refuse(RAW, f"'{RAW}' is the whole text of a record", "remove the other columns")
            return str(row[RAW])
        values = {}
        for key in columns:
            if key.casefold() not in self.types:
                known = [*(name for name, _ in self.types.values()), *self.system]
                message = f"source '{self.scan.source}' has no column '{key}'"
                raise row.refuse(key, message, did_you_mean(key, known, "columns"))
            name, kind = self.types[key.casefold()]
            values[name] = self._value(name, kind, row[key])
        return json.dumps(self._change(row, values) if self.scan.changelog else values)

    def _change(self, row: Table, values: dict[str, Any]) -> dict[str, Any]:
        """A row of a stream of changes, as Debezium writes it."""
        op = row.get(OP, "r")
        if op not in _OPS:
            raise row.refuse(OP, f"'{op}' is not a change", f"write one of {', '.join(_OPS)}")
        return {"op": op, "before": values if op == "d" else None, "after": None if op == "d" else values}

    def _value(self, name: str, kind: Type, value: Any) -> Any:
        if isinstance(value, bytes):
            return _encoded(value)
        if kind.is_time:
            micros = micros_of(value, self.day)
            text = None if micros is None else shown(micros)
            if text is None:
                return value
            return text if kind.name == "TIMESTAMP" else text.removesuffix("Z")
        if name.casefold() == self.scan.event_time.column.casefold() and isinstance(value, str):
            return self._event_time(kind, value)
        return value

    def _event_time(self, kind: Type, text: str) -> Any:
        """A time written as text, in the form that the column has; what is no time stays as it is."""
        micros = of_text(text, self.day)
        if micros is None:
            return text
        form = self.scan.event_time.format
        if kind.is_numeric or form in ("epoch_millis", "epoch_seconds", "epoch"):
            millis = form == "epoch_millis" or (form == "auto" and micros // 1_000 >= _MILLIS_FROM)
            number = _plain(micros, 1_000 if millis else 1_000_000)
            return number if kind.is_numeric else str(number)
        return shown(micros) if form in ("auto", "iso8601") else text


def _encoded(value: Any) -> str | None:
    """Bytes, or the bytes of a text, as JSON carries them."""
    if value is None:
        return None
    return base64.b64encode(value if isinstance(value, bytes) else str(value).encode()).decode()


def _plain(micros: int, unit: int) -> float:
    """A whole number where it is one: columns of whole numbers take no other."""
    return micros // unit if micros % unit == 0 else micros / unit
