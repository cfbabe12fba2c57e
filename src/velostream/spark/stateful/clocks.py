"""A clock that a test gives: one time for each micro-batch, the same for routers, operators and re-runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from velostream.files import replace_text

CLOCKS = "clocks.json"


def give_clocks(folder: Path, times: Sequence[int]) -> None:
    """Sets the clock of the micro-batches from 0 on, in microseconds; later ones show the last time."""
    replace_text(folder / CLOCKS, json.dumps(list(times)))


def given_clocks(folder: str) -> list[int]:
    """The times that were given; none where the clock is the real one."""
    file = Path(folder, CLOCKS)
    return list(json.loads(file.read_text())) if folder and file.exists() else []


def given_clock(folder: str, batch: int) -> int | None:
    """What the clock shows in a micro-batch, where it is given."""
    times = given_clocks(folder)
    return times[min(batch, len(times) - 1)] if times else None
