"""The rows of a cold tier that are asked for, read piece by piece: no more of them are held than somebody wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from velostream.config.cold import FILES
from velostream.errors import VeloError
from velostream.jobs.cold import ColdPlace
from velostream.plan.cold import CLOSED_AT
from velostream.plan.nodes.base import WINDOW_START
from velostream.postgres import speaking, type_of

if TYPE_CHECKING:
    import pyarrow as pa

_TRIES = 5
"""How often files are listed anew, where one was gone before it was read: a newer one has its rows."""
_PIECE = 16_384
NESTED = "jsonb"
"""What PostgreSQL keeps lists, maps and structs as; they are read as JSON text."""


@dataclass(frozen=True)
class Wanted:
    """Which windows: of a key (one part of it, or all joined with `|`), and that begin within bounds."""

    key: str = ""
    begin: datetime | None = None
    end: datetime | None = None
    revisions: bool = False
    """True for all that was said of each, corrections and withdrawals too."""
    most: int = 0
    """About so many rows at most, those of the windows that begin last; 0 for all."""


def in_utc(moment: datetime | None) -> datetime | None:
    """A time that somebody gives, in UTC, which it is where it names no zone; beyond all times the last or first."""
    if moment is None or moment.tzinfo is None:
        return None if moment is None else moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return (datetime.max if moment.year > 1970 else datetime.min).replace(tzinfo=UTC)


@dataclass
class Found:
    """Rows as they are gathered; windows that begin before `since` are left out, where there are too many."""

    place: ColdPlace
    wanted: Wanted
    since: datetime | None = None
    _pieces: list[pa.Table] = field(default_factory=list)
    _held: int = 0

    def add(self, piece: pa.Table) -> None:
        """Takes those of some rows that are wanted."""
        import pyarrow as pa
        import pyarrow.compute as pc

        piece = _alike([piece], self.place)
        if self.wanted.key:
            piece = of_key(piece, self.place.cold.keys, self.wanted.key)
        if self.since is not None:
            piece = piece.filter(pc.greater_equal(piece[WINDOW_START], pa.scalar(self.since)))
        if piece.num_rows:
            self._pieces.append(piece)
            self._held += piece.num_rows
        if self.wanted.most and self._held > 2 * self.wanted.most:
            self._trim()

    def rows(self) -> pa.Table:
        """What was gathered, with the columns that the job has now."""
        if self.wanted.most and self._held > self.wanted.most:
            self._trim()
        return _alike(self._pieces, self.place)

    def _trim(self) -> None:
        """Leaves the oldest windows out, each with all of its rows, so that what is shown of others is whole."""
        import pyarrow as pa
        import pyarrow.compute as pc

        begins = pa.concat_arrays([chunk for piece in self._pieces for chunk in piece[WINDOW_START].chunks])
        kept = pc.select_k_unstable(begins, self.wanted.most, [("", "descending")])
        self.since = pc.min(begins.take(kept)).as_py()
        pieces, self._pieces, self._held = self._pieces, [], 0
        key, self.wanted = self.wanted, replace(self.wanted, key="", most=0)
        for piece in pieces:
            self.add(piece)
        self.wanted = key


def found(place: ColdPlace, wanted: Wanted) -> tuple[pa.Table, datetime | None]:
    """The rows of a job that are wanted, in no order, and since when windows begin, where older ones were left out."""
    read = _files if place.cold.backend == FILES else _rows
    return read(place, wanted)


def of_key(rows: pa.Table, keys: Sequence[str], key: str) -> pa.Table:
    """The rows of a key. Each value that a column has is compared once, however many rows have it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    folded = key.casefold()
    is_one, may_be = pa.scalar(value=False), pa.scalar(value=True)
    for name in keys:
        is_one = pc.or_(is_one, _where(rows[name], lambda text: text == folded))
        may_be = pc.and_(may_be, _where(rows[name], lambda text: text in folded))
    rows = rows.filter(pc.or_(is_one, may_be)) if keys else rows
    parts = [[_text(value) for value in rows[name].to_pylist()] for name in keys]
    each = zip(*parts, strict=True) if parts else iter([()] * rows.num_rows)
    return rows.filter(pa.array([_is_of(folded, row) for row in each], pa.bool_()))


def _is_of(folded: str, parts: Sequence[str]) -> bool:
    return folded in ("|".join(parts), *parts)


def _where(values: pa.ChunkedArray, test: Callable[[str], bool]) -> Any:
    """True for values whose text passes a test."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_nested(values.type):
        return pa.array([test(_text(value)) for value in values.to_pylist()], pa.bool_())
    coded = pc.dictionary_encode(values.combine_chunks(), null_encoding="encode")
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    passed = pa.array([test(_text(value)) for value in coded.dictionary.to_pylist()], pa.bool_())
    return passed.take(coded.indices)


def _text(value: Any) -> str:
    return "null" if value is None else str(value).casefold()


def _files(place: ColdPlace, wanted: Wanted) -> tuple[pa.Table, datetime | None]:
    for left in reversed(range(_TRIES)):
        try:
            gathered = Found(place, wanted)
            for piece in _pieces(place, wanted):
                gathered.add(piece)
            return gathered.rows(), gathered.since
        except FileNotFoundError:
            if not left:
                raise
    raise AssertionError("unreachable")


def _pieces(place: ColdPlace, wanted: Wanted) -> Iterator[pa.Table]:
    """The rows of all files that are within bounds. Without pyarrow.dataset, which takes 60 MB: a control plane reads
    them too."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    for name in sorted(place.folder.glob("part-*.parquet")):
        with pq.ParquetFile(name) as file:
            groups = [number for number in range(file.num_row_groups) if _may_have(file, number, wanted)]
            for batch in file.iter_batches(_PIECE, groups) if groups else ():
                piece = pa.Table.from_batches([batch])
                kept = pc.greater_equal(piece[CLOSED_AT], pa.scalar(place.oldest))
                if wanted.begin is not None:
                    kept = pc.and_(kept, pc.greater_equal(piece[WINDOW_START], pa.scalar(wanted.begin)))
                if wanted.end is not None:
                    kept = pc.and_(kept, pc.less(piece[WINDOW_START], pa.scalar(wanted.end)))
                yield piece.filter(kept)


def _may_have(file: Any, number: int, wanted: Wanted) -> bool:
    """False for a part of a file that says itself that its windows begin outside of the bounds."""
    group = file.metadata.row_group(number)
    columns = (group.column(place) for place in range(group.num_columns))
    said = next((each.statistics for each in columns if each.path_in_schema == WINDOW_START), None)
    if said is None or not said.has_min_max or not isinstance(said.min, datetime) or said.min.tzinfo is None:
        return True
    return (wanted.begin is None or said.max >= wanted.begin) and (wanted.end is None or said.min < wanted.end)


def _alike(read: list[pa.Table], place: ColdPlace) -> pa.Table:
    """The rows of several files with the columns that the job has now; what an older one did not have is NULL."""
    import pyarrow as pa

    names = [name for name, _ in place.cold.whole]
    if not read:
        times = pa.timestamp("us", "UTC")
        return pa.table({name: pa.array([], times if kind == "TIMESTAMP" else None) for name, kind in place.cold.whole})
    try:
        whole = pa.concat_tables(read, promote_options="permissive")
    except pa.ArrowInvalid as error:
        message = f"the closed windows of '{place.cold.job}' have columns of several types: {error}"
        raise VeloError(message, hint="give the job another state.cold.location", code="state-mismatch") from None
    for name in names:
        if name not in whole.column_names:
            whole = whole.append_column(name, pa.nulls(whole.num_rows))
    return whole.select(names)


def _rows(place: ColdPlace, wanted: Wanted) -> tuple[pa.Table, datetime | None]:
    """The same from a database, those that begin last first: no more are read than are wanted."""
    import pyarrow as pa

    names = [name for name, _ in place.cold.whole]
    begin, keys = names.index(WINDOW_START), [names.index(name) for name in place.cold.keys]
    folded, since = wanted.key.casefold(), None
    kept: list[tuple[Any, ...]] = []
    for row in _selected(place, wanted):
        if folded and not _is_of(folded, [_text(row[number]) for number in keys]):
            continue
        if wanted.most and len(kept) >= wanted.most and row[begin] != kept[-1][begin]:
            since = kept[-1][begin]
            break
        kept.append(row)
    if not kept:
        return _alike([], place), None
    columns = zip(names, zip(*kept, strict=True), strict=True)
    return pa.table({name: pa.array(list(values)) for name, values in columns}), since


def _selected(place: ColdPlace, wanted: Wanted) -> Iterator[tuple[Any, ...]]:
    from psycopg import sql

    server = place.server
    picked = [
        sql.SQL("{}::text" if type_of(kind) == NESTED else "{}").format(sql.Identifier(name))
        for name, kind in place.cold.whole
    ]
    bounds = {">=": wanted.begin, "<": wanted.end}
    where = [sql.SQL("{} >= %s").format(sql.Identifier(CLOSED_AT))]
    where += [sql.SQL("{} " + sign + " %s").format(sql.Identifier(WINDOW_START)) for sign, at in bounds.items() if at]
    given = [place.oldest, *(at for at in bounds.values() if at)]
    with speaking(server, place.name), server.connect() as connection:
        [there] = connection.execute("SELECT to_regclass(%s)", (place.table,)).fetchone() or (None,)
        if there is None:
            return
        text = sql.SQL("SELECT {} FROM {} WHERE {} ORDER BY {} DESC").format(
            sql.SQL(", ").join(picked),
            sql.Identifier(place.table),
            sql.SQL(" AND ").join(where),
            sql.Identifier(WINDOW_START),
        )
        with connection.cursor(name="velo_windows") as cursor:
            cursor.itersize = _PIECE
            yield from cursor.execute(text, given)
