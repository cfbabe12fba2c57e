"""`velo versions`: which versions an application has had."""

from __future__ import annotations

import click

from velostream.cli.remote import client_of, remote_options, show, table

_COLUMNS = ("number", "version", "strategy", "state", "role", "share", "moving", "created")


@click.command("versions", short_help="List the versions of an application.")
@click.argument("name", metavar="NAME")
@remote_options
def command(*, name: str, url: str, form: str) -> None:
    """List the versions that were deployed of an application, newest first.

    \b
    Examples:
      velo versions trading
      velo versions trading --format json
    """
    from velostream.server.client import quoted

    found = client_of(url).items(f"/api/v1/jobs/{quoted(name)}/versions")
    show(form, found, lambda all_: table(_COLUMNS, [[str(each[column]) for column in _COLUMNS] for each in all_]))
