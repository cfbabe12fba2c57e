"""`velo pause`: pause a job."""

from __future__ import annotations

import click

from velostream.cli.remote import carry_out, remote_options


@click.command("pause", short_help="Pause a job.")
@click.argument("name", metavar="NAME")
@remote_options
def command(*, name: str, url: str, form: str) -> None:
    """Pause a job: NAME is a job, APP.JOB, or an application and then all of its jobs.

    Ends the query of a job after its running batch; process and checkpoint stay. velo resume lets it go on.

    \b
    Examples:
      velo pause ohlcv
      velo pause trading
    """
    carry_out(url, form, name, "pause")
