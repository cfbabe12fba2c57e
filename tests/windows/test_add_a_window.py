"""The guide to adding a window type is true: its example runs."""

import re
from pathlib import Path
from typing import Any

from tests.windows.driving import Record, Run, newest, settings

from velostream.windows.assigners import Sliding
from velostream.windows.lateness import Lateness

GUIDE = Path(__file__).parents[2] / "docs" / "contribute" / "add-a-window.md"


def test_the_example_of_the_guide_runs_in_the_operator_and_is_short() -> None:
    code = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[0]
    assert len(code.splitlines()) < 100
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(code, "lookback.py", "exec", dont_inherit=True), names)
    rows = []
    for window in (names["Lookback"](every=5, size=15), Sliding(15, 5)):
        run = Run(settings(window, lateness=Lateness(100)))
        for times in ((1, 3, 17), (4, 30), (16, 29, -7)):
            run.batch(*(Record(time, offset=number) for number, time in enumerate(times)))
        run.flush()
        rows.append(newest(run.rows))
    assert rows[0] == rows[1]
