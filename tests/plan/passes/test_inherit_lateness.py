from tests.plan.asking import around

from velostream.plan.passes.inherit_lateness import inherit_lateness

MINUTES = """CREATE STREAM minutes AS SELECT symbol, COUNT(*) AS n FROM trades GROUP BY symbol WINDOW TUMBLING(1m)
             WITH ('allowed.lateness' = '30s');"""

HOURS = "SELECT symbol, SUM(n) AS t FROM minutes GROUP BY symbol WINDOW TUMBLING(1h) "


def lateness(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if "late records" in line]


def test_a_window_waits_for_the_corrections_of_the_window_below_it() -> None:
    before, after = around(
        inherit_lateness,
        MINUTES + HOURS + "WITH ('allowed.lateness' = '10s')",
        "late records",
    )
    assert lateness(before) == [
        "- late records: 10s after its end, then dead_letter",
        "- late records: 30s after its end, then dead_letter",
    ]
    assert lateness(after) == ["- late records: 30s after its end, then dead_letter"] * 2


def test_a_window_that_waits_longer_keeps_its_own_lateness() -> None:
    _, after = around(
        inherit_lateness,
        MINUTES + HOURS + "WITH ('allowed.lateness' = '5m')",
        "late records",
    )
    assert lateness(after)[0] == "- late records: 5m after its end, then dead_letter"
