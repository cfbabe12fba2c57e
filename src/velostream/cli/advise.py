"""`velo advise`: what to change about the jobs of an application, with the figures behind it."""

from __future__ import annotations

import json

import click

from velostream.cli.explain import one
from velostream.cli.options import preset_option, set_option
from velostream.cli.planned import checkpoint_option, planned


@click.command("advise", short_help="Say what to change about running jobs.")
@click.argument("file", metavar="FILE")
@checkpoint_option
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
    from velostream.observability.advice import advise

    app = planned(ctx, one(file), checkpoint, preset=preset, settings=settings)
    found = advise(app.plan, app.home, app.folder)
    if form == "json":
        print(json.dumps([advice.data() for advice in found], default=str, indent=2, ensure_ascii=False))
        return
    for advice in found:
        print(f"{advice.job}: {advice.what}\n  → {advice.change}")
        if advice.guide:
            print(f"  see {advice.guide}")
    if not found:
        ran = any((app.home / job.name / "accounts.json").exists() for job in app.plan.jobs)
        print("nothing to change" if ran else f"no job of '{app.plan.name}' has run under '{app.home}' yet")
