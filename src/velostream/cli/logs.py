"""`velo logs`: the log of a job."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

import click

from velostream.cli.remote import client_of, remote_options

_KNOWN = ("at", "level", "message")
EVERY = 1.0
MOST_ROWS = 5
"""Rows of a SELECT that prints, or of a console sink, that are shown of a line."""


@click.command("logs", short_help="Show the log of a job.")
@click.argument("name", metavar="NAME")
@click.option("--lines", "-n", default=50, show_default=True, type=click.IntRange(1, 10_000), help="How many.")
@click.option("--follow", "-f", is_flag=True, help="Go on with new lines until Ctrl-C.")
@remote_options
def command(*, name: str, lines: int, follow: bool, url: str, form: str) -> None:
    """Show the newest lines of a job's log, and what its process printed beside it.

    \b
    Examples:
      velo logs trading
      velo logs ohlcv --lines 500 --follow
    """
    from velostream.server.client import quoted

    client = client_of(url)
    path = f"/api/v1/jobs/{quoted(name)}/logs"
    answer = client.get(path, lines=lines)
    shown: list[Mapping[str, Any]] = answer["lines"]
    for line in shown:
        print(line_text(line, form))
    for line in answer["output"] if form == "table" else ():
        print(f"printed: {line}")
    while follow:
        time.sleep(EVERY)
        latest = client.get(path, lines=1000)["lines"]
        first = _after(latest, shown)
        if first is None:
            print("… there were more lines than could be followed: --lines shows them", file=sys.stderr, flush=True)
        for line in latest[first or 0 :]:
            print(line_text(line, form), flush=True)
        shown = latest


def _after(latest: list[Mapping[str, Any]], shown: list[Mapping[str, Any]]) -> int | None:
    """Where the lines begin that were not shown yet; None where the last one that was is too far back."""
    if not shown:
        return 0
    places = [place for place, line in enumerate(latest) if line == shown[-1]]
    return places[-1] + 1 if places else None


def line_text(line: Mapping[str, Any], form: str) -> str:
    """A line of the log as it is printed."""
    if form == "json":
        return json.dumps(line, ensure_ascii=False)
    told = {key: value for key, value in line.items() if key not in _KNOWN and value not in ("", [], None)}
    rows = {key: value for key, value in told.items() if isinstance(value, list) and isinstance(value[0], Mapping)}
    more = " ".join(f"{key}={value}" for key, value in told.items() if key not in rows)
    first = f"{line['at'] or '':<24} {line['level']:<7} {line['message']}{'  ' + more if more else ''}"
    return "\n".join([first, *(text for each in rows.values() for text in _rows(each))])


def _rows(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    """The first of the rows that a line holds, each in a line of its own."""
    for row in rows[:MOST_ROWS]:
        yield "    " + " ".join(f"{key}={value}" for key, value in row.items())
    if len(rows) > MOST_ROWS:
        yield f"    … {len(rows) - MOST_ROWS} more rows of this line: --format json shows them"
