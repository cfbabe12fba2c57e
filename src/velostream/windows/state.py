"""State as appended deltas: rows sorted into cells, kept in immutable blobs, joined now and then.

A batch writes what it brings and reads what it touches; how much is retained does not matter.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.windows.store import Store

if TYPE_CHECKING:
    import numpy
    import numpy.typing
    import polars as pl
else:
    from velostream.lazy import lazy

    numpy = lazy("numpy")
    pl = lazy("polars")

FORMAT = 1
"""The version with which every blob begins."""
TARGET_ROWS = 16_384
"""A blob of at least this many rows is cut between cells, so that a reader of few cells reads little."""
DEPTH = 8
"""How many blobs may hold rows of one cell before they are joined."""
MEMORY_ROWS = 200_000
"""How many rows a ledger keeps decoded at most, so that one batch does not read a blob twice."""


def encode(frame: pl.DataFrame) -> bytes:
    """A frame as bytes: the version of the format, then Arrow IPC."""
    stream = frame.write_ipc_stream(None, compression="lz4")
    return bytes([FORMAT]) + stream.getvalue()


def decode(blob: bytes) -> pl.DataFrame:
    """The frame that bytes hold; those of a later version are refused."""
    check_format(blob)
    return pl.read_ipc_stream(io.BytesIO(blob[1:]))


def check_format(blob: bytes) -> None:
    """Refuse bytes that a later version wrote."""
    if not blob or blob[0] != FORMAT:
        found = blob[0] if blob else "none"
        message = f"state has format {found}, and this version reads format {FORMAT}"
        raise VeloError(message, hint="run the version that wrote the checkpoint, or start afresh", code="internal")


def stacked(frames: list[pl.DataFrame]) -> pl.DataFrame:
    """Frames as one; columns that only some have (an upgraded plan) are NULL in the others."""
    try:
        return pl.concat(frames)
    except pl.exceptions.PolarsError:  # cheaper than comparing schemas, which nearly always are the same
        return pl.concat(frames, how="diagonal_relaxed")


def completed(frame: pl.DataFrame, like: pl.DataFrame) -> pl.DataFrame:
    """A frame that was kept, with the columns that rows have had only since then, NULL."""
    missing = [name for name in like.columns if name not in frame.columns]
    return frame.with_columns(pl.lit(None, like.schema[name]).alias(name) for name in missing) if missing else frame


@dataclass(slots=True)
class Segment:
    """One blob: its number, the cells that it spans (both ends included), its rows and bytes, and who wrote it."""

    number: int
    low: int
    high: int
    rows: int
    bytes: int
    token: str = ""


Reduce = Callable[["pl.DataFrame", bool], "pl.DataFrame"]
"""Joins rows of several blobs. True says that these are all rows of their cells, so that tombstones can go."""


class Ledger:
    """A table in the store. Its rows have an Int64 column `_cell`: a time or a slot of keys.

    The index of blobs is small and lives with its owner (`snapshot`). Rows of cells below `floor` are gone, whether or
    not their blob has been deleted yet.
    """

    def __init__(self, name: str, store: Store, reduce: Reduce, snapshot: dict[str, Any] | None = None) -> None:
        self.name = name
        self.store = store
        self.reduce = reduce
        self.segments: list[Segment] = []
        self.next = 0
        self.floor: int | None = None
        self.decoded: dict[int, pl.DataFrame] = {}
        if snapshot:
            self.segments = [Segment(*row) for row in snapshot["segments"]]
            self.next, self.floor = snapshot["next"], snapshot["floor"]

    def snapshot(self) -> dict[str, Any]:
        """The index, as plain data."""
        return {"segments": [list(astuple(s)) for s in self.segments], "next": self.next, "floor": self.floor}

    @property
    def rows(self) -> int:
        """How many rows are kept, superseded ones included."""
        return sum(segment.rows for segment in self.segments)

    @property
    def bytes(self) -> int:
        """How many bytes are kept."""
        return sum(segment.bytes for segment in self.segments)

    def append(self, frame: pl.DataFrame) -> None:
        """Keep rows, in as few blobs as their number allows."""
        if frame.is_empty():
            return
        ordered = frame.sort("_cell")
        begin = 0
        while begin < ordered.height:
            end = begin + TARGET_ROWS
            if end < ordered.height:
                last = ordered["_cell"][end - 1]
                end = int(ordered["_cell"].search_sorted(last, side="right"))
            self._write(ordered.slice(begin, end - begin))
            begin = end

    def _write(self, part: pl.DataFrame) -> None:
        blob = encode(part)
        cells = part["_cell"]
        low, high = int(cells[0]), int(cells[-1])
        segment = Segment(self.next, low, high, part.height, len(blob), self.store.token)
        self.store.put(self._label(segment), blob, part)
        self.segments.append(segment)
        self._remember(self.next, part)
        self.next += 1

    def _remember(self, number: int, frame: pl.DataFrame) -> None:
        if sum(held.height for held in self.decoded.values()) + frame.height > MEMORY_ROWS:
            self.decoded.clear()
        if frame.height <= MEMORY_ROWS:
            self.decoded[number] = frame

    def _label(self, segment: Segment) -> str:
        return f"{self.name}/{segment.number}{segment.token}"

    def _load(self, segments: Iterable[Segment]) -> list[pl.DataFrame]:
        return [self._frame(segment) for segment in segments]

    def _frame(self, segment: Segment) -> pl.DataFrame:
        if segment.number in self.decoded:
            return self.decoded[segment.number]
        blob = self.store.get(self._label(segment))
        if blob is None:
            message = f"state blob '{self._label(segment)}' is missing from the store"
            raise VeloError(message, hint="the checkpoint is damaged: restore it, or start afresh", code="internal")
        frame = decode(blob) if isinstance(blob, bytes) else blob
        self._remember(segment.number, frame)
        return frame

    def read(self, ranges: list[tuple[int, int]] | None = None) -> pl.DataFrame | None:
        """All rows whose cell lies in one of the ranges (ends included, sorted, apart), or all rows; None for none."""
        if ranges is None:
            frames = self._load(self.segments)
        else:
            lows, highs = numpy.array(ranges, dtype=numpy.int64).reshape(-1, 2).T
            frames = [self._within(segment, lows, highs) for segment in self.segments]
        frames = [frame for frame in frames if frame.height]
        if not frames:
            return None
        found = self._living(stacked(frames))
        return None if found.is_empty() else found

    def _within(
        self, segment: Segment, lows: numpy.typing.NDArray[Any], highs: numpy.typing.NDArray[Any]
    ) -> pl.DataFrame:
        """The rows of a blob within ranges; it is loaded only where its cells meet one of them."""
        first, last = highs.searchsorted(segment.low, "left"), lows.searchsorted(segment.high, "right")
        if first >= last:
            return pl.DataFrame()
        frame = self._frame(segment)
        cells = frame["_cell"].to_numpy()
        begin, end = cells.searchsorted(lows[first:last], "left"), cells.searchsorted(highs[first:last], "right")
        if last - first == 1:
            return frame.slice(int(begin[0]), int(end[0] - begin[0]))
        return _stretches(frame, begin, end)

    def look_up(self, cells: pl.Series) -> pl.DataFrame | None:
        """All rows of single cells (sorted), found by bisection: what else the blobs hold costs nothing."""
        wanted = cells.to_numpy()
        frames = []
        for segment in self.segments:
            low, high = wanted.searchsorted(segment.low, "left"), wanted.searchsorted(segment.high, "right")
            if low < high:
                frames.append(_picked(self._frame(segment), wanted[low:high]))
        frames = [frame for frame in frames if frame.height]
        if not frames:
            return None
        found = self._living(stacked(frames))
        return None if found.is_empty() else found

    def _living(self, frame: pl.DataFrame) -> pl.DataFrame:
        if self.floor is None or int(frame["_cell"].min()) >= self.floor:  # type: ignore[arg-type]
            return frame
        return frame.filter(pl.col("_cell") >= self.floor)

    def drop_below(self, cell: int) -> None:
        """Let all rows of smaller cells go."""
        if self.floor is not None and cell <= self.floor:
            return
        self.floor = cell
        for segment in [s for s in self.segments if s.high < cell]:
            self._delete(segment)

    def clear(self) -> None:
        """Let all rows go."""
        for segment in list(self.segments):
            self._delete(segment)

    def _delete(self, segment: Segment) -> None:
        self.store.delete(self._label(segment))
        self.decoded.pop(segment.number, None)
        self.segments.remove(segment)

    def tidy(self) -> None:
        """Join blobs where too many hold rows of one cell: small ones first, so that rows are rewritten a few times."""
        while True:
            crowd = self._crowd()
            if len(crowd) < DEPTH:
                return
            crowd.sort(key=lambda segment: segment.rows)
            chosen, total = crowd[:2], crowd[0].rows + crowd[1].rows
            for segment in crowd[2:]:
                if segment.rows > total:
                    break
                chosen.append(segment)
                total += segment.rows
            self._join(chosen)

    def _join(self, chosen: list[Segment]) -> None:
        low, high = min(s.low for s in chosen), max(s.high for s in chosen)
        complete = not any(s.low <= high and low <= s.high for s in self.segments if s not in chosen)
        joined = self.reduce(self._living(stacked(self._load(chosen))), complete)
        for segment in chosen:
            self._delete(segment)
        self.append(joined)

    def _crowd(self) -> list[Segment]:
        """The blobs that hold rows of the most crowded cell."""
        edges = sorted(
            [(s.low, 0, s) for s in self.segments] + [(s.high, 1, s) for s in self.segments], key=lambda e: e[:2]
        )
        current: list[Segment] = []
        most: list[Segment] = []
        for _, leaves, segment in edges:
            if leaves:
                current.remove(segment)
            else:
                current.append(segment)
                if len(current) > len(most):
                    most = list(current)
        return most


def _picked(frame: pl.DataFrame, cells: numpy.typing.NDArray[Any]) -> pl.DataFrame:
    """The rows of sorted cells in a frame that is sorted by cell."""
    held = frame["_cell"].to_numpy()
    return _stretches(frame, held.searchsorted(cells, "left"), held.searchsorted(cells, "right"))


def _stretches(frame: pl.DataFrame, begin: numpy.typing.NDArray[Any], end: numpy.typing.NDArray[Any]) -> pl.DataFrame:
    """The rows from each begin to its end."""
    length = end - begin
    before = length.cumsum() - length
    places = (begin - before).repeat(length)
    picked: pl.DataFrame = frame[places + numpy.arange(len(places))]
    return picked


def newest(keys: list[str], order: str) -> Reduce:
    """Of the rows of each key, those with the largest `order`; of tombstones (`_gone`) only what others may need."""

    def reduce(frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        latest = frame.filter(pl.col(order) == pl.col(order).max().over(keys or [pl.lit(0)]))
        return latest.filter(~pl.col("_gone")) if complete and "_gone" in latest.columns else latest

    return reduce
