"""What a case expects of its jobs: rows, dead letters, numbers of the report."""

from __future__ import annotations

from velostream.testing.document import Items, Table
from velostream.testing.keys import EXPECTATION, names
from velostream.testing.spec import Expected
from velostream.testing.taking import flag, integer, rows, rows_of, table, texts


def read_expected(own: Table) -> dict[str, Expected] | Expected | None:
    """`expect:` of a case: of its only job, or by the names of jobs and sinks."""
    if "expect" not in own:
        return None
    value = own["expect"]
    if isinstance(value, Items):
        return Expected(own.places["expect"], rows=rows_of(value))
    if not isinstance(value, Table) or not value:
        raise own.refuse("expect", "'expect' says nothing", "write rows: below it, or the name of a job")
    if set(value) & set(names(EXPECTATION)):
        return _expected(value, "'expect'", value)
    found = {}
    for name in value:
        member = value[name]
        if isinstance(member, Items):
            found[name] = Expected(value.places[name], rows=rows_of(member))
        elif isinstance(member, Table):
            found[name] = _expected(member, f"what '{name}' is to give", value, name)
        else:
            raise value.refuse(name, f"'{name}' expects nothing", "write rows: below it")
    return found


def _expected(own: Table, what: str, above: Table, name: str = "") -> Expected:
    own.only(names(EXPECTATION), what)
    found = Expected(
        place=above.places[name] if name else above.place,
        rows=rows(own, "rows"),
        count=integer(own, "count"),
        ordered=flag(own, "ordered"),
        exact=flag(own, "exact"),
        newest=texts(own, "newest") if "newest" in own else None,
        letters=rows(own, "dead_letters"),
        report=table(own, "report") if "report" in own else None,
    )
    for key in ("ordered", "exact"):
        if own.get(key) and found.rows is None:
            raise own.refuse(key, f"'{key}' has no effect without 'rows'", "give rows, or remove it")
    if found.newest is not None and found.rows is None and found.count is None:
        raise own.refuse("newest", "'newest' has no effect without 'rows' or 'count'", "give rows, or remove it")
    return found
