"""`velostream.connect`: one door, to this process or to a job server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import overload

from velostream.api.given import Sql
from velostream.api.local import Local, Options
from velostream.api.server import Server
from velostream.errors import VeloError


@overload
def connect(
    url: None = None,
    *,
    app: Sql = "",
    master: str = "local[*]",
    checkpoint: str = "",
    preset: str = "",
    settings: Mapping[str, str] | None = None,
    jars: Sequence[str] = (),
) -> Local: ...
@overload
def connect(url: str, *, token: str = "") -> Server: ...
def connect(
    url: str | None = None,
    *,
    app: Sql = "",
    master: str = "",
    checkpoint: str = "",
    preset: str = "",
    settings: Mapping[str, str] | None = None,
    jars: Sequence[str] = (),
    token: str = "",
) -> Local | Server:
    """Opens a connection: without an address in this process, else to the job server that is there.

    In this process, `app` is an application whose streams and tables can be asked; `master` says where Spark runs,
    `checkpoint` where the application keeps its state, `preset`, `settings` and `jars` are those of `velo run`. Spark
    starts with the first question that needs it. A server's token is `token`, else VELO_TOKEN, else that of the server
    of this folder.
    """
    own = {
        "app": app,
        "master": master,
        "checkpoint": checkpoint,
        "preset": preset,
        "settings": settings,
        "jars": jars,
    }
    if url is None:
        if token:
            raise _misplaced("token", "connect(url, token=…)")
        return Local(app, Options(master or "local[*]", checkpoint, preset, dict(settings or {}), tuple(jars)))
    misplaced = next((name for name, value in own.items() if value), "")
    if misplaced:
        raise _misplaced(misplaced, "connect() without an address")
    return Server.at(url, token)


def _misplaced(name: str, hint: str) -> VeloError:
    return VeloError(f"'{name}' says nothing to this kind of connection", hint=f"it is for {hint}", code="usage")
