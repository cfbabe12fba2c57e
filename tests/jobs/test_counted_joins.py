"""What joins count is reported by Spark beside the rows: each micro-batch counts once, none is passed over."""

from dataclasses import dataclass, field
from typing import Any, cast

from velostream.jobs.accounts import Accounts
from velostream.jobs.running import RunningJob
from velostream.spark.lower.join_table import MATCHED, MISSING


@dataclass
class Query:
    """What a query of Spark has reported."""

    recentProgress: list[dict[str, Any]] = field(default_factory=list)  # noqa: N815 - as Spark names it

    @property
    def lastProgress(self) -> dict[str, Any] | None:  # noqa: N802 - as Spark names it
        return self.recentProgress[-1] if self.recentProgress else None


@dataclass
class Lowered:
    observed: dict[str, tuple[str, str]]


def progress(batch: int, matched: int | None = None) -> dict[str, Any]:
    """The report of a micro-batch; without a number that of a query that waits."""
    observed = {} if matched is None else {"join_0": {MATCHED: matched, MISSING: 1}, "other": {}}
    return {"batchId": batch, "observedMetrics": observed}


def test_every_micro_batch_counts_once_though_the_query_waits_in_between() -> None:
    job = cast(RunningJob, object.__new__(RunningJob))
    query = Query()
    job.query, job.accounts = cast(Any, query), Accounts()
    job.lowered = cast(Any, Lowered({"join_0": ("t", "skip_record")}))
    job.count_joins()
    for reported in (progress(0, 5), progress(1), progress(1, 7), progress(2), progress(2, 9), progress(3)):
        query.recentProgress.append(reported)
        if reported["batchId"] != 1:
            job.count_joins()
            job.count_joins()
    assert job.accounts.joins == {"t": {"matched": 21, "missing": 3, "skipped": 3, "defaulted": 0, "retried": 0}}
