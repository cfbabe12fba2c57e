"""What was kept of the jobs of an application, read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.errors import VeloError
from velostream.observability.history.base import Store, arrow
from velostream.observability.history.stores import NONE, POSTGRES, open_store, place_of
from velostream.observability.history.tables import TABLES, TIME, Table
from velostream.plan.job import ApplicationPlan

if TYPE_CHECKING:
    import pyarrow as pa


def kept(plan: ApplicationPlan, checkpoint: Path, folder: Path) -> dict[str, pa.Table]:
    """All tables of history by name, of all stores of the jobs; an error where nothing was kept."""
    import pyarrow as pa

    found = {table.name: [arrow(table, [])] for table in TABLES}
    any_there = False
    for store in _stores(plan, checkpoint, folder):
        any_there = True
        for table in TABLES:
            found[table.name].append(store.table(table, plan.name))
    if not any_there:
        message = f"nothing was kept of the jobs of '{plan.name}' under '{checkpoint}'"
        raise VeloError(message, hint="run the application first, or name its --checkpoint", code="table-not-ready")
    return {name: pa.concat_tables(parts) for name, parts in found.items()}


def moments(
    plan: ApplicationPlan, checkpoint: Path, folder: Path, wanted: Iterable[tuple[Table, float]]
) -> dict[str, list[dict[str, Any]]]:
    """Rows by table, each since a moment, oldest first; none where nothing was kept. Times are datetimes."""
    asked = list(wanted)
    found: dict[str, list[dict[str, Any]]] = {table.name: [] for table, _ in asked}
    for store in _stores(plan, checkpoint, folder):
        for table, since in asked:
            found[table.name] += [_named(table, row) for row in store.rows(table, plan.name, since)]
    for rows in found.values():
        rows.sort(key=lambda row: row["at"])
    return found


def _stores(plan: ApplicationPlan, checkpoint: Path, folder: Path) -> Iterator[Store]:
    """The stores of the jobs that are there, one after the other."""
    places = {place_of(job.settings, checkpoint, folder) for job in plan.jobs}
    for kind, place in sorted(places):
        if kind == POSTGRES or (kind != NONE and Path(place).exists()):
            with closing(open_store(kind, place)) as store:
                yield store


def _named(table: Table, row: tuple[Any, ...]) -> dict[str, Any]:
    return {
        name: datetime.fromtimestamp(value, UTC) if kind == TIME and value is not None else value
        for (name, kind), value in zip(table.columns, row, strict=True)
    }
