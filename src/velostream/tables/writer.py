"""Changes of a table into versions of it: what one costs goes with what has changed, not with what the table holds.

Changes gather in a delta beside the base; when as many rows were written to deltas as the base has, both become a new
base. So a row is written again a few times only, and readers have little to put together.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.tables.differences import differences, with_columns_of
from velostream.tables.newest import (
    GONE,
    ROW,
    TIME,
    alive,
    expired,
    in_order,
    index_of,
    latest,
    merged,
    named,
    newest,
    stacked,
)
from velostream.tables.past import MOST_FILES, ORDER, numbered, shortened, vanished
from velostream.tables.store import BASE, DELTA, PAST, About, TableStore, Version

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


@dataclass
class TableWriter:
    """The one who makes the versions of a table."""

    store: TableStore
    key: tuple[str, ...]
    keeps: int | None = None
    """How long a row stays, in microseconds of its time."""
    past: bool = False
    """Whether all that rows were is kept too."""
    columns: tuple[tuple[str, str], ...] = ()
    """The columns of its rows, and their types; empty where these never change."""
    ordered: bool = False
    """Whether changes come in the order in which they happened, so that a deletion takes away what came before it."""
    _known: int = field(default=0, init=False)
    """The version that `_index` and `_delta` are about."""
    _index: pl.DataFrame | None = field(default=None, init=False)
    _delta: pa.Table | None = field(default=None, init=False)

    def newest(self) -> Version | None:
        """The newest version, complete or not; None where it lacks what is asked for now, so that all is read anew."""
        version = self.store.newest(complete=False)
        lacks = version is not None and (
            (self.past and PAST not in version.files) or version.key != self.key or not self._has_columns(version)
        )
        return None if lacks else version

    def _has_columns(self, version: Version) -> bool:
        """True where the rows of a version have the columns that are declared now."""
        return not (self.columns and version.columns) or self.columns == version.columns

    def replace(self, rows: pa.Table, about: About, past: pa.Table | None = None) -> Version:
        """A version of these rows alone. Rows that are as they were stay as they are: only what differs is written.

        `past` is all that rows were, with its ORDER, where that is known better than by what they become now.
        """
        rows = in_order(rows, self.key, None) if self.ordered else rows
        base = newest(None, rows, self.key, self.keeps)
        held = self.newest()
        if held is not None and held.complete and about.complete:
            self._remember(held)
            found = differences(held.read(), base, self.key, about.watermark or time.time_ns() // 1000)
            if found is not None:
                assert self._index is not None
                index = _after(self._index, index_of(found, self.key), named(self.key))
                told = stacked(_with_gone(rows), found.filter(found[GONE])) if past is None else past
                return self._changed(held, found, index, told, about)
        held = self.store.newest(complete=False) if self.past else None
        known = held is not None and held.key == self.key and PAST in held.files
        files = {PAST: self._fitting(held, rows).files[PAST]} if held is not None and known else {}
        count = base.num_rows
        whole = Version(0, self.store.folder, count, about, self.key, files, count, replaces=True, columns=self.columns)
        return self._add(whole, {BASE: base}, rows if past is None else past, index_of(base, self.key), None)

    def change(self, changes: pa.Table, about: About) -> Version:
        """A version with changes on top of the newest one, complete or not. They may have GONE."""
        version = self.store.newest(complete=False)
        if version is None:
            return self.replace(changes, about)
        version = self._fitting(version, changes)
        self._remember(version)
        assert self._index is not None
        changes = in_order(changes, self.key, self._index) if self.ordered else changes
        told = changes
        if self.past and PAST not in version.files:  # it begins with what the rows are
            told = stacked(_with_gone(version.read()), _with_gone(changes))
        effective, index = self._effective(changes, self._index)
        return self._changed(version, effective, index, told, about)

    def put(self, changes: pa.Table, about: About) -> Version:
        """A version with changes that hold whatever their times say: of each key the last. They have GONE."""
        import polars as pl

        version = self.store.newest(complete=False)
        if version is None:
            return self.replace(changes, about)
        version = self._fitting(version, changes)
        self._remember(version)
        assert self._index is not None
        keys = named(self.key)
        told = index_of(changes, self.key).unique(keys, keep="last", maintain_order=True)
        there = self._index.select(keys).with_columns(pl.lit(value=True).alias("_there"))
        told = told.join(there, on=keys, how="left", nulls_equal=True, maintain_order="left")
        told = told.filter(~pl.col(GONE) | pl.col("_there").is_not_null()).drop("_there")
        effective = changes.take(told[ROW].to_arrow())
        return self._changed(version, effective, _after(self._index, told, keys), effective, about)

    def _fitting(self, version: Version, changes: pa.Table) -> Version:
        """A version to which changes can be added: one whose rows have the key and the columns that they have."""
        if version.key != self.key:
            was, now = (", ".join(key) or "nothing" for key in (version.key, self.key))
            message = f"table '{self.store.name}' holds rows by {was}, and is now to hold them by {now}"
            raise VeloError(message, hint="undo the change, or start with another checkpoint", code="state-mismatch")
        if self._has_columns(version):
            return version
        rows = with_columns_of(version.read(), changes, self.store.name)
        made = replace(version, files={}, base_rows=rows.num_rows, rewritten=0, columns=self.columns)
        past = version.table(PAST)
        written = {BASE: rows} if past is None else {BASE: rows, PAST: with_columns_of(past, changes, self.store.name)}
        return self.store.add(made, written)

    def _changed(
        self, version: Version, effective: pa.Table, index: pl.DataFrame, told: pa.Table, about: About
    ) -> Version:
        """A version with what changes something; `told` is all that is remembered of the past."""
        if not effective.num_rows:
            return self._add(replace(version, about=about), {}, told, index, self._delta)
        delta = self._gathered(effective)
        rewritten = version.rewritten + delta.num_rows
        made = replace(version, about=about, rows=index.height, rewritten=rewritten)
        if rewritten < version.base_rows:
            return self._add(made, {DELTA: delta}, told, index, delta)
        base = version.table(BASE)
        assert base is not None
        base = merged(base, delta, self.key)
        without = {kind: names for kind, names in version.files.items() if kind != DELTA}
        made = replace(made, files=without, base_rows=base.num_rows, rewritten=0)
        return self._add(made, {BASE: base}, told, index_of(base, self.key), None)

    def unchanged(self, version: Version, watermark: int | None) -> Version:
        """A version of the rows of another, which are known to hold until later."""
        made = self.store.add(replace(version, about=replace(version.about, watermark=watermark)), {})
        self._known = made.number if self._known == version.number else self._known
        return made

    def _remember(self, version: Version) -> None:
        """Knows the keys of a version, and its delta; of the base no more than that is read."""
        import polars as pl

        if self._known == version.number and self._index is not None:
            return
        base = version.table(BASE, [*self.key, TIME])
        assert base is not None
        self._delta = version.table(DELTA)
        index = index_of(base, self.key)
        if self._delta is not None:
            changed = index_of(self._delta, self.key)
            if self.key:
                index = index.join(changed, on=named(self.key), how="anti", nulls_equal=True)
            index = pl.concat([index, changed.filter(~pl.col(GONE))])
        self._index, self._known = index, version.number

    def _effective(self, changes: pa.Table, index: pl.DataFrame) -> tuple[pa.Table, pl.DataFrame]:
        """The changes that change something, with GONE; and what tells the rows of the table apart after them."""
        import polars as pl

        keys = named(self.key)
        told = latest(index_of(changes, self.key), self.key)
        if keys:
            asked = index.join(told, on=keys, how="semi", nulls_equal=True)  # few: the others cost a look each
            held = asked.select(*keys, pl.col(TIME).alias("_held"), pl.lit(value=True).alias("_there"))
            told = told.join(held, on=keys, how="left", nulls_equal=True, maintain_order="left")
            there = pl.col("_there").fill_null(value=False)
            later = pl.col("_held").is_null() | (pl.col(TIME) >= pl.col("_held")).fill_null(value=False)
            told = told.filter((there & later) | (~there & ~pl.col(GONE))).drop("_held", "_there")
        index = _after(index, told, keys)
        made = _with_gone(changes).take(told[ROW].to_arrow())
        if self.keeps is not None and index.height:
            old = expired(index, self.keeps)
            made = stacked(made, self._deletions(index.filter(old), made)) if keys else made
            index = index.filter(~old) if keys else index
        return made, index

    def _deletions(self, index: pl.DataFrame, like: pa.Table) -> pa.Table:
        """Changes that delete the rows of an index."""
        import pyarrow as pa

        told = {**dict(zip(self.key, named(self.key), strict=True)), TIME: TIME}
        columns = []
        for member in like.schema:
            if member.name == GONE:
                columns.append(pa.array([True] * index.height, pa.bool_()))
            elif member.name in told:
                columns.append(index[told[member.name]].to_arrow().cast(member.type))
            else:
                columns.append(pa.nulls(index.height, member.type))
        return pa.table(columns, schema=pa.schema([member.with_nullable(True) for member in like.schema]))

    def _gathered(self, effective: pa.Table) -> pa.Table:
        """The delta with further changes."""
        both = effective if self._delta is None else stacked(self._delta, effective)
        if not self.key:
            return both
        last = index_of(both, self.key).unique(named(self.key), keep="last", maintain_order=True)
        return both.take(last.sort(ROW)[ROW].to_arrow())

    def _add(
        self,
        version: Version,
        written: dict[str, pa.Table],
        changes: pa.Table,
        index: pl.DataFrame,
        delta: pa.Table | None,
    ) -> Version:
        if self.past:
            version, past = self._with_past(version, _with_gone(changes), index)
            written |= past
        if version.about.complete:
            version = replace(version, replaces=False)
        made = self.store.add(version, written)
        self._known, self._index, self._delta = made.number, index, delta
        return made

    def _with_past(
        self, version: Version, changes: pa.Table, index: pl.DataFrame
    ) -> tuple[Version, dict[str, pa.Table]]:
        """What rows were before: all changes as they came. Keys that a load from the beginning did not find again are
        deleted as of that load. With an ORDER they are the whole past."""
        if ORDER in changes.schema.names:
            return replace(version, files={**version.files, PAST: ()}), {PAST: changes}
        told = version.files.get(PAST, ())
        if version.about.complete and version.replaces and told:
            both = stacked(version.table(PAST), numbered(changes, self.store.next_number))
            missing = vanished(both, index, self.key, version.about.watermark)
            changes = stacked(changes, missing) if missing.num_rows else changes
        if not changes.num_rows and told:
            return version, {}
        fresh = numbered(changes, self.store.next_number)
        if len(told) < MOST_FILES:
            return version, {PAST: fresh}
        whole = shortened(stacked(version.table(PAST), fresh), self.key, self.keeps)
        return replace(version, files={**version.files, PAST: ()}), {PAST: whole}


def _after(index: pl.DataFrame, told: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """What tells the rows of a table apart after changes, each of which changes something."""
    import polars as pl

    kept = index.join(told, on=keys, how="anti", nulls_equal=True) if keys else index
    return pl.concat([kept, told.filter(~pl.col(GONE)).select(index.columns)])


def _with_gone(changes: pa.Table) -> pa.Table:
    return changes if GONE in changes.schema.names else alive(changes)
