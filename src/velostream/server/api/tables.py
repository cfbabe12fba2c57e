"""`/api/v1/tables`: the tables of all applications, and rows of them by key."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from velostream.server.api.health import App, table_of
from velostream.server.api.inside import Inside, Limit, Offset
from velostream.server.api.problems import documented
from velostream.server.lookup import row_of
from velostream.server.models.base import Page, page
from velostream.server.models.tables import Row, TableView

ROUTES = APIRouter(prefix="/api/v1/tables", tags=["tables"], responses=documented(404, 409))


@ROUTES.get("")
def tables(
    plane: Inside, app: Annotated[str, Query(max_length=100)] = "", limit: Limit = 100, offset: Offset = 0
) -> Page[TableView]:
    """All tables."""
    found = [each for each in plane.progress.tables() if not app or each.app.casefold() == app.casefold()]
    return page(sorted(found, key=lambda each: (each.app, each.name)), offset, limit)


@ROUTES.get("/{name}/rows/{key:path}", responses=documented(404, 409, 503))
def row(name: str, key: str, plane: Inside, app: App = "") -> Row:
    """The row of a key, from the newest complete version. The parts of a compound key are joined with `|`."""
    table = table_of(plane, name, app)
    return row_of(plane.control, table.app, table.name, key)
