"""How `velo logs` writes a line."""

from __future__ import annotations

import json

from velostream.cli.logs import MOST_ROWS, line_text

LINE = {"at": "2026-01-31T12:00:00.000Z", "level": "info", "message": "rows", "job": "bars", "empty": ""}


def test_fields_of_a_line_stand_behind_its_message() -> None:
    assert line_text(LINE, "table") == "2026-01-31T12:00:00.000Z info    rows  job=bars"


def test_rows_of_a_line_stand_below_it_and_many_are_cut() -> None:
    rows = [{"symbol": f"S{number}", "price": number} for number in range(MOST_ROWS + 95)]
    said = line_text({**LINE, "rows": rows}, "table").splitlines()
    assert said[0] == "2026-01-31T12:00:00.000Z info    rows  job=bars"
    assert said[1] == "    symbol=S0 price=0"
    assert said[-1] == "    … 95 more rows of this line: --format json shows them"
    assert len(said) == MOST_ROWS + 2
    assert json.loads(line_text({**LINE, "rows": rows}, "json"))["rows"] == rows
