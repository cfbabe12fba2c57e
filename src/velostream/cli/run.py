"""`velo run`: all statements of a file in one process, until their input ends or somebody stops it."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from velostream.cli.check import overrides_of, preset_of, validated
from velostream.cli.colours import colours_of
from velostream.cli.explain import one
from velostream.cli.options import preset_option, set_option
from velostream.cli.planned import home_of, refuse_errors
from velostream.cli.report.text import finding
from velostream.diagnostics import Diagnostic, Severity
from velostream.durations import SECOND, parse
from velostream.errors import VeloError
from velostream.files import replace_text

if TYPE_CHECKING:
    from velostream.cli.live.view import View
    from velostream.jobs.runner import Runner
    from velostream.positions import Text


@click.command("run", short_help="Run the statements of a file.")
@click.argument("file", metavar="FILE")
@click.option("--until-done", is_flag=True, help="Stop at the end of bounded input, with every window complete.")
@click.option("--master", default="local[*]", show_default=True, metavar="URL", help="Where Spark runs.")
@click.option(
    "--checkpoint", default="", metavar="DIR", help="Where jobs keep what they remember. [default: .velo/APP]"
)
@click.option("--report", default="", metavar="FILE", help="Write what became of every record, as JSON.")
@click.option("--duration", default="", metavar="TIME", help="Stop cleanly after this time, such as 60s.")
@click.option("--jars", multiple=True, metavar="DIR", help="A folder of jars, or a jar, for what connectors need.")
@click.option(
    "--metrics-port", type=int, default=None, metavar="N", help="Serve /metrics for Prometheus on 127.0.0.1:N."
)
@click.option(
    "--log-format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="How log lines look."
)
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="How loud a log line must be.",
)
@preset_option
@set_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    file: str,
    until_done: bool,
    master: str,
    checkpoint: str,
    report: str,
    duration: str,
    jars: tuple[str, ...],
    metrics_port: int | None,
    log_format: str,
    log_level: str,
    preset: str,
    settings: tuple[str, ...],
) -> None:
    """Run the statements of a file in one process.

    In a terminal a table shows what the jobs do: rates, open windows, late records, dead letters, the watermark, and
    the partition that holds it back. Elsewhere a line says so every few seconds. Results of the console go to standard
    output, all else to standard error. SHOW, DESCRIBE and EXPLAIN are answered first. Relative paths of
    sources and sinks start from the folder of the SQL file.

    Ctrl-C or SIGTERM stops after the running batches, a second Ctrl-C at once. Run again with the same checkpoint, the
    jobs go on where they were, and no row is written twice.

    \b
    Examples:
      velo run app.sql
      velo run app.sql --until-done --report report.json
      velo run app.sql --duration 60s --checkpoint /var/lib/velo/app
      velo run app.sql --set allowed.lateness=5m --master spark://host:7077

    \b
    Exit codes:
      0    the input or the time has ended, or a run without an end was stopped
      2    a mistake in the SQL, the settings or the data
      3    something outside failed: files, Spark, Java, memory
      70   a defect of Velostream
      130  Ctrl-C cut --until-done or --duration short, or was pressed twice
      143  SIGTERM cut --until-done or --duration short
    """
    from velostream.cli.prompt.rows import RowPrinter
    from velostream.jobs.asides import listings, refuse_asides, runs_of
    from velostream.jobs.inferred import settled

    given = one(file)
    chosen, overrides = preset_of(preset), overrides_of(settings)

    answer = settled(
        lambda more: validated(given, preset=chosen, overrides={**overrides, **more}),
        lambda answer: home_of(answer.bound.name, checkpoint),
        given.folder,
        lambda text: print(text, file=sys.stderr),
    )
    refuse_asides(answer)
    refuse_errors(ctx, answer)
    for listing in listings(answer):
        printer = RowPrinter(print, colours_of(sys.stdout))
        printer.rows(listing.columns, listing.rows)
        printer.end()
    from velostream.cli.live.signals import caught
    from velostream.cli.live.view import View
    from velostream.jobs.foreseen import refuse_missing_files
    from velostream.jobs.holding import held
    from velostream.jobs.runner import Runner
    from velostream.observability.logs import as_json
    from velostream.observability.watching import watched
    from velostream.plan import plan
    from velostream.spark.failures import translated
    from velostream.spark.jars import jars_of
    from velostream.spark.session import spark_session

    debug = bool(getattr(ctx.obj, "debug", False))
    planned = runs_of(plan(answer.bound, answer.library))
    seconds = parse(duration) / SECOND if duration else None
    home = home_of(planned.name, checkpoint)
    view = View(bounded=until_done, shaped=as_json if log_format == "json" else str)
    failure: VeloError | None = None
    runner: Runner | None = None
    signals = None
    try:
        with translated(debug=debug), held(home):
            refuse_missing_files(planned, home, given.folder)
            if view.drawn:
                view.say("Spark starts …")
            needed = jars_of(planned.connectors, jars, view.say)
            spark = spark_session(master, jars=needed, connectors=planned.connectors)
            runner = Runner(planned, spark, home, given.folder, view.show)
            with (
                watched(runner, view.write, metrics_port, log_format, log_level),
                caught(runner.stopping, view.say) as signals,
            ):
                view.open(runner)
                if until_done:
                    runner.run_until_done()
                else:
                    runner.run(seconds, lambda: None)
    except VeloError as error:
        failure = error
    finally:
        view.close()
    if runner is not None:
        _end(view, runner, report)
    if failure is not None:
        ctx.exit(_failed(failure, answer.text, debug=debug))
    if signals is not None and (until_done or seconds is not None):
        ctx.exit(signals.exit_code)


def _end(view: View, runner: Runner, report: str) -> None:
    """What a person wants to know at the end, and the report."""
    from velostream.cli.live.summary import places, sentence, table
    from velostream.observability.snapshot import metrics_of

    whole = runner.report()
    for job, said in zip(runner.jobs, whole["jobs"], strict=True):
        said["metrics"] = metrics_of(job)
    if view.drawn and whole["jobs"]:
        view.console.print(table(whole["jobs"]))
    for job, said in zip(runner.jobs, whole["jobs"], strict=True):
        if not view.drawn:
            view.say(sentence(said))
        for line in places(job, said, runner.folder):
            view.say(line)
    if report:
        replace_text(Path(report), json.dumps(whole, indent=2) + "\n")


def _failed(error: VeloError, text: Text, *, debug: bool) -> int:
    """Shows why a run failed, at its place in the SQL where there is one; with --debug the whole of it."""
    if debug:
        traceback.print_exception(error)
    said = Diagnostic(Severity.ERROR, error.error_code, error.message, span=error.span, hint=error.hint)
    print("\n".join(finding(said, text, colours_of(sys.stderr))), file=sys.stderr)
    return error.exit_code
