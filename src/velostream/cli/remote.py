"""What the verbs that speak to a job server share: which server is meant, and how its answers are shown."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from velostream.server.client import Client

F = TypeVar("F", bound=Callable[..., Any])

_url = click.option("--url", default="", metavar="URL", help="The server. [default: VELO_URL, http://127.0.0.1:8700]")
_form = click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)


def remote_options(command: F) -> F:
    """The options of every verb that speaks to a server."""
    return _url(_form(command))


def client_of(url: str) -> Client:
    """The server that is meant; the token is VELO_TOKEN, or the one of the server of this folder."""
    from velostream.server.client import Client

    return Client.of(url)


def show(form: str, data: Any, text: Callable[[Any], str]) -> None:
    """Shows an answer for people, or as JSON for programs."""
    print(json.dumps(data, indent=2, ensure_ascii=False) if form == "json" else text(data))


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Columns side by side, as wide as their longest value."""
    cells = [list(columns), *([_text(value) for value in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    lines = ["  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join(lines)


def _text(value: Any) -> str:
    if value is None or value == "":
        return "-"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


JOB_COLUMNS = ("job", "app", "version", "state", "read", "rec/s", "rows out", "open", "dead", "watermark", "held by")


def job_table(jobs: Iterable[Mapping[str, Any]]) -> str:
    """Jobs as a table."""
    rows = [
        (
            *(job["name"], job["app"], job["version"], job["state"], job["read"], job["rate"], job["rows_out"]),
            *(job["open_records"], job["dead_lettered"], (job["watermark"] or "")[:19]),
            ", ".join(job["held_back_by"][:2]),
        )
        for job in jobs
    ]
    return table(JOB_COLUMNS, rows) if rows else "no job runs here; deploy one: velo deploy FILE"


_COMES = {"pause": "paused", "stop": "stopped"}
"""The state that a verb leads to at the end of the running batch, which may take longer than is waited for."""


def verb_text(answer: Mapping[str, Any]) -> str:
    """What became of a verb."""
    comes = _COMES.get(answer["verb"], "")
    lines = [
        f"{job['name']} is {job['state']}"
        + (f": it will be {comes} when its batch ends" if comes and job["state"] in ("running", "stopping") else "")
        for job in answer["jobs"]
    ]
    return "\n".join(lines) or f"{answer['app']} is {answer['state']}"


def carry_out(url: str, form: str, name: str, verb: str, body: Mapping[str, Any] | None = None) -> None:
    """Has the server carry a verb out, and says what became of it."""
    from velostream.server.client import quoted

    answer = client_of(url).post(f"/api/v1/jobs/{quoted(name)}/{verb}", body)
    show(form, answer, verb_text)
    sys.stdout.flush()
