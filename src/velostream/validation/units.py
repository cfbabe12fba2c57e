"""The statements of a file as binding sees them: what each creates, reads and writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from velostream.sql import statements as sql
from velostream.sql.application import Application, ParsedStatement
from velostream.sql.nodes import Location

_CREATES = re.compile(
    r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:MATERIALIZED\s+)?(STREAM|TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    r"(?:`([^`]+)`|(\w+))",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Unit:
    """One statement, unwrapped from EXPLAIN, START JOB or DEPLOY JOB."""

    parsed: ParsedStatement
    tree: sql.Statement
    creates: str = ""
    query: sql.Query | None = None
    reads: dict[str, exp.Table] = field(default_factory=dict)
    """Every relation in FROM, JOIN and subqueries by name, where it stands first. CTEs are not among them."""
    writes: list[exp.Table] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Its name in small letters."""
        return self.parsed.name.casefold()


def units_of(application: Application) -> list[Unit]:
    """The units of all statements that could be parsed."""
    return [_unit(parsed, parsed.tree) for parsed in application.statements if parsed.tree is not None]


def unread(application: Application) -> Iterator[tuple[str, str, ParsedStatement]]:
    """The kind and name of what statements would create that could not be parsed: their readers may name it."""
    for parsed in application.statements:
        found = _CREATES.search(parsed.text) if parsed.tree is None else None
        if found is not None:
            yield found[1].upper(), found[2] or found[3], parsed


def effective(units: list[Unit]) -> list[Unit]:
    """Without what IF NOT EXISTS leaves as it was, and without what OR REPLACE replaces."""
    kept: list[Unit] = []
    for unit in units:
        earlier = [other for other in kept if unit.creates and other.creates.casefold() == unit.creates.casefold()]
        if earlier and unit.tree.args.get("if_not_exists"):
            continue
        if earlier and unit.tree.args.get("replace"):
            kept = [other for other in kept if other not in earlier]
        kept.append(unit)
    return kept


def _unit(parsed: ParsedStatement, tree: sql.Statement) -> Unit:
    inner = tree
    while isinstance(inner, (sql.Explain, sql.StartJob, sql.DeployJob)):
        inner = inner.this if isinstance(inner, sql.Explain) else inner.args["statement"]
    unit = Unit(parsed, inner)
    if isinstance(inner, sql.Query):
        unit.query = inner
    elif isinstance(inner, sql.CreateRelation):
        unit.creates = inner.name
        unit.query = inner.args.get("query")
    elif isinstance(inner, sql.InsertInto):
        unit.writes.append(inner.this)
        query = inner.args["query"]
        unit.query = query if isinstance(query, sql.Query) else None
    if unit.query is not None:
        unit.writes += list(unit.query.args.get("sinks") or [])
        unit.reads = {name_of(table): table for table in reversed(list(_tables(unit.query.this)))}
        unit.reads = dict(reversed(unit.reads.items()))
    return unit


def name_of(table: exp.Table) -> str:
    """The name of a relation, or the address of a location."""
    if isinstance(table.this, Location):
        return table.this.name
    return ".".join(part.name for part in table.parts)


def _tables(query: exp.Expr) -> Iterator[exp.Table]:
    """The relations that a query reads, without names of CTEs that are in reach."""
    for table in query.find_all(exp.Table):
        if isinstance(table.this, Location) or name_of(table).casefold() not in _ctes_in_reach(table):
            yield table


def _ctes_in_reach(table: exp.Table) -> set[str]:
    names: set[str] = set()
    node: exp.Expr | None = table
    while node is not None:
        clause = node.args.get("with_")
        if clause is not None:
            names |= {member.alias.casefold() for member in clause.expressions}
        node = node.parent
    return names
