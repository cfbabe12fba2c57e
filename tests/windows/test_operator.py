from tests.windows.driving import Record, Run, settings, short

from velostream.durations import SECOND
from velostream.windows.assigners import Tumbling
from velostream.windows.emission import emission

FIVE = 5 * SECOND


def at(*seconds: float, key: str = "a") -> list[Record]:
    return [Record(int(second * SECOND), key, offset=number) for number, second in enumerate(seconds)]


def test_two_rows_without_an_emit_clause() -> None:
    #  0   1 2   5 6 7   10
    #  [   * *   )
    #            [ * *    )
    run = Run(settings(Tumbling(FIVE)))
    run.batch(*at(1, 2, 6, 7))
    run.flush()
    assert short(run.rows, "_window_start", "_window_end", "n", "_emission", "_revision") == [
        (0, FIVE, 2, "final", 1),
        (FIVE, 2 * FIVE, 2, "final", 1),
    ]


def test_four_rows_with_emit_changes() -> None:
    run = Run(settings(Tumbling(FIVE), emission=emission("CHANGES")))
    run.batch(*at(1, 2, 6, 7))
    run.flush()
    assert short(run.rows, "_window_start", "n", "_emission", "_revision") == [
        (0, 1, "change", 1),
        (0, 2, "change", 2),
        (FIVE, 1, "change", 1),
        (FIVE, 2, "change", 2),
    ]
