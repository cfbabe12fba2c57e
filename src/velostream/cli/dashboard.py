"""`velo dashboard`: a Grafana dashboard and Prometheus alert rules for exactly the metrics of an application."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from velostream.cli.explain import one
from velostream.cli.options import preset_option, set_option
from velostream.cli.planned import planned
from velostream.errors import NotFound


@click.command("dashboard", short_help="Write a Grafana dashboard and alert rules.")
@click.argument("file", metavar="FILE")
@click.option("--name", default="", metavar="NAME", help="The name that it is deployed under. [default: its own]")
@click.option("--out", default=".", metavar="DIR", help="The folder to write to. [default: this one]")
@preset_option
@set_option
@click.pass_context
def command(ctx: click.Context, *, file: str, name: str, out: str, preset: str, settings: tuple[str, ...]) -> None:
    """Write a Grafana dashboard and Prometheus alert rules for the jobs of a file.

    APP-dashboard.json has a row for every job: a panel for each of its @metric annotations, and what the engine tells
    about records, micro-batches, watermark, windows, state, joins and sinks, as far as the job has them. Import it into
    Grafana and choose the Prometheus that scrapes /metrics. APP-alerts.yaml has the rules: a job that failed or does
    not run, a watermark that stands still, records that come too late, new dead letters, state that grows, and what the
    job promises by sla.latency.p99 and sla.availability.

    \b
    Examples:
      velo dashboard app.sql
      velo dashboard app.sql --out monitoring
      velo dashboard app.sql --name shop-eu
    """
    import yaml

    from velostream.observability.alerts import alert_rules
    from velostream.observability.dashboard import dashboard

    plan = planned(ctx, one(file), preset=preset, settings=settings).plan
    plan = replace(plan, name=name or plan.name)
    folder = Path(out)
    if not folder.is_dir():
        raise NotFound(f"there is no folder '{folder}'", hint="create it first")
    name = (plan.name or "app").replace("/", "_")
    board, rules = folder / f"{name}-dashboard.json", folder / f"{name}-alerts.yaml"
    board.write_text(json.dumps(dashboard(plan), indent=2, ensure_ascii=False) + "\n", "utf-8")
    rules.write_text(yaml.safe_dump(alert_rules(plan), sort_keys=False, allow_unicode=True, width=200), "utf-8")
    print(f"wrote {board}\nwrote {rules}")
