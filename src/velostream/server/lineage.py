"""The lineage of applications as one graph: sources, jobs and outputs as nodes, columns as edges."""

from __future__ import annotations

from collections.abc import Iterable

from velostream.errors import VeloError
from velostream.plan.job import Job
from velostream.plan.lineage import lineage_of
from velostream.server.control import Control
from velostream.server.models.asking import LineageEdge, LineageNode, LineageView
from velostream.server.registry.deployment import Deployment


def graph_of(control: Control, deployments: Iterable[Deployment]) -> LineageView:
    """The graph of applications; one whose plan cannot be made any more is left out."""
    nodes: dict[str, LineageNode] = {}
    edges: list[LineageEdge] = []
    for deployment in deployments:
        try:
            plan = control.plan_of(deployment).plan
        except VeloError:
            continue
        for job in plan.jobs:
            _add(job, deployment.app, nodes, edges)
    return LineageView(nodes=list(nodes.values()), edges=edges)


def _add(job: Job, app: str, nodes: dict[str, LineageNode], edges: list[LineageEdge]) -> None:
    tables = set(job.tables)
    found = lineage_of(job)

    def node(kind: str, name: str, columns: Iterable[str]) -> str:
        identity = f"{app}/{kind}/{name}"
        known = nodes.setdefault(identity, LineageNode(id=identity, kind=kind, name=name, app=app, columns=[]))
        known.columns += [column for column in columns if column not in known.columns]
        return identity

    def edge(source: str, source_column: str, target: str, target_column: str, how: str) -> None:
        edges.append(
            LineageEdge(source=source, source_column=source_column, target=target, target_column=target_column, how=how)
        )

    def origin(name: str, column: str) -> str:
        return node("table" if name in tables else "source", name, [column])

    here = node("job", job.name, [])
    for output in found.outputs:
        there = node("table" if output.kind == "table" else "sink", output.name, output.columns)
        for column, origins in output.columns.items():
            node("job", job.name, [column])
            edge(here, column, there, column, "identity")
            for each in origins:
                edge(origin(each.source, each.column), each.column, here, column, each.how)
    for each in found.influences:
        edge(origin(each.source, each.column), each.column, here, "", each.how)
