"""`velo shell`: statements one by one, with completion, live results, and errors at their place."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import click

from velostream.cli.check import overrides_of, preset_of
from velostream.cli.colours import colours_of
from velostream.cli.explain import one
from velostream.cli.inputs import Input
from velostream.cli.options import preset_option, set_option
from velostream.cli.remote import client_of


@click.command("shell", short_help="Type statements, and see what they answer.")
@click.argument("file", metavar="[FILE]", required=False)
@click.option("--execute", "-e", "given", metavar="SQL", help="Run these statements, and leave.")
@click.option("--checkpoint", default="", metavar="DIR", help="Where tables of the file are kept. [default: .velo/APP]")
@click.option("--master", default="local[*]", show_default=True, metavar="URL", help="Where Spark runs.")
@click.option("--url", default="", metavar="URL", help="The server of statements about jobs. [default: VELO_URL]")
@preset_option
@set_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    file: str | None,
    given: str | None,
    checkpoint: str,
    master: str,
    url: str,
    preset: str,
    settings: tuple[str, ...],
) -> None:
    """Type statements, and see what they answer.

    With a FILE, all that it declares can be asked from the start; its jobs are not run. A SELECT over streams shows its
    rows as they come, until its input ends or Ctrl-C. CREATE defines what later statements read. START, STOP, DEPLOY
    and other statements about jobs go to the job server. Where standard input is no terminal, its statements are run
    one after the other, up to the first that fails.

    \b
    Examples:
      velo shell
      velo shell app.sql
      velo shell app.sql -e "SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol"
      velo shell app.sql < questions.sql
    """
    from velostream.cli.prompt.running import Engine
    from velostream.cli.prompt.session import Session
    from velostream.cli.prompt.shell import Left, Shell

    source = one(file) if file else Input("<shell>", "", Path())
    session = Session(source, preset_of(preset), overrides_of(settings))
    debug = bool(getattr(ctx.obj, "debug", False))

    def tell(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    engine = Engine(master, checkpoint, tell, debug=debug)
    shell = Shell(
        session,
        engine,
        _write,
        tell,
        colours_of(sys.stdout),
        client_of(url),
        served=bool(url or os.environ.get("VELO_URL")),
    )
    if given is None and sys.stdin.isatty():
        from velostream.cli.prompt.terminal import converse, history_file, prompt_session

        tell("Statements end with ; and \\help tells more. Ctrl-D leaves.")
        converse(shell, prompt_session(session, history_file()))
        return
    with suppress(Left):
        ctx.exit(shell.execute(given if given is not None else sys.stdin.read()))


def _write(text: str) -> None:
    print(text, flush=True)
