"""`velo flush`: write what stands open."""

from __future__ import annotations

import click

from velostream.cli.remote import carry_out, remote_options


@click.command("flush", short_help="Write what stands open.")
@click.argument("name", metavar="NAME")
@remote_options
def command(*, name: str, url: str, form: str) -> None:
    """Write what stands open: NAME is a job, APP.JOB, or an application and then all of its jobs.

    Writes windows and groups that stand open, as they stand. Their state stays: later records correct them.

    \b
    Examples:
      velo flush ohlcv
      velo flush trading
    """
    carry_out(url, form, name, "flush")
