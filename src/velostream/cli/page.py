"""`velo page`: an address that opens the page of a server without typing the token."""

from __future__ import annotations

import click

from velostream.cli.remote import client_of, remote_options, show


@click.command("page", short_help="Print an address that opens the server's page.")
@remote_options
def command(*, url: str, form: str) -> None:
    """Print an address that opens the page of a server. It works once, for ten minutes.

    \b
    Examples:
      velo page
      velo page --url http://127.0.0.1:9000
    """
    show(form, client_of(url).post("/api/v1/login-codes"), lambda answer: str(answer["address"]))
