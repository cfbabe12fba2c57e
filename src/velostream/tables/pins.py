"""Which version of each table a micro-batch sees: fixed before it is planned, so that its re-run sees the same."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from velostream.files import replace_text
from velostream.tables.prepared import Prepared
from velostream.tables.view import TableView

PINS = "tables.json"
"""The file of a job that tells which versions its micro-batches see."""
KEPT = 3
"""How many changes of versions are remembered: more than batches can be run again."""


class Pins:
    """The versions of the tables of one job by micro-batch, in a file of the job."""

    def __init__(self, file: Path, views: Mapping[str, TableView]) -> None:
        self.file = file
        self.views = views
        self.prepared: list[Prepared] = []
        """What joins of the job find in Python."""
        self.by_batch: dict[int, dict[str, int]] = {}
        if file.exists():
            self.by_batch = {int(batch): pinned for batch, pinned in json.loads(file.read_text()).items()}

    def resume(self, batch: int, *, begun: bool) -> None:
        """Before a query starts with `batch`: one that was begun sees what it saw, another the newest."""
        known = (self.of(batch) if begun else None) or {}
        seen = {name: number for name, number in known.items() if name in self.views}
        self._take(batch, {**self._newest(), **seen})

    def advance(self, batch: int) -> None:
        """At the end of a micro-batch: the newest versions, for `batch`, which comes next."""
        newest = self._newest()
        if newest != self.of(batch):
            self._take(batch, newest)

    def of(self, batch: int) -> dict[str, int] | None:
        """What a micro-batch sees."""
        earlier = [number for number in self.by_batch if number <= batch]
        return self.by_batch[max(earlier)] if earlier else None

    @property
    def held(self) -> dict[str, set[int]]:
        """The versions that a micro-batch may still ask for, by table."""
        return {name: {pinned[name] for pinned in self.by_batch.values() if name in pinned} for name in self.views}

    @property
    def stale(self) -> bool:
        """True where a table has a newer version than the job sees."""
        shown = {name: view.shown.number for name, view in self.views.items() if view.shown is not None}
        return self._newest() != shown

    def _newest(self) -> dict[str, int]:
        found = {name: view.store.newest() for name, view in self.views.items()}
        return {name: version.number for name, version in found.items() if version is not None}

    def _take(self, batch: int, pinned: dict[str, int]) -> None:
        self.by_batch = {number: held for number, held in self.by_batch.items() if number < batch}
        self.by_batch[batch] = pinned
        self.by_batch = dict(sorted(self.by_batch.items())[-KEPT:])
        replace_text(self.file, json.dumps(self.by_batch))
        for name, number in pinned.items():
            self.views[name].show(number)
        for side in self.prepared:
            side.make(pinned, self._watermark(side.tables))
            side.forget(held for held in self.by_batch.values() if held.keys() >= set(side.tables))

    def _watermark(self, names: Iterable[str]) -> int | None:
        """Up to when all that the shown versions of tables were is known."""
        shown = [self.views[name].shown for name in names]
        told = [version.about.watermark for version in shown if version is not None]
        known = [each for each in told if each is not None]
        return min(known) if known and len(known) == len(told) else None
