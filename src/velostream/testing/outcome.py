"""Whether a run gave what its case expects: rows, dead letters, numbers of the report, printed lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from velostream.plan.job import ApplicationPlan
from velostream.registry import did_you_mean
from velostream.testing.differences import difference
from velostream.testing.document import InvalidSpec, Table
from velostream.testing.matching import match_any_order, match_ordered, newest
from velostream.testing.running import Outcome, Row
from velostream.testing.spec import Case, Expected
from velostream.testing.values import same, show


def compare(case: Case, plan: ApplicationPlan, outcome: Outcome) -> list[str]:
    """All that is not as expected."""
    failures: list[str] = []
    for name, expected in _by_name(case, plan).items():
        job, sink = _place(name, plan, outcome, expected)
        if expected.rows is not None or expected.count is not None:
            failures += _rows(name, _caught(job, sink, outcome, expected), expected, case.day)
        if expected.letters is not None:
            found = outcome.letters[job]
            mismatch = match_any_order(expected.letters, found, case.day, exact=False)
            if mismatch:
                what = f"dead letters of '{job}'"
                failures.append(difference(what, len(expected.letters), len(found), mismatch, case.day))
        if expected.report is not None:
            failures += _report(expected.report, outcome.reports[job], case.day)
    if case.printed is not None:
        failures += _printed(case, outcome)
    return failures


def _by_name(case: Case, plan: ApplicationPlan) -> Mapping[str, Expected]:
    if not isinstance(case.expected, Expected):
        return case.expected or {}
    if len(plan.jobs) != 1:
        names = ", ".join(job.name for job in plan.jobs)
        raise case.expected.place.refuse(f"there are {len(plan.jobs)} jobs", f"say which is meant: {names}")
    return {plan.jobs[0].name: case.expected}


def _place(name: str, plan: ApplicationPlan, outcome: Outcome, expected: Expected) -> tuple[str, str]:
    """The job and the sink that a name means; no sink where it is the job's."""
    job = plan.job(name)
    if job is not None:
        return job.name, ""
    for found_job, sink in outcome.rows:
        if name.casefold() == sink.casefold():
            return found_job, sink
    known = [*(each.name for each in plan.jobs), *(sink for _, sink in outcome.rows if sink)]
    raise _unknown(expected, name, known)


def _unknown(expected: Expected, name: str, known: list[str]) -> InvalidSpec:
    return expected.place.refuse(f"there is no job or sink '{name}'", did_you_mean(name, known, "jobs and sinks"))


def _caught(job: str, sink: str, outcome: Outcome, expected: Expected) -> list[Row]:
    places = [place for place in outcome.rows if place[0] == job and sink in ("", place[1])]
    if len(places) != 1:
        sinks = ", ".join(name for _, name in places)
        hint = f"name one: {sinks}" if sinks else "a job that prints has 'printed' lines, or rows, not both"
        raise expected.place.refuse(f"job '{job}' has {len(places)} sinks", hint)
    return outcome.rows[places[0]]


def _rows(name: str, found: list[Row], expected: Expected, day: str) -> Iterator[str]:
    if expected.newest is not None:
        found = [dict(row) for row in newest(found, expected.newest)]
    if expected.count is not None and len(found) != expected.count:
        yield f"rows of '{name}' are not as many as expected: {expected.count} expected, {len(found)} found"
    if expected.rows is None:
        return
    match = match_ordered if expected.ordered else match_any_order
    mismatch = match(expected.rows, found, day, exact=expected.exact)
    if mismatch:
        yield difference(f"rows of '{name}'", len(expected.rows), len(found), mismatch, day)


def _report(expected: Table, report: Row, day: str) -> Iterator[str]:
    for path, value in _flat(expected, ""):
        try:
            found = _look(report, path.split("."))
        except KeyError as missing:
            known = missing.args[1]
            if value != 0 or isinstance(value, bool) or not path.startswith(("records.", "emitted.", "windows.")):
                hint = did_you_mean(missing.args[0], known, "it has")
                yield f"the report of '{report['name']}' has no '{path}'. {hint}"
            continue
        if not same(value, found, day):
            yield f"'{path}' of the report of '{report['name']}': {show(value)} expected, {show(found)} found"


def _flat(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """`{records: {read: 1}}` and `records.read: 1` are the same; an empty mapping is a value."""
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _look(data: Any, path: list[str]) -> Any:
    """What stands under a path; keys may hold dots themselves."""
    if not path:
        return data
    if isinstance(data, Mapping):
        for length in range(len(path), 0, -1):
            key = ".".join(path[:length])
            if key in data:
                return _look(data[key], path[length:])
    raise KeyError(path[0], list(data) if isinstance(data, Mapping) else [])


def _printed(case: Case, outcome: Outcome) -> Iterator[str]:
    assert case.printed is not None
    wanted = [{"line": str(line)} for line in case.printed]
    found = [{"line": line} for line in outcome.printed]
    mismatch = match_any_order(wanted, found, case.day, exact=True)
    if mismatch:
        yield difference("printed lines", len(wanted), len(found), mismatch, case.day)
