"""The metrics of one job by what they are about, each with what it tells, as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from velostream.observability.catalogue import CATALOGUE, HISTOGRAM, OF_STATE, TABLES, EngineMetric
from velostream.observability.exposition import read_of

ORDER = ("records", "windows", "watermarks", "state", "joins", "tables", "sinks", "batches", "jobs", "metrics")
"""What is looked for most comes first; a test sees that no group is forgotten."""


def grouped(taken: Mapping[str, Any], tables: Sequence[Mapping[str, Any]] = ()) -> list[dict[str, Any]]:
    """The groups that have something to tell of a snapshot and of the tables that its job reads."""
    stateful = taken.get("stateful", True)
    told = [(metric, [(("",), taken)]) for metric in CATALOGUE if stateful or metric.group not in OF_STATE]
    told += [(metric, [((one["name"],), one) for one in tables]) for metric in TABLES]
    found: dict[str, list[dict[str, Any]]] = {group: [] for group in ORDER}
    for metric, sources in told:
        samples = [sample for first, source in sources for sample in _samples(metric, first, source)]
        if samples:
            about = {"name": metric.name, "kind": metric.kind, "help": metric.help, "samples": samples}
            found[metric.group].append(about)
    return [{"group": group, "metrics": metrics} for group, metrics in found.items() if metrics]


def _samples(metric: EngineMetric, first: tuple[str], source: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The values of a metric; of a histogram how many there were and their sum."""
    names = ("table", *metric.labels)
    found = []
    for more, value in read_of(metric, source):
        if value is None or (metric.labels == ("state",) and not value):  # of states, the one that it is in
            continue
        labels = {name: label for name, label in zip(names, (*first, *more), strict=True) if label}
        if metric.kind == HISTOGRAM:
            found.append({"labels": labels, "value": float(value["sum"]), "count": int(sum(value["counts"]))})
        else:
            found.append({"labels": labels, "value": float(value), "count": None})
    return found
