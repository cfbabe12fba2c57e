"""Joins of streams whose rows are corrected and withdrawn, against a plain join of what each row says in the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from velostream.windows.correcting_join import CorrectingJoin
from velostream.windows.facts import Facts, progress_of
from velostream.windows.joining import JoinSettings
from velostream.windows.lateness import Lateness
from velostream.windows.store import MemoryStore
from velostream.windows.watermark import WatermarkSettings

SCHEMA = {
    "_side": pl.Int32,
    "k": pl.String,
    "l0": pl.Int64,
    "r0": pl.Int64,
    "_event_time": pl.Int64,
    "_source": pl.String,
    "_partition": pl.Int32,
    "_offset": pl.Int64,
    "_hash": pl.Int64,
    "_origin": pl.String,
    "_origin_revision": pl.Int64,
    "_origin_gone": pl.Boolean,
}


@dataclass(frozen=True)
class Row:
    """A row that is known by `origin`; one without is a record, which nothing corrects."""

    side: int
    key: str | None
    time: int
    value: int
    origin: str | None = None
    revision: int = 1
    gone: bool = False


def frame(rows: list[Row], first: int) -> pl.DataFrame:
    made = []
    for offset, row in enumerate(rows, start=first):
        values = (row.value, None) if row.side == 0 else (None, row.value)
        place = ("lr"[row.side], 0, offset, hash(row.key) % 7)
        made.append((row.side, row.key, *values, row.time, *place, row.origin, row.revision, row.gone))
    return pl.DataFrame(made, schema=SCHEMA, orient="row")


@dataclass
class Run:
    settings: JoinSettings
    store: MemoryStore = field(default_factory=MemoryStore)
    shown: dict[tuple[str | None, str | None], tuple[int, tuple[int | None, int | None] | None]] = field(
        default_factory=dict
    )
    """By the origins of a pair its revision, and what it says; None where it is withdrawn."""
    read: int = 0
    classes: dict[str, int] = field(default_factory=dict)

    def batch(self, rows: list[Row], **facts: Any) -> pl.DataFrame:
        given_rows = frame(rows, self.read)
        self.read += len(rows)
        told = Facts(tuple(progress_of(given_rows)), {"l": 1, "r": 1}, bounded=True, **facts)
        outcome = CorrectingJoin(self.settings, True, self.store).process(given_rows, told)
        for row in outcome.results.iter_rows(named=True):
            pair = row["_left"], row["_right"]
            revision, said = self.shown.get(pair, (0, None))
            if row["_emission"] == "retract":
                assert said == (row["l0"], row["r0"])
                assert (row["_revision"], row["_previous"]) == (revision, None)
                self.shown[pair] = revision, None
                continue
            assert row["_revision"] == revision + 1
            assert (row["_emission"] == "final") == (revision == 0)
            before = row["_previous"] and (row["_previous"]["l0"], row["_previous"]["r0"])
            assert before == said
            self.shown[pair] = row["_revision"], (row["l0"], row["r0"])
        for name in ("in_results", "unmatched"):
            self.classes[name] = self.classes.get(name, 0) + getattr(outcome.stats, name)
        lost = sum(outcome.stats.dead_lettered.values())
        self.classes["lost"] = self.classes.get("lost", 0) + lost
        assert sum(self.classes.values()) + outcome.stats.open == self.read
        return outcome.results

    @property
    def pairs(self) -> list[tuple[int | None, int | None]]:
        return sorted((said for _, said in self.shown.values() if said is not None), key=str)


def settings(kind: str = "INNER", lower: int = -5, upper: int = 5, delay: int = 1_000, late: int = 0) -> JoinSettings:
    keeps = (kind in ("LEFT", "FULL"), kind in ("RIGHT", "FULL"))
    watermark = WatermarkSettings(max_out_of_orderness=delay, idle_timeout=None)
    conditions = (("<", ("column", "l0"), ("column", "r0")),)
    return JoinSettings(("k",), (("l0",), ("r0",)), lower, upper, keeps, watermark, Lateness(late), conditions)


def expected(rows: list[Row], joined: JoinSettings) -> list[tuple[int | None, int | None]]:
    newest: dict[Any, Row] = {}
    for number, row in enumerate(rows):
        newest[(row.side, row.origin) if row.origin else number] = row
    stand = [row for row in newest.values() if not row.gone]
    left, right = ([row for row in stand if row.side == side] for side in (0, 1))
    met = [
        (one, other)
        for one in left
        for other in right
        if one.key is not None
        and one.key == other.key
        and joined.lower <= other.time - one.time <= joined.upper
        and one.value < other.value
    ]
    found: list[tuple[int | None, int | None]] = [(one.value, other.value) for one, other in met]
    if joined.keeps[0]:
        found += [(one.value, None) for one in left if all(one is not pair[0] for pair in met)]
    if joined.keeps[1]:
        found += [(None, one.value) for one in right if all(one is not pair[1] for pair in met)]
    return sorted(found, key=str)


ORIGINS = [None, *"uvwxyz"]
TOLD = st.tuples(
    st.integers(0, 1), st.sampled_from(ORIGINS), st.sampled_from(["a", "b", None]), st.integers(0, 30),
    st.integers(0, 5), st.integers(0, 5),
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> list[Row]:
    """Rows of which some come again with other values, or are withdrawn; the time and the key of an origin stay."""
    known: dict[tuple[int, str], Row] = {}
    rows = []
    for side, origin, key, time, value, chance in draw(st.lists(TOLD, max_size=16)):
        row = Row(side, key, time, value, origin)
        held = known.get((side, origin)) if origin else None
        if held is not None:
            gone = chance == 0 and not held.gone
            revision = held.revision if gone else held.revision + 1
            row = Row(side, held.key, held.time, held.value if gone else value, origin, revision, gone)
        if origin:
            known[side, origin] = row
        rows.append(row)
    return rows


KINDS = st.sampled_from(["INNER", "LEFT", "RIGHT", "FULL"])
SIZES = st.lists(st.integers(1, 5), min_size=1, max_size=6)


def taken(run: Run, rows: list[Row], sizes: list[int], flush_after: int = -1) -> None:
    rest, turn = list(rows), 0
    while rest:
        size = sizes[turn % len(sizes)]
        run.batch(rest[:size], flush=turn == flush_after)
        rest, turn = rest[size:], turn + 1


@given(histories(), KINDS, st.tuples(st.integers(-8, 8), st.integers(0, 10)), SIZES, st.integers(-1, 2))
def test_what_stands_is_the_join_of_the_newest_revisions(
    rows: list[Row], kind: str, bounds: tuple[int, int], sizes: list[int], flush_after: int
) -> None:
    run = Run(settings(kind, bounds[0], bounds[0] + bounds[1]))
    taken(run, rows, sizes, flush_after)
    run.batch([], flush=True)
    assert run.pairs == expected(rows, run.settings)


@given(histories(), KINDS, SIZES, st.integers(0, 8))
def test_while_corrections_come_in_time_nothing_that_was_forgotten_is_missed(
    rows: list[Row], kind: str, sizes: list[int], late: int
) -> None:
    """Rows in the order of time, but for corrections, which come as late as lateness lets them."""
    again = [row.revision > 1 or row.gone for row in rows]
    order = sorted(range(len(rows)), key=lambda n: (rows[n].time + late * again[n], n))
    rows = [rows[n] for n in order]
    run = Run(settings(kind, delay=0, late=8))
    taken(run, rows, sizes)
    assert run.classes.get("lost", 0) == 0
    for time in (100, 200):
        run.batch([Row(0, "z", time, 9), Row(1, "z", time, -9)])
    own = [(9, None), (None, -9)]
    assert [pair for pair in run.pairs if pair not in own] == expected(rows, run.settings)


def test_a_row_that_has_met_one_that_is_forgotten_before_it_is_not_alone() -> None:
    run = Run(settings("LEFT", delay=0, late=8))
    for row in (Row(1, "a", 0, 1), Row(0, "a", 1, 0), Row(0, "a", 14, 9), Row(1, "a", 14, 9)):
        run.batch([row])
    run.batch([Row(0, "z", 100, 9), Row(1, "z", 100, 9)])
    assert run.pairs == [(0, 1), (9, None)]


def test_a_correction_says_the_next_revision_and_a_pair_that_is_no_more_is_withdrawn() -> None:
    run = Run(settings("LEFT", delay=0, late=20))
    run.batch([Row(0, "a", 10, 1, "u"), Row(1, "a", 12, 3, "v"), Row(1, "a", 13, 2, "w")])
    said = run.batch([Row(0, "a", 10, 2, "u", 2)]).select("_emission", "_revision", "l0", "r0").rows()
    assert said == [("retract", 1, 1, 2), ("late", 2, 2, 3)]
    said = run.batch([Row(1, "a", 12, 3, "v", 1, gone=True)]).select("_emission", "_revision", "l0", "r0").rows()
    assert said == [("retract", 2, 2, 3)]
    said = run.batch([Row(0, "b", 60, 9), Row(1, "b", 60, 0)]).select("_emission", "_revision", "l0", "r0").rows()
    assert said == [("final", 1, 2, None)]
    assert run.classes == {"in_results": 4, "unmatched": 1, "lost": 0}


def test_state_goes_when_nothing_can_change_any_more() -> None:
    run = Run(settings("FULL", delay=0, late=3))
    for time in range(0, 3_000, 10):
        run.batch([Row(0, "a", time, 1, f"l{time}"), Row(1, "a", time, 2, f"r{time}")])
    assert len(run.store) < 60
    assert run.pairs == [(1, 2)] * 300
