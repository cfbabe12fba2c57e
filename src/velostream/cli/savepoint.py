"""`velo savepoint`: the state of an application, kept under a name."""

from __future__ import annotations

import click

from velostream.cli.remote import client_of, remote_options, show, table
from velostream.errors import VeloError

_COLUMNS = ("name", "app", "version", "number", "created", "jobs")


@click.command("savepoint", short_help="Keep the state of a job under a name.")
@click.argument("name", metavar="JOB")
@click.argument("savepoint", metavar="[NAME]", default="", required=False)
@click.option("--delete", "deletes", is_flag=True, help="Forget the savepoint instead.")
@remote_options
def command(*, name: str, savepoint: str, deletes: bool, url: str, form: str) -> None:
    """Keep the state of an application under a name; without a NAME, list its savepoints.

    JOB is a job or its application, whose jobs all rest at the end of their batches while the state is copied. A
    version that is deployed with --savepoint begins with it: what sinks hold is not taken back.

    \b
    Examples:
      velo savepoint trading before-upgrade
      velo savepoint trading
      velo deploy app.sql --savepoint before-upgrade
      velo savepoint trading before-upgrade --delete
    """
    from velostream.server.client import quoted

    client = client_of(url)
    if deletes and not savepoint:
        raise VeloError("which savepoint?", hint=f"name one: velo savepoint {name} lists them", code="usage")
    if deletes:
        client.delete(f"/api/v1/apps/{quoted(name)}/savepoints/{quoted(savepoint)}")
        show(form, {"deleted": savepoint}, lambda _: f"savepoint {savepoint} is deleted")
    elif savepoint:
        made = client.post(f"/api/v1/jobs/{quoted(name)}/savepoint", {"name": savepoint})
        show(form, made, lambda one: f"savepoint {one['name']} of {one['app']} version {one['version']} is kept")
    else:
        found = client.get(f"/api/v1/apps/{quoted(name)}/savepoints", limit=1000)["items"]
        rows = [[*(str(one[column]) for column in _COLUMNS[:-1]), ", ".join(one["jobs"])] for one in found]
        show(form, found, lambda _: table(_COLUMNS, rows) if rows else f"{name} has no savepoint")
