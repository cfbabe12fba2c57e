"""`velo restart`: restart a job."""

from __future__ import annotations

import click

from velostream.cli.remote import carry_out, remote_options


@click.command("restart", short_help="Restart a job.")
@click.argument("name", metavar="NAME")
@remote_options
def command(*, name: str, url: str, form: str) -> None:
    """Restart a job: NAME is a job, APP.JOB, or an application and then all of its jobs.

    Ends a job after its running batch and starts it again from its checkpoint. A job that was stopped or has failed is
    started.

    \b
    Examples:
      velo restart trading
      velo restart trading.ohlcv
    """
    carry_out(url, form, name, "restart")
