"""Serving: a control plane behind a port, until it is told to end."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from velostream.server.plane import Plane


def serve(plane: Plane) -> None:
    """Answers requests until SIGINT or SIGTERM; drivers go on afterwards."""
    import uvicorn

    from velostream.server.api.app import create_app

    config = uvicorn.Config(
        create_app(plane),
        host=plane.settings.host,
        port=plane.settings.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    try:
        uvicorn.Server(config).run()
    finally:
        plane.close()
        sys.stdout.flush()
