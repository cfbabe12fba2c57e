"""Dead letters in PostgreSQL: a table for all jobs; the letters of a micro-batch come in one transaction, and once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from velostream.postgres import Server, make, speaking
from velostream.sinks.letters.envelope import original
from velostream.sinks.letters.letter import iso

TABLE = "velo_dead_letters"
_CREATE = f"""
CREATE TABLE IF NOT EXISTS {TABLE} (
  id text PRIMARY KEY, query text NOT NULL, job text NOT NULL, batch bigint NOT NULL, written_at timestamptz NOT NULL,
  reason text NOT NULL, error text, source text, "partition" int, "offset" bigint, event_time timestamptz,
  record bytea, key bytea, letter jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS {TABLE}_batch ON {TABLE} (job, query, batch)
"""
_INSERT = f"""
INSERT INTO {TABLE} (
  id, query, job, batch, written_at, reason, error, source, "partition", "offset", event_time, record, key, letter
) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
"""


@dataclass
class PostgresLetters:
    """Letters of a job in a database; `letter` has all of each, the columns what one asks for."""

    server: Server
    job: str
    made: bool = field(default=False, repr=False)

    @property
    def shown(self) -> str:
        """Where they are, for people."""
        return f"table {TABLE} of {self.server.shown}"

    def write(self, query: str, batch: int, letters: Iterable[Mapping[str, Any]]) -> None:
        """Writes the letters of a micro-batch; written again, they take the place of themselves."""
        now = datetime.now(UTC)
        rows = []
        for place, one in enumerate(letters):
            number = f"{query[:8]}-{batch:09d}-{place:06d}"
            whole = {"id": number, **one, "job": self.job, "batch": batch, "written_at": iso(_micros(now))}
            rows.append((number, query, self.job, batch, now, *_columns(one), _json(whole)))
        if not rows:
            return
        with speaking(self.server), self._connected() as connection, connection.transaction():
            gone = f"DELETE FROM {TABLE} WHERE job = %s AND query = %s AND batch = %s"
            connection.execute(gone, (self.job, query, batch))
            connection.cursor().executemany(_INSERT, rows)

    def read(self) -> Iterator[dict[str, Any]]:
        """All letters, oldest first."""
        with speaking(self.server), self._connected() as connection:
            asked = f"SELECT letter FROM {TABLE} WHERE job = %s ORDER BY written_at, id"
            found = connection.execute(asked, (self.job,)).fetchall()
        yield from (one for (one,) in found)

    def purge(self, ids: Collection[str]) -> int:
        """Takes letters out; answers how many."""
        with speaking(self.server), self._connected() as connection, connection.transaction():
            done = connection.execute(f"DELETE FROM {TABLE} WHERE job = %s AND id = ANY(%s)", (self.job, list(ids)))
            return int(done.rowcount)

    def _connected(self) -> Any:
        connection = self.server.connect(autocommit=True)
        if not self.made:
            make(connection, _CREATE)
            self.made = True
        return connection


def _columns(one: Mapping[str, Any]) -> tuple[Any, ...]:
    time = one["event_time"]
    known = time if time is not None and not time.endswith(" us") else None
    plain = [_without_zero(one[name]) for name in ("reason", "error", "source")]
    return (*plain, one["partition"], one["offset"], known, original(one["record"]), original(one["key"]))


def _json(whole: Mapping[str, Any]) -> str:
    return json.dumps({name: _without_zero(value) for name, value in whole.items()})


def _without_zero(value: Any) -> Any:
    """PostgreSQL has no text with a zero in it; records with one are in base64, and errors may quote them."""
    return value.replace("\0", "\\0") if isinstance(value, str) else value


def _micros(time: datetime) -> int:
    return int(time.timestamp() * 1_000_000)
