"""Serving: a control plane behind a port, until it is told to end."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING

from velostream.errors import VeloError

if TYPE_CHECKING:
    from velostream.server.plane import Plane


def listening(host: str, port: int) -> socket.socket:
    """The port, taken before anything is started that would have to be ended again."""
    taken = None
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        taken = socket.socket(family, kind, protocol)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(place)
        taken.listen(1024)
    except OSError as error:
        if taken is not None:
            taken.close()
        hint = "see whether another server runs, or choose another --port or --host"
        message = f"the server cannot listen at '{address(host, port)}': {error.strerror or error}"
        raise VeloError(message, hint=hint, code="address-unusable") from None
    return taken


def address(host: str, port: int) -> str:
    """Where a server is reached from this machine."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"


def serve(plane: Plane, port: socket.socket) -> None:
    """Answers requests until SIGINT or SIGTERM; drivers go on afterwards."""
    import uvicorn

    from velostream.server.api.app import create_app

    config = uvicorn.Config(
        create_app(plane),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    try:
        uvicorn.Server(config).run(sockets=[port])
    finally:
        plane.close()
        sys.stdout.flush()
