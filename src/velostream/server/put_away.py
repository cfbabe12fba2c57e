"""The closed windows that a job of the server has put away (`state.cold.*`), as its REST interface shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from velostream.jobs.closed import columns, parsed
from velostream.jobs.closed_rows import Wanted, found
from velostream.jobs.cold import ColdPlace, place_of_job
from velostream.plan.cold import CLOSED_AT
from velostream.plan.nodes.base import EMISSION, REVISION, WINDOW_END, WINDOW_START
from velostream.server.control import Control, Meant
from velostream.server.models.jobs import Emission, WindowView
from velostream.typed_rows import said
from velostream.windows.emission.base import RETRACT

if TYPE_CHECKING:
    import pyarrow as pa

Place = tuple[str, int | None, int | None]
"""A window: its key as text, and its bounds in microseconds."""


@dataclass(frozen=True)
class PutAway:
    """Closed windows, the types of their columns, and since when they begin, where older ones were not looked at."""

    windows: Mapping[Place, Sequence[int]] = field(default_factory=dict)
    """Of each the numbers of its rows, in the order in which they were said."""
    types: Mapping[str, str] = field(default_factory=dict)
    since: datetime | None = None
    rows: pa.Table | None = None

    def last_said(self, place: Place) -> str:
        """When something was said of a window last."""
        assert self.rows is not None, "windows have rows"
        return str(said(self.rows[CLOSED_AT][self.windows[place][-1]].as_py()))

    def view(self, place: Place) -> WindowView:
        """A window with all that was said of it, and its values as they stand."""
        assert self.rows is not None, "windows have rows"
        rows = self.rows.take(list(self.windows[place])).to_pylist()
        last = rows[-1]
        stands = last[EMISSION] != RETRACT
        return WindowView(
            key=place[0],
            window_start=said(last[WINDOW_START]),
            window_end=said(last[WINDOW_END]),
            emissions=[
                Emission(emission=row[EMISSION], revision=row[REVISION], at=said(row[CLOSED_AT]), batch=None)
                for row in rows
            ],
            values={name: said(last[name]) for name in self.types} if stands else None,
        )


def put_away(control: Control, meant: Meant, wanted: Wanted, most: int) -> PutAway:
    """The windows that are wanted, whether the job runs or not; none where it puts none away."""
    plan = control.plan_of(meant.deployment).plan
    job = plan.job(meant.job)
    place = None if job is None else place_of_job(job, plan, control.folders.files)
    return PutAway() if place is None else _read(place, replace(wanted, most=most))


def _read(place: ColdPlace, wanted: Wanted) -> PutAway:
    """Without polars: a control plane is small."""
    import pyarrow as pa

    rows, oldest = found(place, wanted)
    bounds = [rows[name].cast(pa.int64()).to_pylist() for name in (WINDOW_START, WINDOW_END)]
    keys: list[list[Any]] = [rows[name].to_pylist() for name in place.cold.keys]
    parts = zip(*keys, strict=True) if keys else iter([()] * rows.num_rows)
    said_when = list(zip(*(rows[name].to_pylist() for name in (CLOSED_AT, REVISION, EMISSION)), strict=True))
    windows: dict[Place, dict[tuple[Any, ...], int]] = {}
    for number, (each, start, end) in enumerate(zip(parts, *bounds, strict=True)):
        key = "|".join("NULL" if part is None else str(part) for part in each)
        windows.setdefault((key, start, end), {})[said_when[number]] = number
    order = {place: [held[said] for said in sorted(held, key=_order)] for place, held in windows.items()}
    kinds = dict(place.cold.whole)
    return PutAway(order, {name: kinds[name] for name in columns(place)}, oldest, parsed(rows, place))


def _order(said_when: tuple[Any, ...]) -> tuple[Any, ...]:
    """As it was said; a withdrawal comes after the row that it withdraws."""
    closed_at, revision, emission = said_when
    return closed_at, revision or 0, emission == RETRACT
