import io
from datetime import UTC, datetime

from rich.console import Console, RenderableType

from velostream.cli.live.drawing import MOST_ROWS, jobs_table, rows_table
from velostream.cli.live.figures import Figures
from velostream.sinks.writers.console import Shown

JOB = Figures(
    "bars", "running", 12_000, 350, 300, 40, 3, 2, {"too_late": 5}, 0, 9, "2026-01-01T10:00:00", 270, "s/1", 2
)


def drawn(what: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=160)
    console.print(what)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_job_is_a_row_of_figures() -> None:
    text = drawn(jobs_table([JOB], {}, 12.0))
    for part in ("bars", "running", "350", "12,000", "2026-01-01 10:00:00", "4m30s", "s/1 (2 idle)", "running for 12s"):
        assert part in text


def test_a_bounded_run_has_a_bar() -> None:
    assert "5 of 6" in drawn(jobs_table([JOB], {"bars": (5, 6)}, 1.0))


def test_before_there_are_jobs_spark_starts() -> None:
    assert "Spark starts" in drawn(jobs_table([], {}, 1.0))


def test_rows_are_a_table_with_markup_left_alone() -> None:
    text = drawn(rows_table(Shown("out", ("k", "at"), [("[red]x", datetime(2026, 1, 1, tzinfo=UTC)), (None, None)])))
    assert "[red]x" in text
    assert "2026-01-01T00:00:00Z" in text
    assert text.count("NULL") == 2


def test_many_rows_are_counted() -> None:
    text = drawn(rows_table(Shown("out", ("n",), [(n,) for n in range(MOST_ROWS + 7)])))
    assert "and 7 more rows" in text
