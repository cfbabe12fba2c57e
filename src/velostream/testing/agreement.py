"""Whether a run that stopped and went on gave what the whole run gave: every row, dead letter and number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from velostream.testing.running import Outcome
from velostream.testing.values import show

_COMPARED = ("records", "emitted", "watermark", "partitions")
"""The parts of a report that do not depend on how a run went."""
_CLOCKED = ("lag_ms", "written_at", "error")
"""What the clock of the machine says in reports and dead letters; the error of a skewed clock tells by how much."""
MOST = 10


def agreement(whole: Outcome, resumed: Outcome) -> Iterator[str]:
    """What a stop and a resume in the middle changed."""
    for (job, sink), rows in whole.rows.items():
        yield from _compared(f"rows of '{sink or job}'", rows, resumed.rows[(job, sink)])
    for job, letters in whole.letters.items():
        again = resumed.letters[job]
        yield from _compared(f"dead letters of '{job}'", list(map(_timeless, letters)), list(map(_timeless, again)))
    for job, report in whole.reports.items():
        for part in _COMPARED:
            before, after = _timeless(report.get(part)), _timeless(resumed.reports[job].get(part))
            if before != after:
                yield f"after a stop and a resume, '{part}' of the report of '{job}' is {after}, not {before}"
    if Counter(whole.printed) != Counter(resumed.printed):
        yield f"after a stop and a resume, the printed lines are {resumed.printed}, not {whole.printed}"


def _timeless(part: Any) -> Any:
    """A part of a report, or a dead letter, without what the clock of the machine says."""
    if not isinstance(part, dict):
        return part
    return {name: _timeless(value) for name, value in part.items() if name not in _CLOCKED}


def _compared(what: str, before: list[Any], after: list[Any]) -> Iterator[str]:
    whole, resumed = Counter(map(show, before)), Counter(map(show, after))
    if whole == resumed:
        return
    lines = [f"after a stop and a resume, {what} are others: {len(before)} without it, {len(after)} with it"]
    lines += [f"  lost        {row}" for row in list((whole - resumed).elements())[:MOST]]
    lines += [f"  additional  {row}" for row in list((resumed - whole).elements())[:MOST]]
    yield "\n".join(lines)
