"""What was kept of the jobs of an application, read back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.observability.history.base import arrow
from velostream.observability.history.stores import NONE, POSTGRES, open_store, place_of
from velostream.observability.history.tables import TABLES
from velostream.plan.job import ApplicationPlan

if TYPE_CHECKING:
    import pyarrow as pa


def kept(plan: ApplicationPlan, checkpoint: Path, folder: Path, *, must: bool = True) -> dict[str, pa.Table]:
    """The tables of history by name, of all stores of the jobs; an error where nothing was kept and `must` is set."""
    import pyarrow as pa
    import pyarrow.compute as pc

    places = {place_of(job.settings, checkpoint, folder) for job in plan.jobs}
    there = sorted(
        (kind, place) for kind, place in places if kind == POSTGRES or (kind != NONE and Path(place).exists())
    )
    if not there and must:
        message = f"nothing was kept of the jobs of '{plan.name}' under '{checkpoint}'"
        raise VeloError(message, hint="run the application first, or name its --checkpoint", code="table-not-ready")
    found = {table.name: [arrow(table, [])] for table in TABLES}
    for kind, place in there:
        store = open_store(kind, place)
        try:
            for table in TABLES:
                rows = store.table(table)
                found[table.name].append(rows.filter(pc.equal(rows["app"], plan.name)))
        finally:
            store.close()
    return {name: pa.concat_tables(parts) for name, parts in found.items()}
