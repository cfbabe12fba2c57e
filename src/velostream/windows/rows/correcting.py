"""Standard OVER over rows that may be corrected or come late: what went out is corrected as long as it may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream.windows.accumulators.base import ERROR, POSITION
from velostream.windows.contents import ORIGIN, ORIGIN_GONE
from velostream.windows.emission.base import CHANGE, LATE
from velostream.windows.facts import Facts
from velostream.windows.panes import LEAST, MOST
from velostream.windows.rows.held import newest_of, with_origin
from velostream.windows.rows.over import OverOperator
from velostream.windows.rows.said import Said, outgoing
from velostream.windows.rows.settings import RowSettings
from velostream.windows.state import completed, stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")


class CorrectingOver(OverOperator):
    """Rows younger than the allowed lateness wait on after they went out: they are answered anew when one comes.

    `shown` are the columns that go out; `kind` is the column that says as what a row came, if there is one.
    """

    def __init__(self, settings: RowSettings, shown: tuple[str, ...], kind: str, store: Store) -> None:
        super().__init__(settings, store)
        self.kind = kind
        self.shown = [*shown, *settings.results, *POSITION]
        self.partition = ["_slot", *self.keys]
        self.said = Said(["_cell", *self.partition], [ORIGIN], store, self.saved.get("said"))
        self.ledgers.append(self.said.ledger)
        self.settled: int | None = self.saved.get("settled")

    def more(self) -> dict[str, Any]:
        """Up to where nothing is corrected any more."""
        return {"settled": self.settled}

    def step(
        self, rows: pl.DataFrame, before: int | None, after: int | None, facts: Facts, stats: Stats
    ) -> pl.DataFrame:
        """Refuse what is settled, settle what has become too old to be corrected, answer the younger ones anew."""
        accepted = with_origin(self._accepted(rows, self.settled, before, stats), self.number).drop(
            "_record", strict=False
        )
        stats.open += accepted.height
        arrived = accepted.rename({"_cell": "_slot"}).with_columns(
            pl.col("_event_time").alias("_cell"), pl.lit(self.number, pl.Int64).alias("_version")
        )
        self.waiting.append(arrived)
        high = MOST if facts.flush else LEAST if after is None else after - 1
        touched = self._touched(arrived, LEAST if before is None else before, high)
        old = LEAST if self.settled is None else self.settled
        edge = old if after is None else max(old, after - self.settings.lateness.allowed)
        folded = self._fold(self._living(old, edge - 1, arrived))
        young = self._living(edge, high, arrived).join(touched, on=self.partition, how="semi", nulls_equal=True)
        answers = stacked([folded.join(touched, on=self.partition, how="semi", nulls_equal=True), self._ahead(young)])
        said = self._differing(answers, touched, (old, high))
        for ledger in (self.waiting, self.said.ledger):
            ledger.drop_below(edge)
        self.settled = None if edge == LEAST else edge
        first = said.filter(pl.col("_revision") == 1).height
        stats.open -= first
        stats.in_results += first
        return said

    def _touched(self, arrived: pl.DataFrame, low: int, high: int) -> pl.DataFrame:
        """The partitions whose answers may change: rows of them came, or the watermark has passed some."""
        passed = self.waiting.read([(low, high)]) if low <= high else None
        parts = [arrived.select(self.partition)]
        parts += [] if passed is None else [passed.select(self.partition)]
        return pl.concat(parts).unique()

    def _living(self, low: int, high: int, arrived: pl.DataFrame) -> pl.DataFrame:
        """The rows that stand at these times."""
        found = self.waiting.read([(low, high)]) if low <= high else None
        if found is None:
            return arrived.clear().drop("_version")
        found = completed(found, arrived)
        return newest_of(found, self.partition).filter(~pl.col(ORIGIN_GONE)).drop("_version")

    def _fold(self, ready: pl.DataFrame) -> pl.DataFrame:
        """Answers of rows that nothing will correct any more; those behind them go on from there."""
        answers = self._continued_by(ready)
        if ready.height:
            self._hold(self.continuing.kept(answers), answers.select(self.over).unique())
        return self._results(answers)

    def _ahead(self, young: pl.DataFrame) -> pl.DataFrame:
        """Answers of rows that may still be corrected; nothing is built on them."""
        return self._results(self._continued_by(young))

    def _continued_by(self, rows: pl.DataFrame) -> pl.DataFrame:
        ready = rows.with_columns(pl.col("_slot").alias("_cell"))
        wanted = ready.select(self.over).unique()
        held = self._held(wanted) if wanted.height else None
        return self.continuing.answered(ready, held, self.over, flush=True)

    def _results(self, answers: pl.DataFrame) -> pl.DataFrame:
        known = {*self.settings.results, *self.said.by, *self.shown, *((self.kind,) if self.kind else ())}
        columns = [name for name in answers.columns if name in known and name not in self.settings.results]
        rows = answers.filter("_new").with_columns(pl.col("_event_time").alias("_cell"))
        return rows.select(*columns, *self.continuing.results(answers))

    def _differing(self, answers: pl.DataFrame, touched: pl.DataFrame, times: tuple[int, int]) -> pl.DataFrame:
        """What goes out, and rows whose functions failed."""
        failed = answers.filter(pl.col(ERROR).is_not_null()) if ERROR in answers.columns else answers.clear()
        fine = answers.filter(pl.col(ERROR).is_null()).drop(ERROR) if ERROR in answers.columns else answers
        found = self.said.ledger.read([times]) if times[0] <= times[1] else None
        if found is not None:
            found = found.join(touched, on=self.partition, how="semi", nulls_equal=True)
        given = pl.col(self.kind) if self.kind else pl.lit(None, pl.String)
        now = fine.with_columns(pl.lit(value=False).alias("_final"), given.fill_null(CHANGE).alias("_emission"))
        news, gone = self.said.differing(now, self.said.of(found), self.shown, self.number)
        label = pl.when(pl.col("_revision") > 1).then(pl.lit(LATE)).otherwise(pl.col("_emission"))
        said = outgoing(news.with_columns(label.alias("_emission")), gone, self.shown)
        said = said.sort(POSITION, maintain_order=True)
        said = said if self.settings.keeps_previous else said.drop("_previous")
        return stacked([said, failed.drop(self.said.over)]) if failed.height else said

    def unanswered(self, failed: pl.DataFrame) -> int:
        """None yet: a row that fails may be right when the next correction has come, and is open until then."""
        return 0

    def kinds(self, said: pl.DataFrame) -> dict[str, int]:
        """By what they say of themselves."""
        return dict(said["_emission"].value_counts().iter_rows())
