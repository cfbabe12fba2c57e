"""`velo validate`: every finding of every statement, without a JVM."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

from velostream.cli import inputs
from velostream.cli.check import check, overrides_of, preset_of, refused
from velostream.cli.colours import colours_of
from velostream.cli.options import preset_option, set_option
from velostream.cli.report import FORMATS, Checked
from velostream.errors import VeloError


@click.command("validate", short_help="Check SQL files; all findings at once.")
@click.argument("what", nargs=-1, metavar="FILE... | 'SELECT …' | -")
@click.option("--query", "-q", "queries", multiple=True, metavar="SQL", help="Check this SQL; may be repeated.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option(
    "--show-system-columns/--no-system-columns",
    "system_columns",
    default=None,
    help="Print the reference of system columns (default: when the output is a terminal).",
)
@preset_option
@set_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    what: tuple[str, ...],
    queries: tuple[str, ...],
    form: str,
    system_columns: bool | None,
    preset: str,
    settings: tuple[str, ...],
) -> None:
    """Check SQL files: syntax, names, types, windows, joins, properties; all findings at once.

    A folder means all .sql files in it and below, - reads standard input. The exit code is 0 when no error was found,
    else 2.

    \b
    Examples:
      velo validate app.sql
      velo validate 'SELECT 1 AS one'
      velo validate --format github jobs/*.sql
      velo validate --preset prod --set allowed.lateness=5m app.sql
    """
    if not what and not queries:
        raise VeloError("there is nothing to validate", hint="give a file, a query in quotes, or -", code="usage")
    if form == "github" and system_columns:
        raise VeloError("--format github has no place for system columns", hint="use text or json", code="usage")
    preset, overrides = preset_of(preset), overrides_of(settings)
    checked = [
        found if isinstance(found, Checked) else check(found, preset=preset, overrides=overrides)
        for found in _inputs(what, queries)
    ]
    wanted = form == "text" and sys.stdout.isatty() if system_columns is None else system_columns
    text = FORMATS[form].render(checked, colours=colours_of(sys.stdout), system_columns=wanted)
    if text:
        print(text)
    ctx.exit(2 if any(each.failed for each in checked) else 0)


def _inputs(what: tuple[str, ...], queries: tuple[str, ...]) -> Iterator[inputs.Input | Checked]:
    """The texts to check; what cannot be read is a finding like any other, and the rest is checked all the same."""
    for argument in what:
        try:
            yield from inputs.resolve(argument)
        except VeloError as error:
            yield refused(argument, error)
    yield from map(inputs.query, queries)
