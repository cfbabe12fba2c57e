"""Lineage as a picture needs it: what is read, the jobs, what is written, and the columns that connect them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from velostream.observability.datasets import Dataset, inputs_of, outputs_of
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.lineage import lineage_of

NAMESPACE = "velostream"
SOURCE, TABLE, SINK, JOB = "source", "table", "sink", "job"
_KINDS = {"stream": SOURCE, "table": TABLE, "sink": SINK, "print": SINK}


class Graph:
    """Nodes and edges of one application, or of several.

    `nodes`: `id`, `kind` (source, table, sink, job), `name`, `app`, `place` (broker and topic, file, database and
    table; empty for jobs) and `columns`. `edges`: a column that comes from another one, by `source`, `source_column`,
    `target`, `target_column` (empty where it decides about rows rather than being in a value) and `how` (identity,
    expression, aggregate; filter, join, group, window, sort, deduplicate). A table that one job makes and another reads
    is one node, so that columns can be followed through it.
    """

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.edges: list[dict[str, str]] = []

    def add(self, plan: ApplicationPlan, app: str = "") -> Graph:
        """With the jobs of an application, and its tables made of others; `app` is what it is called, where that is not
        as its plan says."""
        for job in plan.statements:
            self._job(job, plan, app or plan.name)
        return self

    def data(self) -> dict[str, Any]:
        """As plain data."""
        return {"nodes": list(self.nodes.values()), "edges": self.edges}

    def _job(self, job: Job, plan: ApplicationPlan, app: str) -> None:
        here = self._node(app, JOB, job.name)
        read = {each.label: self._dataset(app, each) for each in inputs_of(job, plan, NAMESPACE)}
        written = {each.label: self._dataset(app, each, job.name) for each in outputs_of(job, NAMESPACE)}
        lineage = lineage_of(job)
        for output in lineage.outputs:
            for column, origins in output.columns.items():
                self._with(here, [column])
                self._edge(here, column, written[output.name], column, "identity")
                for each in origins:
                    self._edge(self._read(read, app, each.source, each.column), each.column, here, column, each.how)
        for each in lineage.influences:
            self._edge(self._read(read, app, each.source, each.column), each.column, here, "", each.how)

    def _read(self, read: dict[str, str], app: str, source: str, column: str) -> str:
        """The node of something that is read, which has that column."""
        return self._with(read.get(source) or self._node(app, SOURCE, source), [column])

    def _dataset(self, app: str, each: Dataset, job: str = "") -> str:
        """The node of a dataset. What jobs print is shown apart: they print to different places."""
        name = f"{each.label} of {job}" if each.kind == "print" else each.label
        place = "" if each.namespace == NAMESPACE else f"{each.namespace}/{each.name}"
        return self._with(self._node(app, _KINDS[each.kind], name, place), (column for column, _ in each.columns))

    def _node(self, app: str, kind: str, name: str, place: str = "") -> str:
        identity = f"{app}/{kind}/{name}"
        empty = {"id": identity, "kind": kind, "name": name, "app": app, "place": place, "columns": []}
        self.nodes.setdefault(identity, empty)
        return identity

    def _with(self, identity: str, columns: Iterable[str]) -> str:
        known = self.nodes[identity]["columns"]
        known += [column for column in columns if column not in known]
        return identity

    def _edge(self, source: str, source_column: str, target: str, target_column: str, how: str) -> None:
        ends = {"source": source, "source_column": source_column, "target": target, "target_column": target_column}
        self.edges.append({**ends, "how": how})
