"""The lineage of applications as one graph."""

from __future__ import annotations

from collections.abc import Iterable

from velostream.errors import VeloError
from velostream.observability.graph import Graph
from velostream.server.control import Control
from velostream.server.models.asking import LineageView
from velostream.server.registry.deployment import Deployment


def graph_of(control: Control, deployments: Iterable[Deployment]) -> LineageView:
    """The graph of applications; one whose plan cannot be made any more is left out."""
    graph = Graph()
    for deployment in deployments:
        try:
            plan = control.plan_of(deployment).plan
        except VeloError:
            continue
        graph.add(plan, deployment.app)
    return LineageView.model_validate(graph.data())
