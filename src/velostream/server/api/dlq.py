"""`/api/v1/dlq`: dead letters, and processing them once more."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from velostream.server.api.inside import Inside, Limit, Offset
from velostream.server.api.problems import documented
from velostream.server.letters import Wanted, letters
from velostream.server.models.asking import Letters

ROUTES = APIRouter(prefix="/api/v1/dlq", tags=["dead letters"], responses=documented(404, 409))
Word = Annotated[str, Query(max_length=200)]


@ROUTES.get("")
def listed(
    plane: Inside,
    app: Word = "",
    job: Word = "",
    reason: Word = "",
    source: Word = "",
    text: Word = "",
    limit: Limit = 100,
    offset: Offset = 0,
) -> Letters:
    """Dead letters, newest first; `text` is looked for in record and error."""
    return letters(plane.control, Wanted(app, job, reason, source, text), limit, offset)
