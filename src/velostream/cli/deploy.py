"""`velo deploy`: a version of an application to a job server, or the verdict on one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from velostream.cli.colours import colours_of
from velostream.cli.explain import one
from velostream.cli.remote import client_of, remote_options, show
from velostream.cli.report.text import finding
from velostream.diagnostics import Diagnostic, Severity
from velostream.errors import VeloError
from velostream.positions import Span, Text
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    from velostream.cli.inputs import Input

STRATEGIES = ("REPLACE", "BLUE_GREEN", "CANARY", "ROLLING")


@click.command("deploy", short_help="Deploy a version of an application.")
@click.argument("file", metavar="FILE")
@click.option("--name", default="", metavar="N", help="The application. [default: as its header or file says]")
@click.option("--version", "version", default="", metavar="V", help="The version. [default: as its header says]")
@click.option("--strategy", default="REPLACE", show_default=True, metavar="S", help="REPLACE, BLUE_GREEN, CANARY(p)…")
@click.option("--fresh", is_flag=True, help="Begin without the state of the version before.")
@click.option("--savepoint", default="", metavar="NAME", help="Begin with the state of this savepoint.")
@click.option("--dry-run", is_flag=True, help="Only say whether the state can be kept.")
@remote_options
@click.pass_context
def command(
    ctx: click.Context,
    *,
    file: str,
    name: str,
    version: str,
    strategy: str,
    fresh: bool,
    savepoint: str,
    dry_run: bool,
    url: str,
    form: str,
) -> None:
    """Deploy a version of an application to a job server.

    The version before ends after its running batch, and the new one goes on with its state where the plan fits it.
    Where it does not, the difference is shown and nothing is deployed, unless --fresh says that state may be left
    behind. BLUE_GREEN, CANARY(p) and ROLLING run the new version beside the old one, and move the share of keys whose
    results the new one writes.

    \b
    Examples:
      velo deploy app.sql
      velo deploy app.sql --dry-run
      velo deploy app.sql --version 2.0 --strategy 'CANARY(10)'

    \b
    Exit codes: 0 deployed, or could be; 2 the SQL has mistakes, or the state does not fit
    """
    given = one(file)
    if strategy.partition("(")[0].strip().upper() not in STRATEGIES:
        hint = did_you_mean(strategy.upper(), STRATEGIES, "strategies")
        raise VeloError(f"there is no strategy '{strategy}'", hint=hint, code="usage")
    wish = {"name": name or name_of(given), "sql": given.text, "version": version, "strategy": strategy, "fresh": fresh}
    wish["savepoint"] = savepoint
    from velostream.server.client import ServerRefused

    try:
        answer = client_of(url).post("/api/v1/apps", {**wish, "dry_run": dry_run})
    except ServerRefused as error:
        if error.findings:
            _findings(error.findings, given)
            ctx.exit(2)
        raise
    show(form, answer, _text)
    if dry_run and not answer["verdict"]["compatible"] and not fresh:
        ctx.exit(2)


def name_of(given: Input) -> str:
    """The application that the header of a file names; else it is named after its file."""
    from velostream.sql.parse import parse

    return parse(given.text, given.name).header.name.replace(" ", "_")


def _findings(findings: list[dict[str, Any]], given: Input) -> None:
    """The server's findings, at their places in the file."""
    text = Text(given.text, given.name)
    for each in findings:
        if each["severity"] != "error":
            continue
        span = span_of(each, text)
        said = Diagnostic(Severity.ERROR, each["code"], each["message"], span=span, hint=each["hint"])
        print("\n".join(finding(said, text, colours_of(sys.stderr))), file=sys.stderr)


def span_of(each: Mapping[str, Any], text: Text) -> Span | None:
    """The place that a finding of the server has in a text."""
    if not each["line"]:
        return None
    starts = [0]
    starts += [place + 1 for place, sign in enumerate(text.content) if sign == "\n"]
    start = starts[each["line"] - 1] + each["column"] - 1
    return text.span(start, starts[each["end_line"] - 1] + each["end_column"] - 1)


def _text(answer: Mapping[str, Any]) -> str:
    lines = [answer["verdict"]["text"]]
    if answer["deployed"]:
        lines.append(f"version {answer['version']} of {answer['app']} is deployed")
    elif answer["verdict"]["compatible"]:
        lines.append("it can be deployed; nothing was deployed, since this was a dry run")
    else:
        lines.append("it can only be deployed with --fresh; nothing was deployed, since this was a dry run")
    return "\n".join(lines)
