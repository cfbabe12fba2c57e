"""`velo run`: all statements of a file in one process, until their input ends or somebody stops it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from velostream.cli.check import failed, overrides_of, preset_of, validated
from velostream.cli.colours import colours_of
from velostream.cli.explain import one
from velostream.cli.options import preset_option, set_option
from velostream.cli.report.text import TextReport
from velostream.durations import SECOND, parse
from velostream.files import replace_text

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner


@click.command("run", short_help="Run the statements of a file.")
@click.argument("file", metavar="FILE")
@click.option("--until-done", is_flag=True, help="Stop at the end of bounded input, with every window complete.")
@click.option("--master", default="local[*]", show_default=True, metavar="URL", help="Where Spark runs.")
@click.option(
    "--checkpoint", default="", metavar="DIR", help="Where jobs keep what they remember. [default: .velo/APP]"
)
@click.option("--report", default="", metavar="FILE", help="Write what became of every record, as JSON.")
@click.option("--duration", default="", metavar="TIME", help="Stop cleanly after this time, such as 60s.")
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
    preset: str,
    settings: tuple[str, ...],
) -> None:
    """Run the statements of a file in one process. Ctrl-C stops after the running batch.

    What runs today: statements that read files, with conditions, expressions and one time window or GROUP BY, into
    files or the console. A plan that needs more is refused before anything starts.

    \b
    Examples:
      velo run app.sql --until-done --report report.json
      velo run app.sql --duration 60s --checkpoint /var/lib/velo/app
    """
    from velostream.jobs.runner import Runner
    from velostream.plan import plan
    from velostream.spark.failures import translated
    from velostream.spark.session import spark_session

    given = one(file)
    answer = validated(given, preset=preset_of(preset), overrides=overrides_of(settings))
    if answer.findings.errors:
        shown = TextReport().render([failed(answer)], colours=colours_of(sys.stderr), system_columns=False)
        print(shown, file=sys.stderr)
        ctx.exit(2)
    planned = plan(answer.bound, answer.library)
    seconds = parse(duration) / SECOND if duration else None
    home = Path(checkpoint) if checkpoint else Path(".velo") / (planned.name or "app")
    with translated():
        runner = Runner(planned, spark_session(master), home, given.folder or Path(), print)
        if until_done:
            runner.run_until_done()
        else:
            runner.run(seconds, lambda: print(progress(runner), file=sys.stderr, flush=True))
    if report:
        replace_text(Path(report), json.dumps(runner.report(), indent=2) + "\n")
    print("\n".join(summary(job) for job in runner.report()["jobs"]), file=sys.stderr)


def progress(runner: Runner) -> str:
    """One line on what the jobs are doing."""
    parts = []
    for job in runner.jobs:
        records = job.accounts.records
        watermark = job.report()["watermark"] or "none yet"
        parts.append(f"{job.job.name}: read {records['read']:,}, open {records['open']:,}, watermark {watermark}")
    return " | ".join(parts)


def summary(job: dict[str, Any]) -> str:
    """What became of the records of a job, in numbers that add up."""
    records = job["records"]
    dead = sum(records["dead_lettered"].values())
    dropped = sum(records["dropped"].values())
    return (
        f"{job['name']} {job['state']}: {records['read']:,} read = {records['in_results']:,} in results"
        f" + {records['filtered']:,} filtered + {records['open']:,} open + {dead:,} dead letters + {dropped:,} dropped"
    )
