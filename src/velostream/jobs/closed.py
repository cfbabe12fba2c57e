"""Closed windows that were put away, as they stand: of each its last row, unless that withdrew it. Without Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.cold import FILES, POSTGRES
from velostream.errors import VeloError
from velostream.jobs.cold import ColdPlace, place_of_job
from velostream.plan.cold import CLOSED_AT
from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes.base import EMISSION, REVISION, WINDOW_END, WINDOW_START
from velostream.postgres import speaking, type_of
from velostream.registry import did_you_mean
from velostream.windows.emission.base import RETRACT

if TYPE_CHECKING:
    import pyarrow as pa

_TRIES = 5
"""How often files are listed anew, where one was gone before it was read: a newer one has its rows."""
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


def closed(place: ColdPlace, wanted: Wanted | None = None) -> pa.Table:
    """Closed windows of a job in the order of their begin, with all columns of the tier."""
    wanted = wanted or Wanted()
    found = _files(place, wanted) if place.cold.backend == FILES else _rows(place, wanted)
    found = found.filter(_is_of(found, place.cold.keys, wanted.key)) if wanted.key else found
    return found.take(_standing(found, place, revisions=wanted.revisions))


def _standing(found: pa.Table, place: ColdPlace, *, revisions: bool) -> Any:
    """The places of the rows that stand. A newer run of the job over the same windows comes after an older one."""
    import polars as pl

    names = dict.fromkeys((*place.cold.identity, EMISSION, REVISION, CLOSED_AT))
    rows = pl.DataFrame(pl.from_arrow(found.select(list(names)))).with_row_index("_row")
    withdraws = pl.col(EMISSION) == RETRACT
    ordered = rows.sort(CLOSED_AT, REVISION, withdraws, maintain_order=True)
    if revisions:
        said = [*place.cold.identity, EMISSION, REVISION, CLOSED_AT]
        stands = ordered.unique(said, keep="last", maintain_order=True)
    else:
        stands = ordered.unique(list(place.cold.identity), keep="last", maintain_order=True).filter(~withdraws)
    shown = stands.sort(WINDOW_START, *place.cold.keys, maintain_order=True, nulls_last=True)
    return shown["_row"].to_arrow()


def _is_of(found: pa.Table, keys: Iterable[str], key: str) -> Any:
    import pyarrow as pa

    folded = key.casefold()
    parts = [["NULL" if one is None else str(one) for one in found[name].to_pylist()] for name in keys]
    rows = zip(*parts, strict=True) if parts else iter([()] * found.num_rows)
    found_by = (("|".join(row).casefold(), *(one.casefold() for one in row)) for row in rows)
    return pa.array([folded in names for names in found_by], pa.bool_())


def _files(place: ColdPlace, wanted: Wanted) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    kept = pc.field(CLOSED_AT) >= pa.scalar(place.oldest)
    if wanted.begin is not None:
        kept &= pc.field(WINDOW_START) >= pa.scalar(wanted.begin)
    if wanted.end is not None:
        kept &= pc.field(WINDOW_START) < pa.scalar(wanted.end)
    for left in reversed(range(_TRIES)):
        try:
            files = sorted(place.folder.glob("part-*.parquet"))
            read = [pq.read_table(file, partitioning=None, filters=kept) for file in files]
            return _alike(read, place)
        except FileNotFoundError:
            if not left:
                raise
    raise AssertionError("unreachable")


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


def _rows(place: ColdPlace, wanted: Wanted) -> pa.Table:
    import pyarrow as pa
    from psycopg import sql

    server, names = place.server, [name for name, _ in place.cold.whole]
    picked = [
        sql.SQL("{}::text" if type_of(kind) == NESTED else "{}").format(sql.Identifier(name))
        for name, kind in place.cold.whole
    ]
    bounds = {">=": wanted.begin, "<": wanted.end}
    where = [sql.SQL("{} >= %s").format(sql.Identifier(CLOSED_AT))]
    where += [sql.SQL("{} " + sign + " %s").format(sql.Identifier(WINDOW_START)) for sign, at in bounds.items() if at]
    given = [place.oldest, *(at for at in bounds.values() if at)]
    with speaking(server, place.name), server.connect(autocommit=True) as connection:
        [there] = connection.execute("SELECT to_regclass(%s)", (place.table,)).fetchone() or (None,)
        if there is None:
            return _alike([], place)
        text = sql.SQL("SELECT {} FROM {} WHERE {}")
        listed, name = sql.SQL(", ").join(picked), sql.Identifier(place.table)
        found = connection.execute(text.format(listed, name, sql.SQL(" AND ").join(where)), given).fetchall()
    if not found:
        return _alike([], place)
    return pa.table(
        {name: pa.array(list(values)) for name, values in zip(names, zip(*found, strict=True), strict=True)}
    )


def asked(plan: ApplicationPlan, name: str, folder: Path, wanted: Wanted) -> pa.Table:
    """Closed windows of a job of an application as people are shown them: keys and bounds first."""
    job = next((job for job in plan.jobs if job.name.casefold() == name.casefold()), None)
    if job is None:
        hint = did_you_mean(name, [job.name for job in plan.jobs], "jobs")
        raise VeloError(f"there is no job '{name}'", hint=hint, code="usage")
    place = place_of_job(job, plan, folder)
    if place is None:
        hint = "set 'state.cold.backend' = 'files' and 'state.cold.location' = 'closed' for a job with windows"
        raise VeloError(f"job '{job.name}' puts no closed windows away", hint=hint, code="usage")
    found = closed(place, wanted)
    first = (*place.cold.keys, WINDOW_START, WINDOW_END)
    names = (*first, *(name for name in found.column_names if name not in first))
    return _parsed(found, place).select(list(names))


def _parsed(found: pa.Table, place: ColdPlace) -> pa.Table:
    """What a database keeps as JSON text, as data again."""
    import pyarrow as pa

    for number, (name, kind) in enumerate(place.cold.whole):
        if place.cold.backend == POSTGRES and type_of(kind) == NESTED:
            values = [None if one is None else json.loads(one) for one in found[name].to_pylist()]
            with suppress(pa.ArrowInvalid):  # maps of several kinds of values stay text
                found = found.set_column(number, name, pa.array(values))
    return found
