"""What endpoints need: the control plane that they speak for, and the parts of lists that are asked for."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Request

from velostream.server.plane import Plane


async def _plane(request: Request) -> Plane:
    found: Plane = request.app.state.plane
    return found


Inside = Annotated[Plane, Depends(_plane)]
Limit = Annotated[int, Query(ge=1, le=1000, description="how many items at most")]
Offset = Annotated[int, Query(ge=0, le=1_000_000_000, description="how many items to leave out first")]
Patience = Annotated[float, Query(ge=0, le=300, description="seconds to wait until it has come about")]
EMPTY = ""
