"""Commands that name a stream or table: DESCRIBE, SHOW, DROP. What they name is in the file."""

from __future__ import annotations

from collections.abc import Mapping

from velostream.catalog.relation import Relation
from velostream.diagnostics import Findings
from velostream.registry import did_you_mean
from velostream.sql import statements as sql
from velostream.sql.spans import span_of
from velostream.validation.owners import created_kind
from velostream.validation.units import Unit

_NAMING = ("SCHEMA", "PROPERTIES STREAM", "PROPERTIES TABLE", "PARTITIONS")


def check_names(
    tree: sql.Statement, created: Mapping[str, Unit], relations: Mapping[str, Relation], findings: Findings
) -> None:
    """Refuses commands on something that the file does not have; `relations` also has what could not be parsed."""
    target = None
    if isinstance(tree, sql.Describe) or (isinstance(tree, sql.DropRelation) and not tree.args.get("if_exists")):
        target = tree.this
    elif isinstance(tree, sql.Show) and str(tree.this) in _NAMING:
        target = tree.args.get("target")
    if target is None:
        return
    unit = created.get(target.name.casefold())
    if unit is None and target.name.casefold() in relations:
        return
    if unit is None:
        names = [other.creates for other in created.values()]
        hint = did_you_mean(target.name, names, "streams and tables") or "create it first"
        message = f"there is no stream or table '{target.name}'"
        findings.error("unknown-stream", message, span_of(target), hint=hint)
    elif isinstance(tree, sql.DropRelation) and str(tree.args["kind"]).upper() != created_kind(unit.tree):
        message = f"'{target.name}' is a {created_kind(unit.tree).casefold()}"
        hint = f"write DROP {created_kind(unit.tree)} {target.name}"
        findings.error("unknown-stream", message, span_of(target), hint=hint)
