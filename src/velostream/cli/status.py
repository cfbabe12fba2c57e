"""`velo status`: all about one job or application of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from velostream.cli.remote import client_of, job_table, remote_options, show, table
from velostream.errors import VeloError

LONG = 60.0
"""Seconds of a micro-batch that are worth a line."""


@click.command("status", short_help="Show how a job is doing.")
@click.argument("name", metavar="NAME")
@remote_options
def command(*, name: str, url: str, form: str) -> None:
    """Show how a job or an application is doing: why it failed, what became of its records, what holds it back.

    \b
    Examples:
      velo status trading
      velo status trading.ohlcv --format json
    """
    from velostream.server.client import quoted

    client = client_of(url)
    try:
        answer = client.get(f"/api/v1/apps/{quoted(name)}")
    except VeloError as error:
        if error.error_code != "unknown-app":
            raise
        show(form, client.get(f"/api/v1/jobs/{quoted(name)}"), job_text)
        return
    show(form, answer, _app)


def _app(app: Mapping[str, Any]) -> str:
    times = app["restarts"]
    restarts = f", restarted {'once' if times == 1 else f'{times} times'}" if times else ""
    lines = [f"{app['name']} version {app['version']} is {app['state']}{restarts}"]
    lines += _why(app)
    lines += ["", job_table(app["job_list"])]
    if app["log"]:
        lines += ["", "last lines of the log:", *(f"  {line['level']}: {line['message']}" for line in app["log"])]
    columns = ("number", "version", "strategy", "state", "role", "share", "moving", "created")
    rows = [[str(each[column]) for column in columns] for each in app["versions"]]
    return "\n".join([*lines, "", table(columns, rows)])


def _why(told: Mapping[str, Any]) -> list[str]:
    reason = [f"reason: {told['reason']}"] if told["reason"] else []
    return reason + ([f"hint: {told['hint']}"] if told["hint"] else [])


def job_text(job: Mapping[str, Any]) -> str:
    """A job: its state, why, its figures, what became of its records, and where they come from and go to."""
    lines = [f"{job['name']} of {job['app']} version {job['version']} is {job['state']}"]
    lines += _why(job)
    if (job["batch_seconds"] or 0) > LONG:
        lines.append(f"its micro-batch has run for {job['batch_seconds']:.0f} s: nothing comes before it ends")
    lines += ["", job_table([job]), ""]
    for name, count in job["records"].items():
        shown = ", ".join(f"{n:,} {reason}" for reason, n in count.items()) if isinstance(count, dict) else f"{count:,}"
        lines.append(f"{name.replace('_', ' '):<14} {shown or 0}")
    ends = [("from", each) for each in job["sources"]] + [("to", each) for each in job["sinks"]]
    lines += ["", *(f"{way:<5} {each['name']} ({each['type']}) {each['address']}".rstrip() for way, each in ends)]
    return "\n".join(lines)
