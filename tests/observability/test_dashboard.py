"""Dashboards and alerts speak of the metrics that an application has, and of no others."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.observability.promtool import checked
from tests.observability.test_exposition import TABLE, taken
from tests.project.modules import ROOT

from velostream.cli.main import main
from velostream.observability.catalogue import CATALOGUE, TABLES
from velostream.observability.exposition import exposition

SQL = """
-- @application: shop
CREATE STREAM s (k STRING, v DOUBLE, at TIMESTAMP) WITH ('s.type' = 'datagen_source', 's.event.time.field' = 'at');
-- @name: plain
-- @metric: seen
-- @metric_labels: k
-- @metric_sample_rate: 0.1
-- @metric: level
-- @metric_type: gauge
-- @metric_field: v
-- @sla.latency.p99: 500ms
-- @sla.availability: 99.9
SELECT k, v FROM s;
-- @name: per_minute
-- @metric: total
-- @metric_type: histogram
-- @metric_field: total
-- @metric_labels: k
SELECT k, SUM(v) AS total FROM s GROUP BY k WINDOW TUMBLING(1m);
"""


@pytest.fixture
def written(tmp_path: Path) -> tuple[dict[str, Any], dict[str, Any], Path]:
    file = tmp_path / "app.sql"
    file.write_text(SQL)
    assert main(["dashboard", str(file), "--out", str(tmp_path)]) == 0
    rules = tmp_path / "shop-alerts.yaml"
    return json.loads((tmp_path / "shop-dashboard.json").read_text()), yaml.safe_load(rules.read_text()), rules


def names_in(text: str) -> set[str]:
    """The names of metrics in a query: words before a brace."""
    return set(re.findall(r"([a-z_]+)\{", text))


def test_a_panel_for_every_metric_and_none_for_what_a_job_does_not_have(
    written: tuple[dict[str, Any], dict[str, Any], Path],
) -> None:
    board, rules, _ = written
    panels = [panel for panel in board["panels"] if panel["type"] != "row"]
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    asked = {name for panel in panels for target in panel["targets"] for name in names_in(target["expr"])}
    asked |= {name for group in rules["groups"] for rule in group["rules"] for name in names_in(rule["expr"])}
    known = {metric.name for metric in (*CATALOGUE, *TABLES)} | {"velo_batch_duration_seconds_bucket"}
    assert asked - known == {"seen_total", "level", "total_bucket"}
    assert not any(name.startswith(("velo_join", "velo_table")) for name in asked)
    plain = rules["groups"][0]["rules"]
    assert not any("watermark" in rule["expr"] for rule in plain)
    assert {"VeloLatencyBroken", "VeloAvailabilityBroken"} <= {rule["alert"] for rule in plain}
    assert "> 0.5" in next(rule["expr"] for rule in plain if rule["alert"] == "VeloLatencyBroken")
    assert "< 0.999" in next(rule["expr"] for rule in plain if rule["alert"] == "VeloAvailabilityBroken")
    assert any(rule["alert"] == "VeloWatermarkStuck" for rule in rules["groups"][1]["rules"])
    assert any("/ 0.1" in target["expr"] for panel in panels for target in panel["targets"])


def test_an_application_is_found_by_the_name_that_it_has_on_a_server_too(tmp_path: Path) -> None:
    (tmp_path / "app.sql").write_text(SQL.replace("@application: shop", "@application: my. shop"))
    assert main(["dashboard", str(tmp_path / "app.sql"), "--out", str(tmp_path)]) == 0
    assert main(["dashboard", str(tmp_path / "app.sql"), "--name", "eu", "--out", str(tmp_path)]) == 0
    alerts = yaml.safe_load((tmp_path / "my. shop-alerts.yaml").read_text())
    first = alerts["groups"][0]["rules"][0]["expr"]
    assert r'{app=~"my\\.[ _]shop", job_name="plain"' in first
    assert 'app="eu"' in (tmp_path / "eu-dashboard.json").read_text().replace('\\"', '"')


def test_panels_do_not_lie_on_each_other(written: tuple[dict[str, Any], dict[str, Any], Path]) -> None:
    cells = [
        (x, y)
        for panel in written[0]["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))


def test_promtool_accepts_the_rules_the_queries_and_the_text(
    written: tuple[dict[str, Any], dict[str, Any], Path], tmp_path: Path
) -> None:
    board, _, rules = written
    assert "SUCCESS" in checked("check", "rules", rules)
    queries = [
        target["expr"].replace("$__rate_interval", "1m")
        for panel in board["panels"]
        for target in panel.get("targets", ())
    ]
    asked = {"groups": [{"name": "g", "rules": [{"record": f"r{i}", "expr": q} for i, q in enumerate(queries)]}]}
    file = tmp_path / "queries.yaml"
    file.write_text(yaml.safe_dump(asked))
    assert "SUCCESS" in checked("check", "rules", file)
    assert checked("check", "metrics", text=exposition([taken()], [TABLE])) == ""


def test_alerts_fire_when_they_should(written: tuple[dict[str, Any], dict[str, Any], Path], tmp_path: Path) -> None:
    labels = 'app="shop", job_name="per_minute"'
    series = [
        {"series": f"velo_records_read_total{{{labels}}}", "values": "0+100x60"},
        {"series": f"velo_watermark_timestamp_seconds{{{labels}}}", "values": "5x60"},
        {"series": f'velo_dead_letters_total{{{labels}, reason="late"}}', "values": "_x30 1x30"},
        {"series": f'velo_job_state{{{labels}, state="running"}}', "values": "1x60"},
    ]
    expected = [
        ("VeloWatermarkStuck", 1, {"severity": "critical", "app": "shop", "job_name": "per_minute"}),
        ("VeloDeadLetters", 1, {"severity": "warning", "app": "shop", "job_name": "per_minute", "reason": "late"}),
        ("VeloJobNotRunning", 0, {}),
    ]
    rules = yaml.safe_load(written[2].read_text())
    told = {
        rule["alert"]: {key: text.replace("{{ $labels.reason }}", "late") for key, text in rule["annotations"].items()}
        for group in rules["groups"][1:]
        for rule in group["rules"]
    }
    tests = [
        {
            "eval_time": "35m",
            "alertname": name,
            "exp_alerts": [{"exp_labels": more, "exp_annotations": told[name]}] * count,
        }
        for name, count, more in expected
    ]
    only = tmp_path / "only.yaml"
    only.write_text(yaml.safe_dump({"groups": rules["groups"][1:]}))
    file = tmp_path / "test.yaml"
    suite = {"rule_files": [str(only)], "tests": [{"interval": "1m", "input_series": series, "alert_rule_test": tests}]}
    file.write_text(yaml.safe_dump(suite))
    assert "SUCCESS" in checked("test", "rules", file)


@pytest.mark.parametrize("app", ["trading", "llm-operations"])
def test_the_examples_have_dashboards(app: str, tmp_path: Path) -> None:
    assert main(["dashboard", str(ROOT / "examples" / app / "app.sql"), "--out", str(tmp_path)]) == 0
    checked("check", "rules", next(tmp_path.glob("*.yaml")))
