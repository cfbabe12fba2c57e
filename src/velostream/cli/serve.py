"""`velo serve`: the job server."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from velostream.durations import SECOND, parse
from velostream.errors import VeloError
from velostream.sizes import parse as parse_size


@click.command("serve", short_help="Run the job server.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8700, show_default=True, type=click.IntRange(1, 65535), help="The port to listen on.")
@click.option("--data", default=".velo/server", show_default=True, metavar="DIR", help="Where everything is kept.")
@click.option("--master", default="local[2]", show_default=True, metavar="URL", help="Where the drivers' Spark runs.")
@click.option("--registry", default="", metavar="URL", help="postgresql://…, instead of SQLite in the data folder.")
@click.option("--driver-memory", default="512m", show_default=True, metavar="SIZE", help="Memory of a local driver.")
@click.option("--spark", multiple=True, metavar="KEY=VALUE", help="A setting of the drivers' Spark; may be repeated.")
@click.option("--restarts", default=5, show_default=True, type=click.IntRange(0), help="Tries before a job has failed.")
@click.option("--backoff", default="1s", show_default=True, metavar="TIME", help="Pause before the first restart.")
@click.option(
    "--silence", default="1m", show_default=True, metavar="TIME", help="Until a driver that hangs is restarted."
)
@click.option("--body-limit", default="1MB", show_default=True, metavar="SIZE", help="How large a request may be.")
def command(
    *,
    host: str,
    port: int,
    data: str,
    master: str,
    registry: str,
    driver_memory: str,
    spark: tuple[str, ...],
    restarts: int,
    backoff: str,
    silence: str,
    body_limit: str,
) -> None:
    """Run the job server: it keeps deployed applications running, each in a process of its own.

    Everything but /health/live needs a token. It is made at the first start and lies in a file of the data folder that
    only its owner may read; VELO_TOKEN sets another one. The server listens on this machine only, unless --host says
    otherwise. It may be stopped or killed and started again: jobs go on meanwhile, and are found again.

    Relative paths of deployed applications start in the folder `files` of the data folder, and Python functions are
    taken from there only.

    \b
    Examples:
      velo serve
      velo serve --port 9000 --data /var/lib/velo
      velo serve --master spark://host:7077 --spark spark.cores.max=2 --registry postgresql://velo@db/velo
    """
    from velostream.server.plane import Plane
    from velostream.server.serving import address, listening, serve
    from velostream.server.settings import LOOPBACK, ServerSettings

    settings = ServerSettings(
        Path(data),
        host,
        port,
        master,
        registry,
        driver_memory,
        restarts,
        parse(backoff) / SECOND,
        silence=parse(silence) / SECOND,
        body_limit=parse_size(body_limit),
        spark=dict(map(_setting, spark)),
    )
    given = os.environ.get("VELO_TOKEN", "")
    taken, shown = listening(host, port), address(host, port)
    plane = Plane.open(settings, given)
    token = "VELO_TOKEN of the environment" if given else f"in {plane.folders.token}"
    print(f"velostream serves {shown}   token: {token}", file=sys.stderr)
    if host not in LOOPBACK:
        print("warning: it can be reached from other machines, without encryption", file=sys.stderr)
    if sys.stderr.isatty():
        code, _ = plane.codes.new()
        print(f"open the page (works once): {shown}#login={code}", file=sys.stderr)
    serve(plane, taken)


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key.startswith("spark."):
        hint = "for example --spark spark.cores.max=2"
        raise VeloError(f"'{text}' is no setting of Spark", hint=hint, code="usage")
    return key, value
