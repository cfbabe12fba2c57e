"""Lineage as a picture needs it: what is read, the jobs, what is written, and the columns that connect them."""

from __future__ import annotations

from typing import Any

from velostream.observability.datasets import Dataset, inputs_of, outputs_of
from velostream.plan.job import ApplicationPlan
from velostream.plan.lineage import lineage_of

NAMESPACE = "velostream"


def graph(plan: ApplicationPlan) -> dict[str, Any]:
    """Nodes and edges of an application.

    `nodes`: `id`, `kind` (stream, table, sink, print, job), `name`, `columns`. `edges`: `from` and `to` as ids.
    `columns`: `from` and `to` as [id, column], `how` (identity, expression, aggregate), `job`. `influences`: `from` as
    [id, column], which decides about the rows there are, `how` (filter, join, group, window, sort, deduplicate), `job`.
    A table that one job makes and another reads is one node, so that columns can be followed through it.
    """
    nodes: dict[str, dict[str, Any]] = {}
    edges: list[dict[str, Any]] = []
    columns: list[dict[str, Any]] = []
    influences: list[dict[str, Any]] = []
    for job in plan.jobs:
        place = f"job:{job.name}"
        nodes[place] = {"id": place, "kind": "job", "name": job.name, "columns": [], "line": job.line}
        read = {each.label: _node(nodes, each) for each in inputs_of(job, plan, NAMESPACE)}
        edges += [{"from": source, "to": place} for source in read.values()]
        written = {each.label: _node(nodes, each, job.name) for each in outputs_of(job, NAMESPACE)}
        edges += [{"from": place, "to": sink} for sink in written.values()]
        lineage = lineage_of(job)
        for output in lineage.outputs:
            columns += [
                {
                    "from": [read.get(origin.source, origin.source), origin.column],
                    "to": [written[output.name], name],
                    "how": origin.how,
                    "job": job.name,
                }
                for name, origins in output.columns.items()
                for origin in origins
            ]
        influences += [
            {"from": [read.get(origin.source, origin.source), origin.column], "how": origin.how, "job": job.name}
            for origin in lineage.influences
        ]
    return {"nodes": list(nodes.values()), "edges": edges, "columns": columns, "influences": influences}


def _node(nodes: dict[str, dict[str, Any]], dataset: Dataset, job: str = "") -> str:
    """The id of a dataset, which is in the picture from now on."""
    own = f":{job}" if dataset.kind == "print" else ""
    place = f"{dataset.kind}:{dataset.label}{own}"
    columns = [{"name": name, "type": kind} for name, kind in dataset.columns]
    known = nodes.setdefault(
        place,
        {
            "id": place,
            "kind": dataset.kind,
            "name": dataset.label,
            "place": f"{dataset.namespace}/{dataset.name}",
            "columns": [],
        },
    )
    known["columns"] += [column for column in columns if column not in known["columns"]]
    return place
