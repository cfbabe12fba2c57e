"""`velo windows`: the closed windows of a job that were put away, whether it runs or not."""

from __future__ import annotations

import click

from velostream.cli.answers import FORMS
from velostream.cli.explain import one
from velostream.cli.moments import moment
from velostream.cli.options import preset_option, set_option
from velostream.cli.planned import checkpoint_option, planned


@click.command("windows", short_help="Ask the closed windows of a job.")
@click.argument("job", metavar="JOB")
@click.option("--app", "file", required=True, metavar="FILE", help="The application of the job.")
@click.option(
    "--key", default="", metavar="TEXT", help="Only windows of this key: one part of it, or all joined with |."
)
@click.option(
    "--from", "begin", default="", metavar="TIME", help="Only windows from this on: 2026-01-31T12:00, or 2h ago."
)
@click.option("--to", "end", default="", metavar="TIME", help="Only windows that begin before this.")
@click.option("--revisions", is_flag=True, help="All that was said of each window, withdrawals too.")
@checkpoint_option
@click.option("--format", "form", type=click.Choice(list(FORMS)), default="table", show_default=True)
@preset_option
@set_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    job: str,
    file: str,
    key: str,
    begin: str,
    end: str,
    revisions: bool,
    checkpoint: str,
    form: str,
    preset: str,
    settings: tuple[str, ...],
) -> None:
    """Show the closed windows of a job: those that its cold tier keeps (state.cold.backend), as they stand now.

    Each has its group, its bounds, its values, as what it was said last (final or late), its revision, how many
    records it had and when it was closed. A window that was corrected is shown corrected; one that was withdrawn is
    not shown. Nothing is started: the job may be running, and does not notice.

    \b
    Examples:
      velo windows minute_bars --app app.sql
      velo windows minute_bars --app app.sql --key AAPL --from 2026-01-31T12:00 --to 2026-01-31T13:00
      velo windows minute_bars --app app.sql --from 2h --format json
      velo windows minute_bars --app app.sql --revisions --format csv
    """
    from velostream.jobs.closed import asked
    from velostream.jobs.closed_rows import Wanted

    app = planned(ctx, one(file), checkpoint, preset=preset, settings=settings)
    wanted = Wanted(key, moment(begin), moment(end), revisions=revisions)
    print(FORMS[form](asked(app.plan, job, app.folder, wanted)), end="")
