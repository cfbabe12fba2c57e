"""`velo resume`: let a paused job go on."""

from __future__ import annotations

import click

from velostream.cli.remote import carry_out, remote_options


@click.command("resume", short_help="Let a paused job go on.")
@click.argument("name", metavar="NAME")
@remote_options
def command(*, name: str, url: str, form: str) -> None:
    """Let a paused job go on: NAME is a job, APP.JOB, or an application and then all of its jobs.

    Starts the query of a paused job again, where it was.

    \b
    Examples:
      velo resume ohlcv
      velo resume trading
    """
    carry_out(url, form, name, "resume")
