"""Snapshots as Prometheus reads them: text with types and help, one series per combination of labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from prometheus_client.core import Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from velostream.observability.catalogue import CATALOGUE, COMMON, COUNTER, HISTOGRAM, OF_STATE, TABLES, EngineMetric

ACTIVE = ("created", "running", "paused")
"""The states in which a job has series."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_TOLD = "velo_job_state"


class Families(Collector):
    """Metrics of snapshots, as the client library of Prometheus takes them."""

    def __init__(self, snapshots: Sequence[Mapping[str, Any]], tables: Sequence[Mapping[str, Any]] = ()) -> None:
        self.snapshots = snapshots
        self.tables = tables

    def collect(self) -> Iterator[Metric]:
        """Those of the engine, then those of users."""
        for metric in CATALOGUE:
            jobs = [((one["app"], one["name"]), one) for one in self.snapshots if _has(one, metric)]
            yield from _family(metric, jobs, COMMON)
        for metric in TABLES:
            tables = [((one.get("app", ""), one["name"]), one) for one in self.tables]
            yield from _family(metric, tables, ("app", "table"))
        yield from _users([taken for taken in self.snapshots if taken["state"] in ACTIVE])


def exposition(snapshots: Sequence[Mapping[str, Any]], tables: Sequence[Mapping[str, Any]] = ()) -> str:
    """The text of job snapshots, and of the reports of tables (with `app` where several applications have some)."""
    return generate_latest(Families(snapshots, tables)).decode()


def _has(taken: Mapping[str, Any], metric: EngineMetric) -> bool:
    """A stopped job has no series; that one has failed is told. Windows are of jobs with state only."""
    if metric.group in OF_STATE and not taken.get("stateful", True):
        return False
    return taken["state"] in ACTIVE or (metric.name == _TOLD and taken["state"] == "failed")


def _family(
    metric: EngineMetric, told: Iterable[tuple[tuple[str, ...], Mapping[str, Any]]], common: tuple[str, ...]
) -> Iterator[Metric]:
    family = _metric(metric.name, metric.kind, metric.help)
    names = (*common, *metric.labels)
    for first, taken in told:
        for more, value in read_of(metric, taken):
            if value is None:
                continue
            labels = dict(zip(names, (*first, *more), strict=True))
            if metric.kind == HISTOGRAM:
                _add_histogram(family, labels, value["bounds"], value["counts"], value["sum"])
            else:
                family.add_sample(metric.name, labels, float(value))
    if family.samples:
        yield family


def read_of(metric: EngineMetric, taken: Mapping[str, Any]) -> list[tuple[tuple[str, ...], Any]]:
    """What a snapshot says; one that an older version took may lack something."""
    try:
        return list(metric.read(taken))
    except KeyError:
        return []


def _users(snapshots: Iterable[Mapping[str, Any]]) -> Iterator[Metric]:
    """The @metric values of all jobs; one name is one family, whichever statements declare it."""
    families: dict[str, Metric] = {}
    for taken in snapshots:
        for metric in taken["metrics"]:
            name = exposed(metric["name"], metric["kind"])
            family = families.setdefault(name, _metric(name, metric["kind"], metric["help"] or metric["name"]))
            for series in metric["series"]:
                labels = dict(
                    zip((*COMMON, *metric["labels"]), (taken["app"], taken["name"], *series["labels"]), strict=True)
                )
                if metric["kind"] == HISTOGRAM:
                    _add_histogram(family, labels, metric["bounds"], series["counts"], series["sum"])
                else:
                    family.add_sample(name, labels, float(series["value"]))
    yield from families.values()


def exposed(name: str, kind: str) -> str:
    """The name of a user's metric at Prometheus: counters end in `_total`."""
    return name if kind != COUNTER or name.endswith("_total") else f"{name}_total"


def _metric(name: str, kind: str, text: str) -> Metric:
    return Metric(name.removesuffix("_total") if kind == COUNTER else name, text, kind)


def _add_histogram(
    family: Metric, labels: dict[str, str], bounds: Sequence[float], counts: Sequence[int], total: Any
) -> None:
    """Buckets add up: each holds all that is not above its bound."""
    seen = 0
    for bound, count in zip((*map(float, bounds), float("inf")), counts or [0], strict=False):
        seen += count
        family.add_sample(f"{family.name}_bucket", {**labels, "le": floatToGoString(bound)}, seen)  # type: ignore[no-untyped-call]
    family.add_sample(f"{family.name}_count", labels, seen)
    family.add_sample(f"{family.name}_sum", labels, float(total))
