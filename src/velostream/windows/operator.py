"""The window operator: the one place that acts. Everything else answers with a value.

A micro-batch goes one way: refuse what has no honest time, judge lateness against the watermark as it was, fold what is
accepted into fragments, advance the watermark, ask the groups that may speak, store, let go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from velostream.windows.accumulators.base import ERROR, POSITION
from velostream.windows.admission import Admission, Admitted
from velostream.windows.assigners.aligned import Aligned
from velostream.windows.beyond import Beyond
from velostream.windows.clock import Clock
from velostream.windows.combining import unfolded
from velostream.windows.contents import Contents, Contributed, Folded
from velostream.windows.dedup import Dedup
from velostream.windows.emission import Changes
from velostream.windows.emission.base import FINAL, LATE, RETRACT
from velostream.windows.facts import Facts
from velostream.windows.failed import all_failed, have_failed, lose, of_fragments, told
from velostream.windows.fill import Filler
from velostream.windows.firings import Firings
from velostream.windows.keyed import Keyed
from velostream.windows.lateness import LateStrategy
from velostream.windows.moment import Ask, Batch, Moment
from velostream.windows.outcome import Outcome, no_letters
from velostream.windows.panes import Panes
from velostream.windows.previous import Previous
from velostream.windows.root import read_root, unlike, write_root
from velostream.windows.running import running
from velostream.windows.settings import EVENT_COUNT, OperatorSettings
from velostream.windows.speaker import WINDOW, Speaker
from velostream.windows.state import Ledger, stacked
from velostream.windows.statistics import Stats
from velostream.windows.store import Store
from velostream.windows.turns import dated, turns
from velostream.windows.watermark import Watermark

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

LABELS = ("_touched", "_critical")


class Operator:
    """Windows over micro-batches. All that it remembers is in the store, so any worker can take the next batch.

    Rows have the keys, the arguments of the aggregates, and `_event_time`, `_source`, `_partition`, `_offset`; `_hash`,
    a hash of the keys, spreads groups without bounds on the clock over cells.
    """

    def __init__(self, settings: OperatorSettings, store: Store) -> None:
        self.settings = settings
        self.store = store
        saved = read_root(store, settings.made)
        self.number: int = saved.get("number", 0)
        self.open: int = saved.get("open", 0)
        self.types: dict[str, str] = saved.get("types", {})
        self.watermark = Watermark(settings.watermark, saved.get("watermark"))
        self.keys = list(settings.keys)
        self.window = settings.assigner
        contents: Contents = (Contributed if settings.replaces else Folded)(settings.aggregation)
        self.contents = contents
        self.firings = Firings(self.keys, keyed=self.window.keyed, store=store, snapshot=saved.get("fired"))
        shelf = saved.get("shelf", {})
        self.shelf: Panes | Keyed
        if self.window.keyed:
            self.shelf = Keyed(self.window, settings, contents, store, shelf)
        else:
            self.shelf = Panes(self.window, settings, contents, self.firings, store, shelf)  # type: ignore[arg-type]
        self.speaker = Speaker(settings, self.firings)
        self.clock = Clock(store, saved.get("clock"))
        self.dedup = None if settings.dedup is None else Dedup(settings.dedup, store, saved.get("dedup"))
        self.previous: Previous | None = None
        if settings.lateness.strategy is LateStrategy.UPDATE_PREVIOUS:
            self.previous = Previous(settings, self._group, store, saved.get("previous", {}))
        self.filler: Filler | None = None
        if settings.fill is not None and isinstance(self.window, Aligned):
            self.filler = Filler(settings.fill, self.window, settings, store, saved.get("fill"))
        self.beyond = Beyond(settings, self.shelf, self.speaker, self._group)
        self.admission = Admission(settings, self.shelf, self.dedup, self.previous)

    def process(self, rows: pl.DataFrame, facts: Facts, folded: pl.DataFrame | None = None) -> Outcome:
        """Take a micro-batch, and answer with everything that it brings about.

        `folded` are records that were combined before (`combining.combined`), none of them late.
        """
        self._check_keys(rows)
        stats = Stats(read=rows.height, open=self.open)
        before = self.watermark.value
        if before is not None:  # what the last batch let go, whichever operator that had
            self.firings.horizon = before - self.settings.lateness.allowed
        if self.previous is not None:
            self.previous.forget(before)
        only_folded = rows.is_empty() and folded is not None and not folded.is_empty()
        if only_folded:
            admitted = Admitted(rows, rows, rows, [])
        else:
            admitted = self.admission.admit(rows, Moment(before, before, facts.now, self.number), stats)
        after = self.watermark.advance(facts)
        said: list[pl.DataFrame] = []
        if admitted.updates.height and self.previous is not None:
            self.number += 1
            moment = Moment(before, before, facts.now, self.number)
            said.append(self.beyond.update(self.previous, admitted.updates, moment, stats))
        each = self.settings.emission.by_record and (self.settings.replaces or self.window.moves)
        parts = turns(admitted.accepted, self.keys) if each else [admitted.accepted]
        for part in parts:
            self.number += 1
            last = part is parts[-1]
            moment = Moment(
                before, after if last else before, facts.now, self.number, facts.flush and last, facts.clocked
            )
            step = self._step(part, folded if last else None, moment, stats)
            said.append(step if len(parts) == 1 else dated(step, part, self.keys))
        if len(parts) > 1:
            said = [stacked(said).sort(POSITION, maintain_order=True).drop(POSITION)]
        if admitted.reopening.height:
            said.append(self.beyond.reopen(admitted.reopening, moment, stats))
        stats.state_bytes_before_clearing = sum(ledger.bytes for ledger in self._ledgers)
        if after is not None:
            horizon = after - self.settings.lateness.allowed
            if isinstance(self.shelf, Keyed) and self.shelf.outlived is not None:
                self.firings.bury(self.shelf.outlived, self.number, horizon)
            self.firings.forget(horizon)
        stats.partitions = self.watermark.report(facts.now)
        stats.holding = self.watermark.holders()
        return self._outcome(said, admitted.letters or [no_letters(rows)], moment, stats)

    def _check_keys(self, rows: pl.DataFrame) -> None:
        """Keys of another type are other keys: their state would not be found."""
        types = {key: str(rows.schema[key]) for key in self.keys}
        for key, before in self.types.items():
            if types[key] != before:
                raise unlike(f"key '{self.settings.meanings.get(key, key)}'", before, types[key])
        self.types = types

    @property
    def _ledgers(self) -> tuple[Ledger, ...]:
        more = [*self.previous.ledgers] if self.previous is not None else []
        more += [extra.ledger for extra in (self.dedup, self.filler) if extra is not None]
        return (*self.shelf.ledgers, self.firings.ledger, self.clock.ledger, *more)

    def _step(self, rows: pl.DataFrame, folded: pl.DataFrame | None, moment: Moment, stats: Stats) -> pl.DataFrame:
        emission = self.settings.emission
        joins = not (self.settings.replaces and self.window.moves)
        changes = isinstance(emission.mode, Changes)
        at_once = changes or self.settings.replaces
        early = None if folded is None or folded.is_empty() else self._taken(folded, moment, stats, at_once=changes)
        placed = rows
        if rows.is_empty() and early is not None:
            delta = early
        else:
            placed = self.window.place(rows, self.keys) if joins else rows
            delta = self.shelf.absorb(placed, moment, stats, at_once=at_once)
            delta = delta if early is None else stacked([delta, early])
        if emission.condition is not None:
            delta = self._marked(delta, placed, emission.condition)
        stats.records_added += rows.height
        ask = Ask(
            eager=emission.needs_values or emission.interval is not None,
            at_close=not changes,
            spoken=self.firings.ledger,
            timers=self.clock.ringing(moment),
        )
        asked = self.shelf.gather(delta, moment, ask)
        said, lost = self._nothing(rows), 0
        if asked is not None and asked.height:
            if emission.by_record and not self.settings.replaces and not self.window.moves:
                said, lost = self._each(placed, asked, moment)
            else:
                said = self._ask(asked, moment, stats)
                lost = self._lost(asked, said, moment, at_once=at_once) if have_failed(said) else 0
        final = said.filter(pl.col("_emission").is_in([FINAL, LATE]))
        spoken = said.filter(pl.col("_emission") != RETRACT)
        self.shelf.keep(Batch(delta, asked, spoken, final), moment, stats)
        lose(stats, lost)
        return said

    def _lost(self, asked: pl.DataFrame, said: pl.DataFrame, moment: Moment, *, at_once: bool) -> int:
        """Records that no row says since their groups failed; rows that replace others are no records."""
        if self.settings.replaces:
            return 0
        number = self.settings.aggregation.value(EVENT_COUNT)
        counted = asked.with_columns(self.shelf.counted(number, moment, at_once=at_once).alias("_counted"))
        return of_fragments(counted, said, self.shelf.by, self.firings.identity)

    def _taken(self, folded: pl.DataFrame, moment: Moment, stats: Stats, *, at_once: bool) -> pl.DataFrame:
        """Fragments that were combined before they came."""
        fragments = unfolded(self.settings, folded, moment)
        records = int(fragments["_records"].sum())
        stats.read += records
        stats.records_added += records
        return self.shelf.take(fragments, moment, stats, at_once=at_once)

    def _marked(self, delta: pl.DataFrame, placed: pl.DataFrame, condition: str) -> pl.DataFrame:
        """Fragments with `_critical`: one of their records met the condition."""
        critical = placed.filter(pl.col(condition)).select(self.shelf.by).unique()
        flagged = critical.with_columns(pl.lit(value=True).alias("_critical"))
        joined = delta.join(flagged, on=self.shelf.by, how="left", nulls_equal=True)
        return joined.with_columns(pl.col("_critical").fill_null(value=False))

    @property
    def _group(self) -> list[str]:
        """What tells the groups of an asked frame apart: the key, its cell, and all that the window is."""
        if not self.window.keyed:
            return [*self.keys, *WINDOW, "_closes_at"]
        return ["_cell", *self.keys, *WINDOW, "_closes_at", *(["closed_by"] if self.window.moves else [])]

    def _ask(self, asked: pl.DataFrame, moment: Moment, stats: Stats) -> pl.DataFrame:
        """Rows of the groups that are due, and withdrawals of rows that have ceased to exist."""
        group = self._group
        critical = pl.col("_critical") if "_critical" in asked.columns else pl.lit(value=False)
        asked = asked.with_columns((pl.col("_touched") & critical).fill_null(value=False).alias("_critical"))
        if self.previous is not None:
            asked = self.previous.with_extras(asked)
        states = self.contents.settle(asked, group, LABELS)
        values = self.shelf.celled(self.settings.aggregation.finish(states))
        known = (
            self.shelf.celled(asked.select(group).unique()) if self.window.moves or self.settings.replaces else values
        )
        remembered = self.firings.read(known)
        speech = self.speaker.speak(
            values.filter((pl.col(EVENT_COUNT) > 0) | pl.col(ERROR).is_not_null()), remembered, moment
        )
        if speech.waiting is not None:
            self.clock.wait(speech.waiting)
        finals = int((speech.rows["_emission"] == FINAL).sum())
        size = states.estimated_size() // max(states.height, 1)
        stats.window_size_bytes.add(pl.Series([int(size)], dtype=pl.Int64).new_from_index(0, finals))
        if self.previous is not None:
            self.previous.remember(states, speech.rows.filter(pl.col("_emission").is_in([FINAL, LATE])))
        withdrawn = self._vanished(values, known, remembered)
        if withdrawn is None or withdrawn.is_empty():
            return speech.rows
        return stacked([self.speaker.withdraw(withdrawn, moment), speech.rows])

    def _vanished(
        self, values: pl.DataFrame, known: pl.DataFrame, remembered: pl.DataFrame | None
    ) -> pl.DataFrame | None:
        """Rows that went out for groups, among those asked, that are no more."""
        if remembered is None or not (self.window.moves or self.settings.replaces):
            return None
        live = remembered.filter(~pl.col("_gone") & (pl.col("_revision") > 0))
        identity = self.firings.identity
        near = self.keys if self.window.moves else identity
        if near:
            live = live.join(known.select(near).unique(), on=near, how="semi", nulls_equal=True)
        return live.join(values.select(identity), on=identity, how="anti", nulls_equal=True)

    def _each(self, placed: pl.DataFrame, asked: pl.DataFrame, moment: Moment) -> tuple[pl.DataFrame, int]:
        """A row for every record and window: running values on top of what was there before. And how many records are
        in none, since theirs failed."""
        aggregation, group = self.settings.aggregation, self._group
        ordered = placed.sort(POSITION).with_row_index("_row").with_columns(pl.col("_row").cast(pl.Int64))
        bounds = ordered.select("_row", *self.shelf.by)
        steps = self.window.windows(bounds, self.keys).join(aggregation.fold(ordered, ["_row"]), on="_row", how="left")
        horizon = moment.closed_by(self.settings.lateness.allowed)
        if horizon is not None:
            steps = steps.filter((pl.col("_closes_at") > horizon).fill_null(value=True))
        old = asked.filter(~pl.col("_touched"))
        columns = [*group, "_row", *aggregation.state]
        parts = [steps.select(columns)]
        if old.height:
            base = self.contents.settle(old, group).with_columns(pl.lit(-1, pl.Int64).alias("_row"))
            parts.insert(0, base.select(columns))
        states = running(aggregation, pl.concat(parts), group, "_row").filter(pl.col("_row") >= 0)
        values = self.shelf.celled(aggregation.finish(states).sort("_row", "_window_end", maintain_order=True))
        flags = (pl.lit(value=True).alias("_touched"), pl.lit(value=False).alias("_critical"))
        values = values.with_columns(*flags)
        lost = all_failed(values, "_row") if have_failed(values) else 0
        return self.speaker.speak_each(values, self.firings.read(values), moment).rows, lost

    def _nothing(self, rows: pl.DataFrame) -> pl.DataFrame:
        keys = {name: rows.schema[name] for name in self.keys}
        times = dict.fromkeys((*WINDOW, "_revision", "_watermark"), pl.Int64())
        return pl.DataFrame(schema={**keys, **self.settings.aggregation.finished, **times, "_emission": pl.String()})

    def _outcome(self, said: list[pl.DataFrame], lost: list[pl.DataFrame], moment: Moment, stats: Stats) -> Outcome:
        rows = stacked(said)
        meant = self.settings.meanings
        keys = {key: meant.get(key, key) for key in self.keys}
        arguments = {name: meant[name] for name in self.settings.aggregation.arguments if name in meant}
        failed = told(rows.filter(pl.col(ERROR).is_not_null()), keys, arguments)
        results = rows.filter(pl.col(ERROR).is_null()).drop(ERROR)
        stats.records_in_late_firing += int(results.filter(pl.col("_emission") == LATE)[EVENT_COUNT].sum())
        stats.window_event_count.add(results.filter(pl.col("_emission") == FINAL)[EVENT_COUNT])
        stats.failed_groups += failed.height
        stats.show(results, keys)
        if self.filler is not None:
            results = self.filler.filled(results, moment)
        stats.emitted.update(dict(results["_emission"].value_counts().iter_rows()))
        stats.watermark = moment.after
        self.open = stats.open
        for ledger in self._ledgers:
            ledger.tidy()
        stats.weigh(self._ledgers, self.store.cached)
        self._save()
        return Outcome(results, stacked(lost), failed, stats, self.clock.next)

    def _save(self) -> None:
        root = {
            "number": self.number,
            "open": self.open,
            "types": self.types,
            "watermark": self.watermark.snapshot(),
            "shelf": self.shelf.snapshot(),
            "fired": self.firings.ledger.snapshot(),
            "clock": self.clock.ledger.snapshot(),
            "fill": self.filler.ledger.snapshot() if self.filler is not None else None,
            "dedup": self.dedup.ledger.snapshot() if self.dedup is not None else None,
            "previous": self.previous.snapshot() if self.previous is not None else {},
        }
        write_root(self.store, self.settings.made, root)
