"""Tables: their rows in versions on disk, how they are loaded and refreshed, and which version a micro-batch sees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["read"]


def read(checkpoint: Path | str, name: str) -> pa.Table:
    """The rows of a table of the application whose checkpoint this is: those of its newest complete version."""
    from velostream.errors import VeloError
    from velostream.tables.newest import TIME
    from velostream.tables.store import TableStore

    version = TableStore(Path(checkpoint), name).newest()
    if version is None:
        message = f"table '{name}' has no rows under '{checkpoint}'"
        raise VeloError(message, hint="run the application first", code="table-not-ready")
    return version.read().drop_columns(TIME)
