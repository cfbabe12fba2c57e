"""`velo query`: a question to the tables of an application, whether it runs or not."""

from __future__ import annotations

import csv
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from velostream.cli.check import failed, validated
from velostream.cli.colours import colours_of
from velostream.cli.explain import one
from velostream.cli.report.text import TextReport

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.cli.inputs import Input


@click.command("query", short_help="Ask the tables of an application.")
@click.argument("sql", metavar="'SELECT …'")
@click.option("--app", "file", required=True, metavar="FILE", help="The application whose tables are asked.")
@click.option(
    "--history", is_flag=True, help="Ask the history of its jobs instead: jobs, partitions, stages, windows, metrics."
)
@click.option("--checkpoint", default="", metavar="DIR", help="Where its jobs keep their state. [default: .velo/APP]")
@click.option("--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True)
@click.option("--master", default="local[*]", show_default=True, metavar="URL", help="Where Spark runs.")
@click.pass_context
def command(ctx: click.Context, *, sql: str, file: str, history: bool, checkpoint: str, form: str, master: str) -> None:
    """Ask the tables of an application: those that it loads, and those that its statements make.

    The answer is of the newest version of each table that was complete when the question came. The application may be
    running; its jobs do not notice.

    With --history the tables are what was kept of its jobs over time (history.store): jobs, partitions, stages, windows
    and metrics, each row with `at`, `app` and `job`; the query is Spark's own SQL.

    \b
    Examples:
      velo query --history "SELECT at, job, records_read, lag_seconds FROM jobs ORDER BY at" --app app.sql
      velo query "SELECT * FROM positions WHERE trader_id = 'T001'" --app app.sql
      velo query "SELECT desk, COUNT(*) AS n FROM limits GROUP BY desk" --app app.sql --format csv
    """
    given = one(file)
    if history:
        _history(ctx, given, sql, checkpoint, form, master)
        return
    whole = replace(given, text=f"{given.text.rstrip().rstrip(';')};\n{sql}\n")
    answer = validated(whole, preset="", overrides={})
    if answer.findings.errors:
        shown = TextReport().render([failed(answer)], colours=colours_of(sys.stderr), system_columns=False)
        print(shown, file=sys.stderr)
        ctx.exit(2)
    from velostream.jobs.asking import ask
    from velostream.plan import plan
    from velostream.spark.failures import translated
    from velostream.spark.session import spark_session

    planned = plan(answer.bound, answer.library)
    home = Path(checkpoint) if checkpoint else Path(".velo") / (planned.name or "app")
    with translated(debug=bool(getattr(ctx.obj, "debug", False))):
        rows = ask(planned, planned.jobs[-1], spark_session(master), home)
    print(_FORMS[form](rows), end="")


def _history(ctx: click.Context, given: Input, sql: str, checkpoint: str, form: str, master: str) -> None:
    """Asks what was kept of the jobs over time."""
    from velostream.jobs.asking import ask_history
    from velostream.observability.history.reading import kept
    from velostream.plan import plan
    from velostream.spark.failures import translated
    from velostream.spark.session import spark_session

    answer = validated(given, preset="", overrides={})
    planned = plan(answer.bound, answer.library)
    home = Path(checkpoint) if checkpoint else Path(".velo") / (planned.name or "app")
    tables = kept(planned, home, given.folder or Path())
    with translated(debug=bool(getattr(ctx.obj, "debug", False))):
        rows = ask_history(sql, tables, spark_session(master))
    print(_FORMS[form](rows), end="")


def _as_json(rows: pa.Table) -> str:
    return "".join(json.dumps(row, default=str, ensure_ascii=False) + "\n" for row in rows.to_pylist())


def _as_csv(rows: pa.Table) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(rows.column_names)
    writer.writerows([_text(value) for value in row.values()] for row in rows.to_pylist())
    return written.getvalue()


def _as_table(rows: pa.Table) -> str:
    """Columns side by side, as wide as their longest value."""
    cells = [rows.column_names, *([_text(value) or "NULL" for value in row.values()] for row in rows.to_pylist())]
    widths = [max(len(row[place]) for row in cells) for place in range(len(rows.column_names))]
    lines = ["  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    count = rows.num_rows
    return "\n".join(lines) + f"\n({count} row{'' if count == 1 else 's'})\n"


def _text(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value, default=str, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


_FORMS = {"table": _as_table, "json": _as_json, "csv": _as_csv}
