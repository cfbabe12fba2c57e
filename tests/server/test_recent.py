"""Charts have a past also after the control plane was started anew: what jobs did before is in their history."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.observability.test_exposition import taken
from tests.observability.test_lineage import planned

from velostream.observability.history.sqlite import SqliteStore
from velostream.observability.history.tables import rows_of
from velostream.server import recent
from velostream.server.control import Control
from velostream.server.folders import Folders
from velostream.server.recent import Recent

SQL = "CREATE STREAM s (k STRING) WITH ('s.type' = 'datagen_source');\n-- @name: j\nSELECT k FROM s;"


def looked(data: Path, monkeypatch: pytest.MonkeyPatch) -> Recent:
    """A control plane that has just started, and has looked once."""
    seen = SimpleNamespace(deployment=SimpleNamespace(app="shop", state="000001"))
    control = SimpleNamespace(
        folders=Folders(data),
        apps=[seen],
        app=lambda name: seen,
        plan_of=lambda deployment: SimpleNamespace(plan=planned(SQL)),
    )
    job = SimpleNamespace(app="shop", name="j", rate=5.0, watermark_lag_seconds=1.0, state_bytes=10)
    monkeypatch.setattr(recent, "job_views", lambda one: [job])
    found = Recent(cast(Control, control))
    found.look()
    return found


def kept(at: float, read: int) -> dict[str, list[tuple[Any, ...]]]:
    now: dict[str, Any] = taken()
    return rows_of(now | {"taken": at, "batch": 1, "app": "app", "records": now["records"] | {"read": read}}, [])


def test_the_last_hour_before_a_start_comes_from_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    store = SqliteStore(tmp_path / "apps" / "shop" / "states" / "000001" / "history.sqlite")
    for at, read in ((now - 7200, 0), (now - 100, 100), (now - 90, 300), (now - 80, 250), (now + 60, 900)):
        store.add(kept(at, read))
    store.close()
    past = looked(tmp_path, monkeypatch).of("SHOP")
    assert [(round(each[0] - now), round(each[1])) for each in past["shop", "j"]] == [(-90, 20), (-80, 0), (0, 5)]


def test_without_history_there_is_what_was_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    past = looked(tmp_path, monkeypatch)
    assert [each[1:] for each in past.of()["shop", "j"]] == [(5.0, 1.0, 10)]
    assert past.of("nobody") == {}
