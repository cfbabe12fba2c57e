"""`velo query`: a question to the tables of an application, whether it runs or not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from velostream.cli.answers import FORMS
from velostream.cli.explain import one
from velostream.cli.options import preset_option, set_option
from velostream.cli.planned import checkpoint_option, planned

if TYPE_CHECKING:
    from velostream.plan.job import ApplicationPlan, Job


@click.command("query", short_help="Ask the tables of an application.")
@click.argument("sql", metavar="'SELECT …'")
@click.option("--app", "file", required=True, metavar="FILE", help="The application whose tables are asked.")
@click.option(
    "--history", is_flag=True, help="Ask the history of its jobs instead: jobs, partitions, stages, windows, metrics."
)
@checkpoint_option
@click.option("--format", "form", type=click.Choice(list(FORMS)), default="table", show_default=True)
@click.option("--master", default="local[*]", show_default=True, metavar="URL", help="Where Spark runs.")
@preset_option
@set_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    sql: str,
    file: str,
    history: bool,
    checkpoint: str,
    form: str,
    master: str,
    preset: str,
    settings: tuple[str, ...],
) -> None:
    """Ask the tables of an application: those that it loads, those that its statements make, and what its jobs have
    written to files, or put away of closed windows (state.cold.backend).

    The answer is of the newest version of each table that was complete when the question came, and of the rows that
    were written by then: of a job with windows those that are closed. The application may be running; its jobs do not
    notice.

    With --history the tables are what was kept of its jobs over time (history.store): jobs, partitions, stages, windows
    and metrics, each row with `at`, `app` and `job`; the query is Spark's own SQL.

    \b
    Examples:
      velo query --history "SELECT at, job, records_read, lag_seconds FROM jobs ORDER BY at" --app app.sql
      velo query "SELECT * FROM positions WHERE trader_id = 'T001'" --app app.sql
      velo query "SELECT desk, COUNT(*) AS n FROM limits GROUP BY desk" --app app.sql --format csv
      velo query "SELECT symbol, MAX(volume) AS most FROM minute_bars GROUP BY symbol" --app app.sql
    """
    from velostream.jobs.asking import ask, ask_history, refuse_streams
    from velostream.jobs.written import asked_for
    from velostream.observability.history.reading import kept
    from velostream.spark.failures import translated
    from velostream.spark.session import spark_session
    from velostream.sql.parse import ended

    given = one(file)
    app = planned(ctx, given, checkpoint, preset=preset, settings=settings)
    with translated(debug=bool(getattr(ctx.obj, "debug", False))):
        if history:
            tables = kept(app.plan, app.home, app.folder)
            rows = ask_history(sql, tables, spark_session(master))
        else:
            written = asked_for(app.plan, sql, app.folder)
            declared = "".join(f"{each.declaration}\n" for each in written.values())
            whole = replace(given, text=f"{ended(given.text)}{declared}{sql}\n")
            app = planned(ctx, whole, checkpoint, preset=preset, settings=settings)
            question = _question(app.plan, whole.text, sql)
            refuse_streams(question)
            rows = ask(app.plan, question, spark_session(master), app.home, written)
    print(FORMS[form](rows), end="")


def _question(plan: ApplicationPlan, text: str, sql: str) -> Job:
    """The one query behind the statements of an application."""
    from velostream.errors import VeloError
    from velostream.plan.nodes import Print

    first = text.rstrip().count("\n") - sql.rstrip().count("\n") + 1
    asked = [job for job in plan.jobs if job.line >= first]
    if len(asked) != 1 or not isinstance(asked[0].root, Print):
        message = f"'{' '.join(sql.split())}' is not one query"
        raise VeloError(message, hint="ask with one SELECT that writes nowhere", code="usage")
    return asked[0]
