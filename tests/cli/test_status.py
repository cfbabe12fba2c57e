"""What `velo status` says of a job."""

from __future__ import annotations

from typing import Any

from velostream.cli.status import job_text
from velostream.server.models.jobs import view_fields


def detail(state: str, seconds: float | None) -> dict[str, Any]:
    """A job whose micro-batch has run for so long."""
    told = {"name": "bars", "state": state, "kind": "stream", "stateful": True, "timing": {"running_seconds": seconds}}
    return {**view_fields(told, app="shop", version="1"), "hint": "", "records": {}, "sources": [], "sinks": []}


def test_a_micro_batch_that_runs_for_long_is_told() -> None:
    assert "its micro-batch has run for 75 s" in job_text(detail("running", 75.2))
    assert "micro-batch" not in job_text(detail("running", 5.0))
    assert "micro-batch" not in job_text(detail("running", None))
    assert "micro-batch" not in job_text(detail("stopped", 75.2)), "nothing runs"
