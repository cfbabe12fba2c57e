"""The guide to adding a window type is true: one file under 100 lines, one line of registration, and SQL knows it."""

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.windows.driving import Record, Run, newest, settings

from velostream.durations import MINUTE
from velostream.plan import plan
from velostream.plan.nodes import Aggregate
from velostream.validation import validate
from velostream.windows import assigners
from velostream.windows.assigners import ASSIGNERS, Sliding
from velostream.windows.lateness import Lateness

GUIDE = Path(__file__).parents[2] / "docs" / "contribute" / "add-a-window.md"
FILE, LINE = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[:2]
SQL = """
CREATE STREAM trades (symbol STRING, price DOUBLE, at TIMESTAMP) WITH (
    'type' = 'file_source', 'path' = 'trades.jsonl', 'format' = 'jsonl', 'event.time.field' = 'at');
SELECT symbol, AVG(price) AS mean FROM trades GROUP BY symbol WINDOW LOOKBACK(5m, SIZE 15m) EMIT FINAL INTO results
    WITH ('results.type' = 'file_sink', 'results.path' = 'out', 'results.format' = 'jsonl');
"""


@pytest.fixture
def lookback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class of the guide, from a file of its own."""
    (tmp_path / "lookback.py").write_text(FILE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "lookback", raising=False)
    return importlib.import_module("lookback").Lookback


def test_the_file_of_the_guide_runs_in_the_operator_and_is_short(lookback: Any) -> None:
    assert len(FILE.splitlines()) < 100
    rows = []
    for window in (lookback(every=5, size=15), Sliding(15, 5)):
        run = Run(settings(window, lateness=Lateness(100)))
        for times in ((1, 3, 17), (4, 30), (16, 29, -7)):
            run.batch(*(Record(time, offset=number) for number, time in enumerate(times)))
        run.flush()
        rows.append(newest(run.rows))
    assert rows[0] == rows[1]


def test_registration_is_one_line() -> None:
    registry = Path(str(assigners.__file__)).read_text()
    assert [line for line in LINE.splitlines() if line not in registry.splitlines()] == ["    Lookback,"]


def test_once_registered_sql_knows_it(lookback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = validate(SQL, "app.sql", variables={})
    assert [finding.code for finding in before.findings.errors] == ["unknown-window"]
    assert "LOOKBACK" in before.findings.errors[0].message
    monkeypatch.setitem(ASSIGNERS, lookback.name, lookback)
    answer = validate(SQL, "app.sql", variables={})
    assert answer.ok, answer.findings.errors
    [job] = plan(answer.bound, answer.library).jobs
    [node] = [each for each in job.root.walk() if isinstance(each, Aggregate)]
    assert node.window is not None
    assert node.window.assigner == lookback(every=5 * MINUTE, size=15 * MINUTE)


def test_once_registered_its_refusals_are_findings_at_their_place(
    lookback: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ASSIGNERS, lookback.name, lookback)
    answer = validate(SQL.replace("15m", "7m"), "app.sql", variables={})
    [error] = answer.findings.errors
    assert error.code == "invalid-window"
    assert "not a whole number of steps" in error.message
