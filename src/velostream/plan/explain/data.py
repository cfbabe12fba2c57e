"""The plan as plain data, for programs: nested dicts whose keys stay the same. Lengths of time are microseconds."""

from __future__ import annotations

from velostream.plan.explain.node_data import DATA
from velostream.plan.explain.parts import Data, fields_data, text
from velostream.plan.fingerprint import digest, state_of
from velostream.plan.job import ApplicationPlan, Job, PlannedMetric
from velostream.plan.lineage import lineage_of
from velostream.plan.nodes import Node


def application_data(plan: ApplicationPlan) -> Data:
    """A whole application. `derived` are the tables made of other tables."""
    tables = [
        {"name": t.name, "connector": t.connector, "key": list(t.key), "columns": fields_data(t.columns)}
        for t in plan.tables
    ]
    derived, jobs = (list(map(job_data, each)) for each in (plan.derived, plan.jobs))
    return {"application": plan.name, "tables": tables, "derived": derived, "jobs": jobs}


def job_data(job: Job) -> Data:
    """One job, with its lineage and what its state depends on."""
    return {
        "name": job.name,
        "kind": job.kind,
        "mode": job.mode,
        "line": job.line,
        "partitioning": {"strategy": job.placement.strategy, "buckets": job.placement.buckets},
        "fused": list(job.definitions),
        "waits_for": list(job.tables),
        "metrics": list(map(_metric, job.metrics)),
        "annotations": dict(job.annotations),
        "plan": tree_data(job.root),
        "state": state_of(job),
        "fingerprint": digest(job),
        "lineage": lineage_of(job).data(),
    }


def tree_data(node: Node) -> Data:
    """A node and all below it."""
    return {
        "node": type(node).__name__,
        **DATA(node),
        **({"buckets_by": list(node.spread)} if node.keeps_state else {}),
        "fields": fields_data(node.fields),
        "inputs": [tree_data(child) for child in node.children],
    }


def _metric(metric: PlannedMetric) -> Data:
    return {
        "name": str(getattr(metric.metric, "name", metric.metric)),
        "condition": text(metric.condition),
        "field": text(metric.field),
        "labels": list(metric.labels),
    }
