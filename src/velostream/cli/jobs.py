"""`velo jobs`: all jobs of a server."""

from __future__ import annotations

import click

from velostream.cli.remote import client_of, job_table, remote_options, show


@click.command("jobs", short_help="List the jobs of a server.")
@remote_options
def command(*, url: str, form: str) -> None:
    """List the jobs of a server: state, rates, watermark, and the partition that holds it back.

    \b
    Examples:
      velo jobs
      velo jobs --format json
    """
    show(form, client_of(url).items("/api/v1/jobs"), job_table)
