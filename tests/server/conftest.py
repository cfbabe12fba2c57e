"""Control planes for tests, with drivers that need no Spark."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from velostream.server.plane import Plane
from velostream.server.process import Process
from velostream.server.settings import ServerSettings
from velostream.server.supervisor import Supervisor

STAND_IN = (sys.executable, str(Path(__file__).parent / "stand_in.py"))
SQL = """
CREATE STREAM orders (customer STRING, amount BIGINT, at TIMESTAMP)
WITH ('orders.type' = 'datagen_source', 'orders.event.time.field' = 'at');
-- @name: totals
SELECT customer, SUM(amount) AS total FROM orders GROUP BY customer WINDOW TUMBLING(2s) INTO out
WITH ('out.type' = 'file_sink', 'out.path' = 'out', 'out.format' = 'jsonl');
"""
TWO_JOBS = (
    SQL
    + """
-- @name: counts
SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer WINDOW TUMBLING(2s) INTO out2
WITH ('out2.type' = 'file_sink', 'out2.path' = 'out2', 'out2.format' = 'jsonl');
"""
)


def until(reached: Callable[[], object], seconds: float = 20.0) -> None:
    """Waits until something is so."""
    ends = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < ends, "it did not come about in time"
        time.sleep(0.02)


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a real job reports before its first micro-batch, for drivers that have none."""
    from velostream.jobs.accounts import Accounts
    from velostream.jobs.home import Home
    from velostream.jobs.running import RunningJob
    from velostream.jobs.writing import BatchWriter
    from velostream.observability.snapshot import snapshot
    from velostream.server.planning import planned

    folder = tmp_path_factory.mktemp("report")
    job, home, accounts = planned(SQL, "shop", folder).plan.jobs[0], Home(folder), Accounts()
    lowered: Any = SimpleNamespace(stateful=True, observed={}, roles={})
    running = RunningJob(job, home, lowered, BatchWriter(job, lowered, home, accounts, print), accounts)
    file = folder / "report.json"
    file.write_text(json.dumps(snapshot(running, "shop")))
    return file


@pytest.fixture
def opened(
    tmp_path: Path, report: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Iterator[Callable[..., Plane]]:
    """Opens control planes over one data folder; in the end all of their drivers are ended, and no look has failed."""
    monkeypatch.setenv("VELO_STAND_IN", str(report))
    made: list[Plane] = []
    original = Supervisor.__init__

    def with_stand_in(self: Supervisor, *given: object) -> None:
        original(self, *given)  # type: ignore[arg-type]
        self.program = STAND_IN

    monkeypatch.setattr(Supervisor, "__init__", with_stand_in)

    def open_one(**settings: object) -> Plane:
        plane = Plane.open(ServerSettings(tmp_path / "data", backoff=0.05, **settings))  # type: ignore[arg-type]
        plane.control.supervisor.ready.wait(10)
        made.append(plane)
        return plane

    yield open_one
    for plane in made:
        if not plane.control.supervisor.closed:
            plane.close()
    for file in tmp_path.glob("data/apps/*/drivers/*/process.json"):
        said = json.loads(file.read_text())
        Process(said["pid"], said["mark"]).kill()
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []


@pytest.fixture
def plane(opened: Callable[..., Plane]) -> Plane:
    """One control plane."""
    return opened()
