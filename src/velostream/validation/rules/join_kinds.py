"""Every join is classified; those that a stream cannot run, or that grow without end, are said."""

from __future__ import annotations

from velostream.durations import show
from velostream.validation.bound import BoundJoin, BoundSource, BoundStatement
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of


def check(statement: BoundStatement, look: Look) -> None:
    """Notes what each join is, warns of cross and non-equi joins, refuses unbounded and impossible ones."""
    for select in selects_of(statement.query):
        for join in select.joins:
            if join.classification == "unnest":
                continue
            _classify(join, look)
            _as_of(join, look)
            if join.classification == "stream-stream":
                _streams(join, statement, look)
            elif join.classification in ("stream-table", "table-stream"):
                _table(join, look)
            _condition(join, look)


def _name(join: BoundJoin) -> str:
    return join.right.alias


def _classify(join: BoundJoin, look: Look) -> None:
    detail = f", right − left from {show(join.bounds.lower)} to {show(join.bounds.upper)}" if join.bounds else ""
    message = f"{join.kind} join with '{_name(join)}' is a {join.classification} join{detail}"
    look.findings.note("join-classified", message, join.span)


def _as_of(join: BoundJoin, look: Look) -> None:
    right = join.right
    if isinstance(right, BoundSource) and right.as_of is not None and right.relation.is_table:
        _versions(join, right, look)
    if isinstance(right, BoundSource) and right.as_of is not None and not right.relation.is_table:
        hint = "FOR SYSTEM_TIME AS OF reads a version of a table; CREATE TABLE makes one"
        look.findings.error("join-as-of", f"'{right.alias}' is a stream and has no versions", right.span, hint=hint)


def _versions(join: BoundJoin, right: BoundSource, look: Look) -> None:
    """A version needs a time: a column that says from when on it holds, or the record's own. And it is one of a row,
    which its key tells."""
    relation = right.relation
    if (
        right.as_of is not None
        and right.as_of.fields
        and right.as_of.fields[0].rpartition(".")[2] == "_processing_time"
    ):
        return
    if join.classification != "stream-table":
        message = f"only rows of a stream ask what '{right.alias}' was at their time"
        look.findings.error("join-as-of", message, right.span, hint="join the newest version: remove FOR SYSTEM_TIME")
        return
    met = {other.tree.name.casefold() for _, other in join.equalities}
    lacking = [name for name in relation.key if f"{right.alias}.{name}".casefold() not in met]
    if lacking or not relation.key:
        message = f"versions of '{right.alias}' are found by its key" + (
            f": '{lacking[0]}' is missing" if lacking else ""
        )
        hint = f"add {right.alias}.{lacking[0]} = … to ON" if lacking else f"'{relation.name}' needs a PRIMARY KEY"
        look.findings.error("join-as-of", message, right.span, hint=hint)
    if relation.connector is None or relation.settings is None or relation.connector.record_time:
        return
    if relation.settings.get("version.time") is None:
        message = f"rows of '{right.alias}' do not say from when on they hold"
        hint = f"set '{relation.name}.version.time' to the column that does"
        look.findings.error("join-as-of", message, right.span, hint=hint)


def _streams(join: BoundJoin, statement: BoundStatement, look: Look) -> None:
    ttl = statement.settings.get("state.ttl")
    if isinstance(join.right, BoundSource) and join.right.as_of is not None:
        return  # that a stream has no versions is what is wrong
    if join.bounds is not None and join.bounds.lower > join.bounds.upper:
        message = f"no two rows can match: the bounds are empty, {show(join.bounds.lower)} to {show(join.bounds.upper)}"
        look.findings.error("join-unbounded", message, join.span, hint="swap the bounds")
    if join.bounds is None and ttl is None:
        message = f"the streams of the join with '{_name(join)}' are not bounded in time"
        hint = "add a bound: JOIN … WITHIN 5m, or b._event_time BETWEEN a._event_time - INTERVAL 5 MINUTES AND "
        hint += "a._event_time + INTERVAL 5 MINUTES; or set state.ttl"
        look.findings.error("join-unbounded", message, join.span, hint=hint)


def _table(join: BoundJoin, look: Look) -> None:
    """The stream drives: a row of the table that nothing has met yet may be met tomorrow."""
    swapped = join.classification == "table-stream"
    if join.kind not in (("LEFT", "FULL") if swapped else ("RIGHT", "FULL")):
        return
    keeps = "a table on the left" if swapped else f"the table '{_name(join)}'"
    message = f"a {join.kind} join keeps rows of {keeps} that no row of the stream meets, and a stream never says that"
    hint = f"keep the rows of the stream: {'RIGHT JOIN' if swapped else 'LEFT JOIN'}; or read the table by velo query"
    look.findings.error("join-unsupported", message, join.span, hint=hint)


def _condition(join: BoundJoin, look: Look) -> None:
    if join.kind == "CROSS" or join.condition is None:
        message = f"every row meets every row of '{_name(join)}'"
        if join.classification == "stream-stream":
            look.findings.error("join-cross", message, join.span, hint="streams need an equality: add ON a.key = b.key")
        else:
            look.findings.warning("join-cross", message, join.span, hint="add ON if that is not meant")
    elif not join.equalities:
        message = f"the join with '{_name(join)}' has no equality"
        hint = "add an equality such as a.key = b.key, so that rows can be routed by it"
        if join.classification == "stream-stream":
            look.findings.error("join-non-equi", message, join.span, hint=hint)
        else:
            look.findings.warning("join-non-equi", message, join.span, hint=hint + "; now every row is compared")
