"""What went out of each row, and what must go out because it now stands otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from velostream.windows.contents import ORIGIN, ORIGIN_GONE, ORIGIN_REVISION
from velostream.windows.emission.base import RETRACT
from velostream.windows.state import Ledger, stacked
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

PREVIOUS = "_previous"


class Said:
    """The newest row that went out of each `identity` in a partition (`over`, with `_cell` first).

    A row has the columns `shown`. One that says something else than before goes out with the next revision, one that no
    longer stands is withdrawn under the revision that it had.
    """

    def __init__(
        self,
        over: Sequence[str],
        identity: Sequence[str],
        store: Store,
        snapshot: dict[str, Any] | None,
        *,
        lives: bool = False,
    ) -> None:
        self.over = list(over)
        self.lives = lives
        """True where there is a time to live."""
        self.by = [*over, *identity]
        self.horizon: int | None = None
        """Partitions whose newest row is not younger are forgotten; it is remembered where there is a time to live."""
        self.ledger = Ledger("said", store, self._reduce, snapshot)

    def _reduce(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        latest = self._latest(frame)
        if complete:
            latest = latest.filter(~pl.col("_gone"))
            if self.horizon is not None:
                latest = latest.filter(pl.col("_newest").max().over(self.over) > self.horizon)
        return latest

    def _latest(self, frame: pl.DataFrame) -> pl.DataFrame:
        latest = frame.sort("_version").unique(self.by, keep="last", maintain_order=True)
        return _dated(latest) if self.lives else latest

    def of(self, found: pl.DataFrame | None) -> pl.DataFrame | None:
        """The newest of what was found in the ledger."""
        if found is None:
            return None
        latest = self._latest(found).filter(~pl.col("_gone"))
        return None if latest.is_empty() else latest

    def differing(
        self, now: pl.DataFrame, was: pl.DataFrame | None, shown: Sequence[str], number: int
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Rows that go out (`_revision`, `_previous`) and rows that are withdrawn; both are remembered.

        `now` has all rows of partitions that stand, with `_final` where they are as a closed window leaves them.
        """
        if was is None:
            news = now.with_columns(pl.lit(1, pl.Int64).alias("_revision"), _nothing(now, shown).alias(PREVIOUS))
            gone = news.clear()
        else:
            was = _with_all(was, now, shown)
            news = self._news(now, was, shown)
            gone = self._gone(now, was, shown)
            if "_newest" in now.columns:
                self._touch(now, was, number)
        self._remember(news, shown, number, listed=True)
        self._remember(gone, shown, number, listed=False)
        return news, gone

    def _news(self, now: pl.DataFrame, was: pl.DataFrame, shown: Sequence[str]) -> pl.DataFrame:
        before = {"_revision": "_was", "_final": "_was_final", "_listed": "_stood"}
        old = was.select(*self.by, "_said", "_listed", "_revision", "_final").rename(before)
        joined = now.join(old, on=self.by, how="left", nulls_equal=True, maintain_order="left")
        listed = pl.col("_stood").fill_null(value=False)
        same = [pl.col("_said").struct.field(name).eq_missing(pl.col(name)) for name in shown]
        closes = pl.col("_final") & ~pl.col("_was_final").fill_null(value=False)
        news = joined.filter(~pl.all_horizontal(listed, *same) | closes).with_columns(
            (pl.col("_was").fill_null(0) + 1).alias("_revision"),
            pl.when(listed).then(pl.col("_said")).alias(PREVIOUS),
        )
        return news.drop("_said", "_stood", "_was", "_was_final")

    def _gone(self, now: pl.DataFrame, was: pl.DataFrame, shown: Sequence[str]) -> pl.DataFrame:
        left = was.filter("_listed").join(now.select(self.by), on=self.by, how="anti", nulls_equal=True)
        said = [pl.col("_said").struct.field(name) for name in shown if name not in self.by]
        more = ["_newest"] if "_newest" in was.columns else []
        return left.select(*self.by, *said, "_revision", "_final", *more)

    def _touch(self, now: pl.DataFrame, was: pl.DataFrame, number: int) -> None:
        """Partitions that are alive are remembered on."""
        newest = now.select(*self.over, "_newest").unique()
        alive = was.drop("_newest").join(newest, on=self.over, how="inner", nulls_equal=True)
        self.ledger.append(alive.with_columns(pl.lit(number - 1, pl.Int64).alias("_version")).select(was.columns))

    def _remember(self, rows: pl.DataFrame, shown: Sequence[str], number: int, *, listed: bool) -> None:
        self.ledger.append(
            rows.select(
                *self.by,
                pl.struct(shown).alias("_said"),
                "_revision",
                pl.lit(listed).alias("_listed"),
                "_final",
                *(["_newest"] if "_newest" in rows.columns else []),
                pl.lit(number, pl.Int64).alias("_version"),
                pl.lit(value=False).alias("_gone"),
            )
        )

    def forget(self, rows: pl.DataFrame, number: int) -> None:
        """Let go of what was said of rows that never change again."""
        if rows.height:
            gone = rows.select(self.by).with_columns(
                pl.lit(number, pl.Int64).alias("_version"), pl.lit(value=True).alias("_gone")
            )
            self.ledger.append(gone)


def outgoing(news: pl.DataFrame, gone: pl.DataFrame, shown: Sequence[str]) -> pl.DataFrame:
    """Rows as they go out: withdrawals first, then what stands, `news` with its `_emission`."""
    columns = list(dict.fromkeys([*shown, ORIGIN]))
    columns = [name for name in columns if name in news.columns]
    left = gone.select(
        *(name for name in columns if name in gone.columns),
        "_revision",
        pl.lit(RETRACT).alias("_emission"),
        pl.lit(value=True).alias(ORIGIN_GONE),
    )
    came = news.select(*columns, "_revision", "_emission", pl.lit(value=False).alias(ORIGIN_GONE), PREVIOUS)
    both = stacked([left, came]) if left.height else came
    return both.with_columns(pl.col("_revision").alias(ORIGIN_REVISION))


def _dated(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with how new their partition was; of those said before there was a time to live their own."""
    own = pl.col("_said").struct.field("_event_time")
    return rows.with_columns((pl.coalesce("_newest", own) if "_newest" in rows.columns else own).alias("_newest"))


def _with_all(was: pl.DataFrame, now: pl.DataFrame, shown: Sequence[str]) -> pl.DataFrame:
    """What was said, with the columns that rows have had only since then."""
    kind = was.schema["_said"]
    known = {member.name for member in kind.fields} if isinstance(kind, pl.Struct) else set()
    if known.issuperset(shown):
        return was
    said = pl.col("_said").struct
    values = [said.field(name) if name in known else pl.lit(None, now.schema[name]).alias(name) for name in shown]
    return was.with_columns(pl.struct(values).alias("_said"))


def _nothing(rows: pl.DataFrame, shown: Sequence[str]) -> pl.Expr:
    return pl.lit(None, pl.Struct({name: rows.schema[name] for name in shown}))
