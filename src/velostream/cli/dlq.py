"""`velo dlq`: dead letters of an application, whether it runs or not: look at them, replay them, take them out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from velostream.cli.explain import one
from velostream.cli.moments import letter_time
from velostream.cli.options import preset_option, set_option
from velostream.cli.planned import checkpoint_option, planned
from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.replayed import LATE

if TYPE_CHECKING:
    from velostream.jobs.letters import JobLetters, Wanted

_FILTERS = ("reason", "source", "since", "until", "text")
_COLUMNS = ("id", "job", "written_at", "reason", "source", "partition", "offset", "replayed", "record")
_WIDE = 60
"""No more characters of a record than this are listed."""
_NONE = "no letter is such a one"
Command = Callable[..., Any]
Letters = list[dict[str, Any]]
Chosen = dict[str, Any]
"""The options by which letters are chosen, by name."""


def _choosing(function: Command) -> Command:
    """The options by which letters are chosen."""
    options = (
        click.argument("file", metavar="FILE"),
        checkpoint_option,
        click.option("--job", "job", default="", metavar="NAME", help="Only letters of this job or table."),
        click.option("--reason", default="", metavar="WORD", help="Only letters with this reason."),
        click.option("--source", default="", metavar="NAME", help="Only letters of records of this source."),
        click.option(
            "--since",
            default="",
            metavar="TIME",
            help="Only letters written at or after this: 2026-01-31T12:00, or 2h ago.",
        ),
        click.option("--until", default="", metavar="TIME", help="Only letters written before this."),
        click.option("--text", default="", metavar="TEXT", help="Only letters with this in the record or the error."),
        preset_option,
        set_option,
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.group("dlq", short_help="Dead letters: list, show, replay, purge.")
def command() -> None:
    """Dead letters: records that are in no result, each with the reason.

    They are beside the checkpoint of their job, or where dlq.location says: in a folder, a Kafka topic or PostgreSQL.
    Those of rows that a table could not take are beside the table, and are listed with its name.

    \b
    Examples:
      velo dlq list app.sql --reason too_late --since 2h
      velo dlq show app.sql 000000012-000000
      velo dlq replay app.sql --job alerts --reason undecodable
      velo dlq purge app.sql --until 2026-01-01
    """


@command.command("list")
@_choosing
@click.option("--limit", default=100, show_default=True, help="The newest so many; 0 for all.")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.pass_context
def listed(ctx: click.Context, /, *, limit: int, form: str, **chosen: Any) -> None:
    """List letters, newest last, and how many there are of each reason."""
    wanted = _wanted((), chosen)
    found = [letter for job in _jobs(ctx, chosen) for letter in job.found(wanted)]
    found.sort(key=lambda letter: (letter["written_at"], letter["job"], letter["id"]))
    shown = found[-limit:] if limit else found
    if form == "json":
        print("".join(json.dumps(letter, ensure_ascii=False) + "\n" for letter in shown), end="")
        return
    print("\n".join([*_table(shown), *_counts(found, len(shown))]))
    if not found and any(chosen[name] for name in _FILTERS):
        every = [letter for job in _jobs(ctx, chosen) for letter in job.found(_wanted((), dict.fromkeys(_FILTERS, "")))]
        print(f"without these filters: {' '.join(_counts(every, len(every)))}")


@command.command("show")
@_choosing
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def show(ctx: click.Context, /, *, ids: tuple[str, ...], form: str, **chosen: Any) -> None:
    """Show all of a letter: the record with its headers, the error, where it stood."""
    found = [letter for _, letters in _named(ctx, ids, chosen) for letter in letters]
    if form == "json":
        print("".join(json.dumps(letter, ensure_ascii=False) + "\n" for letter in found), end="")
        return
    print("\n\n".join("\n".join(_details(letter)) for letter in found))


@command.command("replay")
@_choosing
@click.argument("ids", nargs=-1, metavar="[ID…]")
@click.option("--all", "whole", is_flag=True, help="All that match, where no ID is given.")
@click.option(
    "--late", type=click.Choice(LATE), default=LATE[0], show_default=True, help="What becomes of late records."
)
@click.pass_context
def replay(ctx: click.Context, /, *, ids: tuple[str, ...], whole: bool, late: str, **chosen: Any) -> None:
    """Send the original records through their job once more.

    A job that runs takes them in its next micro-batch, others at their next start. They keep source, partition and
    offset, move no watermark, and are counted as replayed. A letter is replayed once, and says so. Letters of a table
    cannot be replayed: a table reads its source again.
    """
    from velostream.jobs.letters import READS_AGAIN

    _refuse_everything(ids, chosen, "replay", whole=whole)
    changed = _changed(ctx, ids, chosen)
    mixed = any(not job.of_table for job, _ in changed)
    for job, found in changed:
        if job.of_table and mixed:
            print(f"{job.job}: no record comes again: {READS_AGAIN}")
            continue
        done = job.replay(found, late)
        print(f"{job.job}: {'1 record comes' if done.records == 1 else f'{done.records} records come'} again")
        for number, why in done.passed_over:
            print(f"  {number} does not: {why}")
    if not changed:
        print(_NONE)


@command.command("purge")
@_choosing
@click.argument("ids", nargs=-1, metavar="[ID…]")
@click.option("--all", "whole", is_flag=True, help="All that match, where no ID is given.")
@click.pass_context
def purge(ctx: click.Context, /, *, ids: tuple[str, ...], whole: bool, **chosen: Any) -> None:
    """Take letters out for good."""
    _refuse_everything(ids, chosen, "purge", whole=whole)
    changed = _changed(ctx, ids, chosen)
    for job, found in changed:
        gone = job.store.purge({letter["id"] for letter in found})
        print(f"{job.job}: {gone} letter{'' if gone == 1 else 's'} taken out of {job.store.shown}")
    if not changed:
        print(_NONE)


def _refuse_everything(ids: Sequence[str], chosen: Chosen, verb: str, *, whole: bool) -> None:
    """What changes things asks for a choice, or to be told that all are meant."""
    filters = ("job", *_FILTERS)
    if not (ids or whole or any(chosen[name] for name in filters)):
        message = f"velo dlq {verb} is not told which letters"
        raise VeloError(message, hint="give IDs, --reason, --job … or --all", code="usage")


def _jobs(ctx: click.Context, chosen: Chosen) -> list[JobLetters]:
    """The jobs and tables of the application, or the one that is named."""
    from velostream.jobs.letters import all_letters

    app = planned(ctx, one(chosen["file"]), chosen["checkpoint"], preset=chosen["preset"], settings=chosen["settings"])
    found = all_letters(app.plan, app.home, app.folder)
    name, names = chosen["job"], [each.job for each in found]
    if name and name not in names:
        message = f"'{chosen['file']}' has no job or table '{name}'"
        raise VeloError(message, hint=did_you_mean(name, names, "jobs and tables"), code="unknown-job")
    return [each for each in found if not name or each.job == name]


def _named(ctx: click.Context, ids: Sequence[str], chosen: Chosen) -> list[tuple[JobLetters, Letters]]:
    """The letters that are chosen, job by job; each of the ids must be there."""
    wanted = _wanted(ids, chosen)
    found = [(job, list(job.found(wanted))) for job in _jobs(ctx, chosen)]
    there = {letter["id"] for _, letters in found for letter in letters}
    missing = next((number for number in ids if number not in there), None)
    if missing is not None:
        raise VeloError(f"there is no letter '{missing}'", hint="velo dlq list shows their ids", code="usage")
    return [(job, letters) for job, letters in found if letters]


def _changed(ctx: click.Context, ids: Sequence[str], chosen: Chosen) -> list[tuple[JobLetters, Letters]]:
    """The same, for what changes something: letters of two jobs may have one id, and only one of them is meant."""
    found = _named(ctx, ids, chosen)
    for number in ids:
        owners = [job.job for job, letters in found if any(letter["id"] == number for letter in letters)]
        if len(owners) > 1:
            message = f"there is a letter '{number}' of each of {', '.join(owners)}"
            raise VeloError(message, hint="say which is meant with --job", code="usage")
    return found


def _wanted(ids: Sequence[str], chosen: Chosen) -> Wanted:
    from velostream.jobs.letters import Wanted

    return Wanted(
        frozenset(ids),
        chosen["reason"],
        chosen["source"],
        letter_time(chosen["since"]),
        letter_time(chosen["until"]),
        chosen["text"],
    )


def _table(letters: Sequence[dict[str, Any]]) -> Iterator[str]:
    rows = [[_cell(letter, name) for name in _COLUMNS] for letter in letters]
    if not rows:
        return
    widths = [max(len(row[place]) for row in (list(_COLUMNS), *rows)) for place in range(len(_COLUMNS))]
    for row in (list(_COLUMNS), ["-" * width for width in widths], *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cell(letter: dict[str, Any], name: str) -> str:
    if name == "replayed":
        return "yes" if letter["replayed_at"] else ""
    if name == "job" and letter.get("table"):
        return f"{letter['job']} (table)"
    value = letter.get("row") if name == "record" and letter["record"] is None else letter[name]
    text = "" if value is None else " ".join(str(value).split())
    return text if len(text) <= _WIDE else text[: _WIDE - 1] + "…"


def _counts(found: Sequence[dict[str, Any]], shown: int) -> Iterator[str]:
    reasons: dict[str, int] = {}
    for letter in found:
        reasons[letter["reason"]] = reasons.get(letter["reason"], 0) + 1
    parts = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    yield f"{len(found)} letter{'' if len(found) == 1 else 's'}" + (f": {parts}" if parts else "")
    if shown < len(found):
        yield f"the newest {shown} are shown; --limit 0 shows all"


def _details(letter: dict[str, Any]) -> Iterator[str]:
    for name, value in letter.items():
        if name == "headers" and value:
            for header in value:
                yield f"{'header':12} {header['key']}: {header['value']}"
        elif value is not None and name != "record":
            yield f"{name:12} {value}"
    yield f"{'record':12} {letter['record'] if letter['record'] is not None else 'NULL'}"
