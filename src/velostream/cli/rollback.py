"""`velo rollback`: back to an older version of an application."""

from __future__ import annotations

import click

from velostream.cli.remote import carry_out, remote_options


@click.command("rollback", short_help="Go back to an older version.")
@click.argument("name", metavar="NAME")
@click.option("--version", "-v", "version", default="", metavar="V", help="Which one. [default: the one before]")
@remote_options
def command(*, name: str, version: str, url: str, form: str) -> None:
    """Go back to an older version of an application.

    It goes on with the state of now where that fits; else with the state that it had when it was replaced.

    \b
    Examples:
      velo rollback trading
      velo rollback trading --version 1.4
    """
    carry_out(url, form, name, "rollback", {"version": version})
