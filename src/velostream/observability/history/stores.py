"""Which store a job's settings mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from velostream.config.secrets import masked
from velostream.errors import VeloError
from velostream.observability.history.base import Store

NONE, SQLITE, POSTGRES, PARQUET = "none", "sqlite", "postgresql", "parquet"


def place_of(settings: Any, checkpoint: Path, folder: Path) -> tuple[str, str]:
    """The kind of store, and its file, folder or address; relative paths start at the SQL file."""
    kind = NONE if settings is None else settings.text("history.store")
    if kind == POSTGRES:
        url = settings.get("history.url")
        if not url:
            message = "history.store = postgresql needs an address"
            raise VeloError(message, hint="set history.url", code="missing-property")
        return kind, str(url)
    own = None if settings is None else settings.get("history.path")
    default = checkpoint / ("history.sqlite" if kind == SQLITE else "history")
    return kind, str((folder / str(own)) if own else default)


def open_store(kind: str, place: str) -> Store:
    """The store of that kind at that place; one that cannot be opened is refused with the reason."""
    try:
        return _opened(kind, place)
    except Exception as error:  # three libraries, each with errors of its own
        reason = str(error).strip().split("\n", 1)[0]
        message = masked("url", f"history at '{place}' cannot be opened: {reason}")
        hint = "see that it is there, or set history.store, history.url or history.path"
        raise VeloError(message, hint=hint, code="database-unreachable") from error


def _opened(kind: str, place: str) -> Store:
    if kind == SQLITE:
        from velostream.observability.history.sqlite import SqliteStore

        return SqliteStore(Path(place))
    if kind == POSTGRES:
        from velostream.observability.history.postgres import PostgresStore

        return PostgresStore(place)
    from velostream.observability.history.parquet import ParquetStore

    return ParquetStore(Path(place))
