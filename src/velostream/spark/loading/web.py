"""Tables from the web: an address that is asked again; another answer takes the place of the one before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.durations import SECOND
from velostream.plan.job import LoadedTable
from velostream.sources.streams.calling import Calls
from velostream.sources.streams.inbox import Inbox
from velostream.sources.streams.missing import wait_for
from velostream.sources.streams.polling import Poller
from velostream.sources.streams.reading import form_of
from velostream.spark.loading.files import file_records
from velostream.spark.loading.records import TableRecords
from velostream.tables.loading import Step

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class WebTable(TableRecords):
    """What an address answers. The answer is kept on disk, and the server is asked only for another one (ETag)."""

    def __init__(self, table: LoadedTable, spark: SparkSession, folder: Path, home: Path) -> None:
        super().__init__(table, folder)
        self.spark = spark
        self.form = form_of(self.node)
        settings = table.settings
        self.inbox = Inbox(home / "answers", self.form.format)
        self.poller = Poller(
            table.name,
            settings.text("url"),
            {given.key: str(given.value) for given in settings.client.values()},
            settings.duration("timeout") / SECOND,
            settings.duration("poll.interval") / SECOND,
            self.inbox,
            Calls.of(table.name, settings, Path()),
            str(settings.get("records.path") or ""),
        )

    def measure(self, since: Mapping[str, Any]) -> int:
        """Asks; the bytes of an answer that was not read yet."""
        wait_for(self.table.name, "http", self.table.settings, self.poller.look)
        newest = self._newest()
        return newest.stat().st_size if newest is not None and newest.name != since.get("answer") else 0

    def step(self, since: Mapping[str, Any]) -> Step | None:
        """The newest answer, unless it was read before."""
        newest = self._newest()
        if newest is None or newest.name == since.get("answer"):
            return None
        size = newest.stat().st_size
        rows, letters = self.rows(file_records(self, self.spark, self.form, {str(newest): size}), self.form.format)
        for older in self.inbox.folder.glob(f"[0-9]*.{self.form.format}"):
            if older.name < newest.name:
                older.unlink()
        return Step(rows, {"answer": newest.name}, last=True, fresh=True, letters=letters, size=size)

    def _newest(self) -> Path | None:
        return max(self.inbox.folder.glob(f"[0-9]*.{self.form.format}"), default=None)
