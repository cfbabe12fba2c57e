"""Closed windows that were put away, as they stand: of each its last row, unless that withdrew it. Without Spark."""

from __future__ import annotations

import json
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.config.cold import POSTGRES
from velostream.errors import VeloError
from velostream.jobs.closed_rows import NESTED, Wanted, found
from velostream.jobs.cold import ColdPlace, place_of_job
from velostream.plan.cold import CLOSED_AT
from velostream.plan.job import ApplicationPlan
from velostream.plan.nodes.base import EMISSION, REVISION, WINDOW_END, WINDOW_START
from velostream.postgres import type_of
from velostream.registry import did_you_mean
from velostream.typed_rows import arrow_type, meant
from velostream.types import parse
from velostream.windows.emission.base import RETRACT

if TYPE_CHECKING:
    import pyarrow as pa


def closed(place: ColdPlace, wanted: Wanted | None = None) -> pa.Table:
    """Closed windows of a job in the order of their begin, with all columns of the tier."""
    wanted = wanted or Wanted()
    rows, _ = found(place, wanted)
    return rows.take(_standing(rows, place, revisions=wanted.revisions))


def _standing(rows: pa.Table, place: ColdPlace, *, revisions: bool) -> Any:
    """The places of the rows that stand. A newer run of the job over the same windows comes after an older one."""
    import polars as pl

    names = dict.fromkeys((*place.cold.identity, EMISSION, REVISION, CLOSED_AT))
    frame = pl.DataFrame(pl.from_arrow(rows.select(list(names)))).with_row_index("_row")
    withdraws = pl.col(EMISSION) == RETRACT
    ordered = frame.sort(CLOSED_AT, REVISION, withdraws, maintain_order=True)
    if revisions:
        said = [*place.cold.identity, EMISSION, REVISION, CLOSED_AT]
        stands = ordered.unique(said, keep="last", maintain_order=True)
    else:
        stands = ordered.unique(list(place.cold.identity), keep="last", maintain_order=True).filter(~withdraws)
    shown = stands.sort(WINDOW_START, *place.cold.keys, maintain_order=True, nulls_last=True)
    return shown["_row"].to_arrow()


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
    return parsed(closed(place, wanted), place).select(columns(place))


def columns(place: ColdPlace) -> list[str]:
    """The columns of the tier as people are shown them: keys and bounds first."""
    first = (*place.cold.keys, WINDOW_START, WINDOW_END)
    return [*first, *(name for name, _ in place.cold.whole if name not in first)]


def parsed(rows: pa.Table, place: ColdPlace) -> pa.Table:
    """What a database keeps as JSON text, as data again, of the types that it had."""
    import pyarrow as pa

    for number, (name, kind) in enumerate(place.cold.whole):
        if place.cold.backend == POSTGRES and type_of(kind) == NESTED:
            whole = parse(kind)
            values = [None if one is None else json.loads(one, parse_float=Decimal) for one in rows[name].to_pylist()]
            with suppress(ValueError, TypeError):  # what is not of its type now stays text
                typed = pa.array([meant(one, whole) for one in values], arrow_type(whole))
                rows = rows.set_column(number, name, typed)
    return rows
