"""The example applications validate, explain, and use what they are meant to show."""

import re
from pathlib import Path

import pytest
from tests.cli.conftest import Velo, velo  # noqa: F401
from tests.project.modules import ROOT

from velostream.diagnostics import Severity
from velostream.validation import validate

APPS = sorted((ROOT / "examples").glob("*/app.sql"))
USES = {
    "a tumbling window": r"WINDOW (TUMBLING|performance_metrics)",
    "a sliding window": r"WINDOW (SLIDING|HOPPING|anomaly_detection)",
    "a session": r"WINDOW (SESSION|user_feedback)",
    "a row window": r"OVER \(\s*ROWS WINDOW BUFFER",
    "a join with a table": r"LEFT JOIN|JOIN devices",
    "a join with a bound in time": r"_event_time BETWEEN",
    "a metric": r"-- @metric:",
    "a header": r"\b(SET_)?HEADER\(",
    "system columns": r"_window_start|_event_count|_revision",
    "a configuration file": r"config_file",
    "a subquery": r"EXISTS \(SELECT| IN \(SELECT",
    "a table": r"CREATE TABLE",
}


def test_there_are_three() -> None:
    assert [app.parent.name for app in APPS] == ["iot", "llm-operations", "trading"]


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.parent.name)
@pytest.mark.parametrize("preset", ["", "dev", "prod"])
def test_it_validates(app: Path, preset: str) -> None:
    answer = validate(app.read_text(), app.name, folder=app.parent, preset=preset)
    worse = [found for found in answer.findings.ordered() if found.severity is not Severity.NOTE]
    assert not worse


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.parent.name)
def test_it_has_five_statements_or_more_and_shows_what_there_is(app: Path) -> None:
    text = app.read_text()
    assert len(validate(text, app.name, folder=app.parent).application.statements) >= 5
    missing = [use for use, pattern in USES.items() if not re.search(pattern, text)]
    assert not missing


@pytest.mark.parametrize("app", APPS, ids=lambda app: app.parent.name)
def test_it_explains(app: Path, velo: Velo) -> None:  # noqa: F811
    answer = velo("explain", app)
    assert (answer.code, answer.err) == (0, "")
    for job in re.findall(r"^-- @name: (\w+)$", app.read_text(), re.MULTILINE):
        assert job in answer.out


def test_production_settings_of_the_llm_application_validate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_ENV", "prod")
    app = ROOT / "examples" / "llm-operations" / "app.sql"
    assert not validate(app.read_text(), app.name, folder=app.parent).findings.errors
