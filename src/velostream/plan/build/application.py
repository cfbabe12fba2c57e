"""A whole application as plans: definitions, jobs and the tables that they wait for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from velostream.catalog.relation import Relation
from velostream.errors import VeloError, placed
from velostream.plan.build.context import Building, value_of
from velostream.plan.build.inserts import fitted, insert_of, plan_values
from velostream.plan.build.outcome import Keyed
from velostream.plan.build.outputs import plan_outputs, targets_of
from velostream.plan.build.query import plan_keyed
from velostream.plan.build.sources import name_of
from velostream.plan.build.typing import planned
from velostream.plan.fields import Field
from velostream.plan.job import (
    FANIN,
    HASH,
    ApplicationPlan,
    Definition,
    Job,
    LoadedTable,
    Placement,
    PlannedLog,
    PlannedMetric,
)
from velostream.plan.nodes import Node, ReadStream, TableScan
from velostream.sql.statements import Explain
from velostream.validation.bound import BoundApplication, BoundLog, BoundMetric, BoundStatement

if TYPE_CHECKING:
    from velostream.functions.library import Library


def build(application: BoundApplication, library: Library) -> ApplicationPlan:
    """The plan as written: nothing is fused, moved or pruned yet. What cannot be planned is said where it stands."""
    definitions: dict[str, Definition] = {}
    jobs: list[Job] = []
    for statement in application.statements:
        building = Building(statement, library, dict(definitions))
        try:
            keyed = _rows(statement, building, application)
        except VeloError as error:
            raise placed(error, statement.parsed.span) from error
        if keyed is None:
            continue
        if statement.creates is not None and not statement.creates.is_table:
            definition = Definition(statement.creates.name, keyed.node, targets_of(keyed, building))
            definitions |= dict.fromkeys((statement.name, statement.creates.name), definition)
        if statement.is_job:
            jobs.append(_job(statement, building, plan_outputs(keyed, building)))
    tables = _loaded(application, _tables_read(jobs, definitions))
    written = tuple(function for function in library.functions if function.implementation is not None)
    return ApplicationPlan(application.name, tuple(jobs), definitions, tables, written, _declared(application))


def _declared(application: BoundApplication) -> dict[str, tuple[str, ...]]:
    """The columns of the streams from outside."""
    streams = [
        relation for relation in application.relations.values() if relation.is_external and not relation.is_table
    ]
    return {relation.name: tuple(column.name for column in relation.schema) for relation in streams}


def _rows(statement: BoundStatement, building: Building, application: BoundApplication) -> Keyed | None:
    """The rows that a statement makes; None where it makes none."""
    if statement.query is None:
        keyed = plan_values(statement, application.relations, building.library)
        return None if keyed is None else fitted(keyed, statement, application.relations)
    return fitted(plan_keyed(statement.query, building), statement, application.relations)


def _job(statement: BoundStatement, building: Building, root: Node) -> Job:
    settings = building.settings
    strategy = str(value_of(settings, "partitioning_strategy", HASH))
    buckets = 1 if strategy == FANIN else value_of(settings, "num_partitions")
    return Job(
        name=statement.name,
        root=root,
        kind=_kind(statement),
        mode=str(value_of(settings, "job.mode", "simple")),
        placement=Placement(strategy, buckets),
        settings=settings,
        metrics=tuple(_metric(metric) for metric in statement.metrics),
        logs=tuple(_log(log) for log in statement.logs),
        annotations={annotation.name: annotation.value for annotation in statement.parsed.annotations},
        line=statement.parsed.span.line,
    )


def _kind(statement: BoundStatement) -> str:
    if isinstance(statement.parsed.tree, Explain):
        return "explain"
    if statement.creates is not None:
        return "table" if statement.creates.is_table else "stream"
    return "insert" if insert_of(statement) is not None else "query"


def _metric(bound: BoundMetric) -> PlannedMetric:
    condition = None if bound.condition is None else planned(bound.condition)
    return PlannedMetric(bound.metric, condition, None if bound.field is None else planned(bound.field), bound.labels)


def _log(bound: BoundLog) -> PlannedLog:
    return PlannedLog(bound.line, None if bound.condition is None else planned(bound.condition))


def _tables_read(jobs: list[Job], definitions: Mapping[str, Definition]) -> set[str]:
    """The tables that jobs read, themselves or through the streams that they read, in small letters."""
    found: set[str] = set()
    visited: set[str] = set()
    pending: list[Node] = [job.root for job in jobs]
    while pending:
        for node in pending.pop().walk():
            if isinstance(node, TableScan):
                found.add(node.table.casefold())
            elif isinstance(node, ReadStream) and node.stream not in visited:
                visited.add(node.stream)
                pending.append(definitions[node.stream].root)
    return found


def _loaded(application: BoundApplication, read: set[str]) -> tuple[LoadedTable, ...]:
    """The tables from outside that some job reads."""
    found: dict[str, Relation] = {
        relation.name.casefold(): relation
        for relation in application.relations.values()
        if relation.is_table and relation.is_external
    }
    return tuple(
        LoadedTable(
            relation.name,
            name_of(relation.connector),
            tuple(Field(column.name, column.type) for column in relation.schema),
            relation.key,
            relation.settings,
        )
        for name, relation in found.items()
        if name in read
    )
