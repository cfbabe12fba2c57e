"""The last closed window of every key, for records that come too late for their own: `update_previous`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.settings import OperatorSettings
from velostream.windows.state import Ledger, stacked
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


class Previous:
    """Per key the state, bounds and revision of the window that closed last, kept until the next one closes.

    `extras` are what too-late records added to a window that is still retained, so that it does not forget them when it
    speaks again for another reason.
    """

    def __init__(self, settings: OperatorSettings, group: list[str], store: Store, snapshot: dict[str, Any]) -> None:
        self.settings = settings
        self.aggregation = settings.aggregation
        self.keys = list(settings.keys)
        self.window = [name for name in group if name not in ("_cell", *self.keys)]
        self.horizon: int | None = None
        """Windows that closed by then are forgotten: the watermark less the time to live."""
        self.last = Ledger("last", store, self._latest, snapshot.get("last"))
        self.extras = Ledger("extras", store, self._reduce, snapshot.get("extras"))

    @property
    def ledgers(self) -> tuple[Ledger, ...]:
        """All tables."""
        return self.last, self.extras

    def snapshot(self) -> dict[str, Any]:
        """The indices of all tables."""
        return {ledger.name: ledger.snapshot() for ledger in self.ledgers}

    def _reduce(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        return self.aggregation.merge(frame, ["_cell", *self.keys, *self.window])

    def _latest(self, frame: pl.DataFrame, complete: bool) -> pl.DataFrame:
        ordered = frame.sort("_closes_at", "_revision")
        latest = ordered.unique(self.keys or ["_cell"], keep="last", maintain_order=True)
        return self._living(latest) if complete else latest

    def _living(self, frame: pl.DataFrame) -> pl.DataFrame:
        return frame if self.horizon is None else frame.filter(pl.col("_closes_at") > self.horizon)

    def forget(self, watermark: int | None) -> None:
        """Let go of windows beyond the time to live at this watermark, and of extras of those that are gone."""
        if watermark is None:
            return
        self.extras.drop_below(watermark - self.settings.lateness.allowed + 1)
        if self.settings.ttl is not None:
            self.horizon = watermark - self.settings.ttl

    def remember(self, states: pl.DataFrame, rows: pl.DataFrame) -> None:
        """Keep the state of groups that spoke a final or late row; of a key the window that closes last counts."""
        group = [*self.keys, "_window_start", "_window_end"]
        spoken = rows.select(*group, "_revision")
        closed = states.join(spoken, on=group, how="inner", nulls_equal=True)
        columns = [*self.keys, *self.window, "_revision", *self.aggregation.state]
        self.last.append(closed.select(pl.lit(0, pl.Int64).alias("_cell"), *columns))

    def of(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The last closed window of each key among rows."""
        found = self.last.read()
        if found is None:
            kinds = {name: rows.schema[name] for name in self.keys}
            kinds |= {name: pl.String() if name == "closed_by" else pl.Int64() for name in (*self.window, "_revision")}
            return pl.DataFrame(schema={**kinds, **self.aggregation.state})
        latest = self.aggregation.completed(self._latest(found, True).drop("_cell"))
        if self.keys:
            latest = latest.join(rows.select(self.keys), on=self.keys, how="semi", nulls_equal=True)
        return latest

    def split(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Rows whose key has a window to update, and rows whose key has none."""
        latest = self.of(rows)
        if not self.keys:
            return (rows, rows.clear()) if latest.height else (rows.clear(), rows)
        there = {"on": self.keys, "nulls_equal": True}
        return rows.join(latest, how="semi", **there), rows.join(latest, how="anti", **there)  # type: ignore[arg-type]

    def homed(self, rows: pl.DataFrame, retained: int) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Rows placed into the last session of their key where that is retained, to move with it; and the others."""
        latest = self.of(rows).filter(pl.col("_closes_at") > retained)
        home = latest.select(*self.keys, pl.col("_window_start").alias("_home"))
        if self.keys:
            placed = rows.join(home, on=self.keys, how="left", nulls_equal=True)
        else:
            placed = rows.with_columns(pl.lit(home["_home"][0] if home.height else None, pl.Int64).alias("_home"))
        there = placed.filter(pl.col("_home").is_not_null())
        there = there.with_columns(pl.col("_home").alias("_start"), pl.col("_home").alias("_end"))
        return there.drop("_home"), placed.filter(pl.col("_home").is_null()).drop("_home")

    def add(self, extras: pl.DataFrame) -> None:
        """Keep what was added to windows that are still retained."""
        self.extras.append(extras.with_columns(pl.col("_closes_at").alias("_cell")))

    def with_extras(self, asked: pl.DataFrame) -> pl.DataFrame:
        """Fragments, and beside them what too-late records added to the same groups."""
        found = self.extras.look_up(asked["_closes_at"].unique().sort())
        if found is None:
            return asked
        group = [*self.keys, *self.window]
        mine = found.join(asked.select(group).unique(), on=group, how="semi", nulls_equal=True)
        return stacked([asked, mine.drop("_cell").with_columns(pl.lit(value=False).alias("_touched"))])
