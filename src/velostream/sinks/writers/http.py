"""Rows to a webhook: a request for each row, or for many lines at once, each with a key that is the same when repeated.

The key is made of the query, the micro-batch and what is sent, so whoever receives it can tell a repetition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from velostream.config.connections.requests import send
from velostream.config.secrets import masked
from velostream.durations import SECOND
from velostream.errors import VeloError
from velostream.events import TRACEPARENT
from velostream.formats.encoding.csv_texts import CsvStyle, csv_header, csv_rows
from velostream.formats.encoding.json_texts import json_rows
from velostream.formats.encoding.plain_texts import plain_texts, whole
from velostream.sinks.writers.batch import Batch, BatchRows, Refusal, Shape

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.config.settings import Settings

LINES = 1_000
"""Lines of one request, for formats that are made of lines."""
KEY = "Idempotency-Key"
_TYPES = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "string": "text/plain; charset=utf-8",
}
_FOR_GOOD = (401, 403, 404, 405, 410)
"""Statuses that say something about the address, not about what is sent."""
_sent: dict[tuple[str, str], tuple[int, dict[str, list[Refusal]]]] = {}
"""By query and sink: of the micro-batch that is being written, the keys of the requests that were answered, and which
rows of each were refused: a try after one that failed further on answers for them too."""


@dataclass(frozen=True)
class Request:
    """What is sent at once: the body, and the rows in it as JSON."""

    body: bytes
    rows: tuple[str, ...]
    first: int
    """The place of the first one."""


def write_http(name: str, rows: BatchRows, settings: Settings, batch: Batch, shape: Shape) -> Sequence[Refusal]:
    """Sends a micro-batch; tried again, only what was not answered. Answers with the rows that were refused."""
    if rows.none:
        return ()
    _check(name, settings, len(shape.names))
    table = rows.table()
    number, done = _sent.get((batch.query, name), (batch.number, {}))
    if number != batch.number:
        done = {}
    _sent[batch.query, name] = (batch.number, done)
    refused: list[Refusal] = []
    seen: Counter[str] = Counter()
    for request in requests(table.select(list(shape.names)), settings):
        digest = blake2b(request.body, digest_size=12).hexdigest()
        key = f"{batch.query}-{batch.number}-{digest}-{seen[digest]}"
        seen[digest] += 1
        if key not in done:
            said = _answered(name, request, key, settings, strict=batch.strict)
            rows_of = enumerate(request.rows, request.first) if said else ()
            done[key] = [Refusal.of(said, row, table, place) for place, row in rows_of]
        refused += done[key]
    return refused


def requests(table: pa.Table, settings: Settings) -> Iterator[Request]:
    """The requests for rows: one for each, or for formats of lines one for many."""
    form = settings.text("format")
    shown = json_rows(table).to_pylist()
    if form == "json":
        yield from (Request(text.encode(), (text,), place) for place, text in enumerate(shown))
        return
    if form == "string":
        texts = plain_texts(whole(table.column(0))).to_pylist()
        bodies = [(text or "").encode() for text in texts]
        yield from (Request(bodies[place], (row,), place) for place, row in enumerate(shown))
        return
    head, lines = "", shown
    if form == "csv":
        style = CsvStyle.of(settings)
        head = csv_header(table.column_names, style) + "\n" if settings.boolean("csv.header") else ""
        lines = csv_rows(table, style).to_pylist()
    for first in range(0, len(lines), LINES):
        body = head + "\n".join(lines[first : first + LINES]) + "\n"
        yield Request(body.encode(), tuple(shown[first : first + LINES]), first)


def _check(name: str, settings: Settings, columns: int) -> None:
    """Refuses what cannot be sent without losing columns."""
    if settings.text("format") == "string" and columns != 1:
        message = f"sink '{name}' sends the format string, which is one column, not {columns}"
        raise VeloError(message, hint="select one column, or use the format json", code="unreachable-sink")


def release(query: str) -> None:
    """Forgets what was sent for a query."""
    for key in [key for key in _sent if key[0] == query]:
        del _sent[key]


def _answered(name: str, request: Request, key: str, settings: Settings, *, strict: bool) -> str:
    """Why the other side does not take the rows of a request; empty where it does."""
    url = settings.text("url")
    headers = {"Content-Type": _TYPES[settings.text("format")], KEY: key}
    if TRACEPARENT.get():
        headers["traceparent"] = TRACEPARENT.get()
    headers |= {given.key: str(given.value) for given in settings.client.values()}
    answer = send(settings.text("method"), url, headers, settings.duration("timeout") / SECOND, request.body)
    if answer.status < 300:
        return ""
    said = f"'{masked('url', url)}' answers with {answer.status} {answer.reason}"
    if answer.status in _FOR_GOOD or strict:
        hint = "see to the address and the headers" if answer.status in _FOR_GOOD else f"to {request.rows[0]}"
        raise VeloError(f"sink '{name}': {said}", hint=hint, code="http-refused")
    return said
