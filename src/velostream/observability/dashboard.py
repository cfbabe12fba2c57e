"""A Grafana dashboard of an application: for each job a row with a panel for each of its metrics."""

from __future__ import annotations

import hashlib
from typing import Any

from velostream.observability.queries import Shown, of_app, of_engine, of_users
from velostream.plan.job import ApplicationPlan

SCHEMA = 39
"""The version of Grafana's format."""
_WIDTH, _HEIGHT, _ACROSS = 8, 8, 3
_SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def dashboard(plan: ApplicationPlan) -> dict[str, Any]:
    """The dashboard, as Grafana imports it."""
    panels: list[dict[str, Any]] = []
    _add(panels, "Application", _overview(plan))
    for job in plan.jobs:
        _add(panels, job.name, [*of_users(plan, job), *of_engine(plan, job)])
    if plan.table_order:
        _add(panels, "Tables", _tables(plan))
    return {
        "uid": hashlib.sha256(plan.name.encode()).hexdigest()[:16],
        "title": f"Velostream: {plan.name}",
        "tags": ["velostream"],
        "schemaVersion": SCHEMA,
        "editable": True,
        "time": {"from": "now-1h", "to": "now"},
        "refresh": "10s",
        "templating": {
            "list": [{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Source"}]
        },
        "annotations": {"list": []},
        "panels": panels,
    }


def _overview(plan: ApplicationPlan) -> list[Shown]:
    here = f"{{{of_app(plan.name)}}}"
    return [
        Shown("State of jobs", ((f"velo_job_state{here} == 1", "{{job_name}}: {{state}}"),), kind="stat"),
        Shown("Back-pressure", ((f"velo_backpressure{here}", "{{job_name}} {{cause}}"),), kind="stat"),
        Shown("Busy", ((f"velo_busy_ratio{here}", "{{job_name}}"),), unit="percentunit"),
    ]


def _tables(plan: ApplicationPlan) -> list[Shown]:
    here = f"{{{of_app(plan.name)}}}"
    return [
        Shown("Rows", ((f"velo_table_rows{here}", "{{table}}"),)),
        Shown("Ready", ((f"velo_table_ready{here}", "{{table}}"),), kind="stat"),
        Shown("Refreshes", ((f"rate(velo_table_refreshes_total{here}[$__rate_interval])", "{{table}}"),)),
    ]


def _add(panels: list[dict[str, Any]], title: str, shown: list[Shown]) -> None:
    """A row of that title, and its panels below it."""
    top = max((panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels), default=0)
    number = len(panels) + 1
    place = {"x": 0, "y": top, "w": _WIDTH * _ACROSS, "h": 1}
    panels.append({"id": number, "type": "row", "title": title, "collapsed": False, "gridPos": place, "panels": []})
    for index, one in enumerate(shown):
        place = {
            "x": index % _ACROSS * _WIDTH,
            "y": top + 1 + index // _ACROSS * _HEIGHT,
            "w": _WIDTH,
            "h": _HEIGHT,
        }
        panels.append(_panel(number + index + 1, one, place))


def _panel(number: int, shown: Shown, place: dict[str, int]) -> dict[str, Any]:
    targets = [
        {"refId": chr(ord("A") + index), "datasource": _SOURCE, "expr": query, "legendFormat": line}
        for index, (query, line) in enumerate(shown.queries)
    ]
    return {
        "id": number,
        "type": shown.kind,
        "title": shown.title,
        "description": shown.text,
        "datasource": _SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": shown.unit}, "overrides": []},
        "options": {"textMode": "value_and_name"} if shown.kind == "stat" else {},
        "targets": targets,
    }
