"""`velo stop`: end a job after its running batch, or at once."""

from __future__ import annotations

import click

from velostream.cli.remote import carry_out, remote_options


@click.command("stop", short_help="Stop a job.")
@click.argument("name", metavar="NAME")
@click.option("--force", is_flag=True, help="Do not wait for the end of the running batch.")
@remote_options
def command(*, name: str, force: bool, url: str, form: str) -> None:
    """Stop a job: NAME is a job, APP.JOB, or an application and then all of its jobs.

    It ends after its running batch, and keeps its checkpoint: velo restart starts it again where it was. With --force
    the batch is cut, and done again at the next start; nothing is lost or written twice.

    \b
    Examples:
      velo stop trading
      velo stop trading.ohlcv
      velo stop trading --force
    """
    carry_out(url, form, name, "stop", {"force": force})
