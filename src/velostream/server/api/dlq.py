"""`/api/v1/dlq`: dead letters, and processing them once more."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from velostream.server.api.inside import Inside, Limit, Offset
from velostream.server.api.problems import documented
from velostream.server.letters import letters, replay
from velostream.server.models.asking import Letters, ReplayAnswer, ReplayRequest

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
    from velostream.jobs.letters import Wanted

    wanted = Wanted(reason=reason, source=source, text=text)
    return letters(plane.control, wanted, limit, offset, app=app, job=job)


@ROUTES.post("/replay")
def replayed(asked: ReplayRequest, plane: Inside) -> ReplayAnswer:
    """Sends the records of letters through their job once more. They move no watermark, and are counted as replayed;
    a letter is replayed once."""
    return replay(plane.control, asked)
