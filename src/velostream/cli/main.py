"""The command `velo`: finds the verb, and turns whatever goes wrong into an error that teaches and an exit code."""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from velostream import __version__
from velostream.cli.colours import Colours, colours_of
from velostream.diagnostics import Diagnostic, Severity
from velostream.errors import EXIT_CODES, VeloError, unusable
from velostream.registry import did_you_mean

_SERVER = (
    *("serve", "deploy", "jobs", "status", "logs", "stop", "pause", "resume", "restart", "flush"),
    *("rollback", "versions", "savepoint", "page"),
)
VERBS = (
    *("validate", "explain", "run", "shell", "query", "windows", "dlq", *_SERVER),
    *("dashboard", "advise", "test", "functions", "properties", "docs"),
)
INTERRUPTED = 130
BROKEN_PIPE = 141


@dataclass(slots=True)
class Invocation:
    """What holds for one run of the command, whatever the verb."""

    debug: bool = False


class Verbs(click.Group):
    """A group that imports a verb's module when it is called, or when help lists it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of a newcomer's day."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb of that name."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"velostream.cli.{cmd_name}").command
        if all(parameter.name != "debug" for parameter in command.params):
            command.params.append(_debug_option())
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that is called, or an error that names those there are."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            message = f"there is no verb '{args[0]}'"
            raise VeloError(message, hint=did_you_mean(args[0], VERBS, "verbs"), code="usage")
        return super().resolve_command(ctx, args)


def _debug_option() -> click.Option:
    def remember(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value:
            ctx.ensure_object(Invocation).debug = True

    text = "Show the traceback of an internal error."
    return click.Option(["--debug"], is_flag=True, expose_value=False, callback=remember, help=text)


@click.command(
    cls=Verbs,
    params=[_debug_option()],
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 no error, 2 a mistake in what was given, 3 something outside failed, 70 a defect.",
)
@click.version_option(__version__, message="velostream %(version)s")
@click.pass_context
def velo(ctx: click.Context) -> None:
    """Streaming SQL on Apache Spark, with event time done right.

    \b
    velo validate app.sql         check a file; all findings at once
    velo explain app.sql          show the plan of every statement
    velo test tests/              run applications over given records
    velo functions SPLIT_PART     what a function does
    velo properties watermark.    what can be set
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the answer is its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    invocation = Invocation()
    try:
        code = velo.main(
            args=[_shielded(argument) for argument in (sys.argv[1:] if arguments is None else arguments)],
            prog_name=_program(),
            standalone_mode=False,
            obj=invocation,
        )
        sys.stdout.flush()
    except click.Abort:
        return INTERRUPTED
    except BrokenPipeError:
        _silence(sys.stdout)
        return BROKEN_PIPE
    except VeloError as error:
        return _fail(error)
    except click.ClickException as error:
        return _fail(_usage(error))
    except Exception as error:
        if invocation.debug:
            raise
        outside = isinstance(error, OSError) and error.filename is not None
        return _fail(unusable(error) if outside else _internal(error))  # type: ignore[arg-type]
    return code if isinstance(code, int) else 0


def _shielded(argument: str) -> str:
    """SQL that begins with a comment is not an option: `velo validate "-- a comment …"`."""
    return f"\n{argument}" if argument.startswith(("-- ", "--\n")) else argument


def _program() -> str:
    name = Path(sys.argv[0]).name
    return name if name in ("velo", "velo-sql") else "velo"


def _fail(error: VeloError) -> int:
    """An error on its way out: shown on stderr, its domain decides the exit code."""
    from velostream.cli.report.text import finding
    from velostream.positions import Text

    colours: Colours = colours_of(sys.stderr)
    diagnostic = Diagnostic(Severity.ERROR, error.error_code, error.message, hint=error.hint)
    print("\n".join(finding(diagnostic, Text("", name=""), colours)), file=sys.stderr)
    return EXIT_CODES[error.domain]


def _usage(error: click.ClickException) -> VeloError:
    """Click's own refusals, in our words: what is wrong, and where the right way is written down."""
    message = error.format_message().rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context else _program()
    return VeloError(message[:1].lower() + message[1:], hint=f"see {command} --help", code="usage")


def _internal(error: Exception) -> VeloError:
    summary = str(error).split("\n", 1)[0]
    message = f"{type(error).__name__}: {summary}" if summary else type(error).__name__
    hint = "this is a defect of Velostream: run the command again with --debug, and report what it shows"
    return VeloError(message, hint=hint, code="internal")


def _silence(stream: Any) -> None:
    """Whoever read our output has gone: what is still in the buffer has nowhere to go, and that is no error."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    sys.exit(main())
