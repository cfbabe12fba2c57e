"""`velo advise`: what to change about the jobs of an application, with the figures behind it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from velostream.cli.check import failed, overrides_of, preset_of, validated
from velostream.cli.colours import colours_of
from velostream.cli.explain import one
from velostream.cli.options import preset_option, set_option
from velostream.cli.report.text import TextReport


@click.command("advise", short_help="Say what to change about running jobs.")
@click.argument("file", metavar="FILE")
@click.option("--checkpoint", default="", metavar="DIR", help="Where its jobs keep their state. [default: .velo/APP]")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@preset_option
@set_option
@click.pass_context
def command(
    ctx: click.Context, *, file: str, checkpoint: str, form: str, preset: str, settings: tuple[str, ...]
) -> None:
    """Say what to change about the jobs of a file, running or stopped.

    It reads what the jobs have counted, their history and their plans: records that come too late, with the lateness
    that would be enough; dead letters; joins that find nothing; a partition that holds the watermark back; stages that
    take most of the time; keys and partitions with most of the records; state that grows; columns that nobody reads;
    and rates, lags, errors and micro-batches unlike those before.

    \b
    Examples:
      velo advise app.sql
      velo advise app.sql --checkpoint /var/lib/velo/app --format json
    """
    given = one(file)
    answer = validated(given, preset=preset_of(preset), overrides=overrides_of(settings))
    if answer.findings.errors:
        shown = TextReport().render([failed(answer)], colours=colours_of(sys.stderr), system_columns=False)
        print(shown, file=sys.stderr)
        ctx.exit(2)
    from velostream.observability.advice import advise
    from velostream.plan import plan

    planned = plan(answer.bound, answer.library)
    home = Path(checkpoint) if checkpoint else Path(".velo") / (planned.name or "app")
    found = advise(planned, home, given.folder or Path())
    if form == "json":
        print(json.dumps([advice.data() for advice in found], default=str, indent=2, ensure_ascii=False))
        return
    for advice in found:
        print(f"{advice.job}: {advice.what}\n  → {advice.change}")
        if advice.guide:
            print(f"  see {advice.guide}")
    if not found:
        ran = any((home / job.name / "accounts.json").exists() for job in planned.jobs)
        print("nothing to change" if ran else f"no job of '{planned.name}' has run under '{home}' yet")
