"""`velo explain`: the plan of every job of a file, or of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from velostream.cli import inputs
from velostream.cli.options import preset_option, set_option
from velostream.cli.planned import checkpoint_option, planned
from velostream.errors import NotFound, VeloError
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    from velostream.plan.job import ApplicationPlan
    from velostream.validation.bound import BoundApplication, BoundStatement


@click.command("explain", short_help="Show how the statements of a file will run.")
@click.argument("file", metavar="FILE | 'SELECT …' | -")
@click.option("--statement", "-s", metavar="NAME", help="Only this job, stream or table.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@checkpoint_option
@preset_option
@set_option
@click.pass_context
def command(
    ctx: click.Context,
    *,
    file: str,
    statement: str | None,
    form: str,
    checkpoint: str,
    preset: str,
    settings: tuple[str, ...],
) -> None:
    """Show how the statements of a file will run: sources, keys, windows, watermarks, emission, sinks, guarantees.

    How a table is joined goes by its size: as it was loaded last, else as its files are.

    A file with errors is not planned: the errors are shown, and the exit code is 2.

    \b
    Examples:
      velo explain app.sql
      velo explain app.sql --statement ohlcv
      velo explain --preset prod --format json app.sql
    """
    from velostream.plan.sizing import with_sizes
    from velostream.tables.sizing import sizes_of

    app = planned(ctx, one(file), checkpoint, preset=preset, settings=settings)
    sized = with_sizes(app.plan, sizes_of(app.plan, app.home, app.folder))
    show = as_json if form == "json" else as_text
    print(show(sized, named(statement, app.answer.bound) if statement else ""))


def one(argument: str) -> inputs.Input:
    """The only text that an argument means; a folder of several is refused."""
    found = list(inputs.resolve(argument))
    if len(found) > 1:
        names = ", ".join(each.name for each in found)
        raise NotFound(f"'{argument}' is a folder of {len(found)} files", hint=f"name one: {names}")
    return found[0]


def named(wanted: str, bound: BoundApplication) -> str:
    """The statement that is meant: by its name, or by that of the stream or table it makes."""
    names: dict[str, BoundStatement] = {}
    for statement in bound.statements:
        names[statement.name.casefold()] = statement
        if statement.creates is not None:
            names.setdefault(statement.creates.name.casefold(), statement)
    found = names.get(wanted.casefold())
    if found is None:
        runnable = [statement.name for statement in bound.statements if statement.query is not None]
        message = f"no statement is named '{wanted}'"
        raise VeloError(message, hint=did_you_mean(wanted, runnable, "statements"), code="unknown-job")
    if found.query is None:
        hint = "explain a statement that reads it"
        raise VeloError(f"'{wanted}' is declared and not computed, so it has no plan", hint=hint, code="unknown-job")
    return found.name


def as_text(planned: ApplicationPlan, statement: str) -> str:
    """The whole application, one job, or a stream that only its readers run."""
    from velostream.plan.explain import explain_application, explain_job
    from velostream.plan.explain.text import tree

    job = planned.statement(statement)
    if not statement:
        return explain_application(planned).rstrip("\n")
    if job is not None:
        return explain_job(job)
    return f"Stream {statement} (a definition: those that read it run it)\n{tree(planned.definitions[statement].root)}"


def as_json(planned: ApplicationPlan, statement: str) -> str:
    """The same as data: `jobs`, or `definitions` where the statement is a stream that only its readers run."""
    from velostream.plan.explain import application_data
    from velostream.plan.explain.data import tree_data

    data = application_data(planned)
    if statement:
        for kind in ("derived", "jobs"):
            data[kind] = [one for one in data[kind] if one["name"] == statement]
    if statement and not (data["jobs"] or data["derived"]):
        data["definitions"] = [{"name": statement, "plan": tree_data(planned.definitions[statement].root)}]
    return json.dumps(data, indent=2, ensure_ascii=False)
