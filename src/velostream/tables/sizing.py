"""How large tables are: as they were loaded last, else as the files are that they come from."""

from __future__ import annotations

from pathlib import Path

from velostream.plan.job import ApplicationPlan, LoadedTable
from velostream.sources.file import FILE_SOURCE, matching
from velostream.tables.store import TableStore


def sizes_of(plan: ApplicationPlan, checkpoint: Path, folder: Path) -> dict[str, int]:
    """The bytes of each table of an application, where these are known; relative paths start from `folder`."""
    found = {table.name: _of_files(table, folder) for table in plan.tables}
    found |= dict.fromkeys(plan.makers)
    for name in found:
        version = TableStore(checkpoint, name).newest()
        found[name] = found[name] if version is None else version.size
    return {name: size for name, size in found.items() if size is not None}


def _of_files(table: LoadedTable, folder: Path) -> int | None:
    if table.connector != FILE_SOURCE.name:
        return None
    files = matching(table.settings.text("path"), folder)
    return sum(file.stat().st_size for file in files) if files else None
