from velostream.events import BatchBegan, BatchEnded, Events, JobEnded, StageEnded
from velostream.jobs.accounts import Accounts
from velostream.jobs.timing import Timings, quantile


def test_timings_hear_their_own_job_only() -> None:
    timings = Timings("a")
    second = 1_000_000_000
    for event in (
        BatchBegan("a", 0, 0),
        StageEnded("a", 0, "compute", 0, at=2 * second),
        StageEnded("a", 0, "sink out", 2 * second, 5, at=3 * second),
        BatchEnded("a", 0, 0, 5, at=3 * second),
        BatchEnded("a", 1, 3 * second, error="boom", at=4 * second),
        BatchEnded("b", 0, 0, at=9 * second),
    ):
        timings(event)
    told = timings.data()
    assert (told["batches"], told["failures"], told["last_seconds"], told["p99"]) == (1, 1, 3.0, 3.0)
    assert told["stages"]["sink out"] == {"seconds": 1.0, "last_seconds": 1.0, "rows": 5, "batches": 1}
    assert told["histogram"]["count"] == 1


def test_a_job_that_works_all_the_time_is_saturated_by_its_slowest_stage() -> None:
    timings = Timings("a", began=0.0)
    timings(StageEnded("a", 0, "compute", 0, at=10**9))
    timings(StageEnded("a", 0, "sink out", 0, at=58 * 10**9))
    timings(BatchEnded("a", 0, 0, at=59 * 10**9))
    assert timings.pressure(60.0) == {"state": "saturated", "busy": 0.9833, "cause": "sink out"}
    assert timings.pressure(75.0)["state"] == "busy"
    assert timings.pressure(600.0) == {"state": "ok", "busy": 0.0, "cause": ""}


def test_a_micro_batch_that_is_not_over_counts_as_work_and_tells_how_long_it_has_run() -> None:
    timings = Timings("a", began=0.0)
    assert timings.data(9.0)["running_seconds"] is None
    timings(BatchBegan("b", 0, 1))
    timings(BatchBegan("a", 0, 10 * 10**9))
    assert timings.data(100.0)["running_seconds"] == 90.0
    assert timings.pressure(100.0) == {"state": "saturated", "busy": 1.0, "cause": ""}
    timings(BatchEnded("a", 0, 10 * 10**9, at=101 * 10**9))
    assert timings.data(102.0)["running_seconds"] is None
    timings(BatchBegan("a", 1, 103 * 10**9))
    timings(JobEnded("a", "stopped", at=104 * 10**9))
    assert timings.data(110.0)["running_seconds"] is None


def test_partitions_tell_how_old_their_newest_record_is() -> None:
    accounts = Accounts()
    timings = Timings("a", accounts=accounts)
    for lag in (1_000, 3_000, 2_000):
        accounts.partitions = {
            "s/0": {"max_event_time": 0, "lag_ms": lag, "idle": False},
            "s/1": {"max_event_time": None, "lag_ms": None, "idle": False},
            "s/2": {"max_event_time": 0, "lag_ms": 9_000, "idle": True},
        }
        timings(BatchEnded("a", 0, 0, at=1))
    assert timings.latencies() == {"s/0": {"p50": 2.0, "p95": 3.0, "p99": 3.0}}


def test_quantiles_are_values_that_occurred() -> None:
    assert quantile([], 0.5) is None
    assert [quantile([1.0, 2.0, 3.0, 4.0], share) for share in (0.25, 0.5, 0.95)] == [1.0, 2.0, 4.0]


def test_a_listener_that_fails_does_no_harm() -> None:
    heard = []
    events = Events()
    events.subscribe(lambda event: 1 / 0)  # type: ignore[arg-type,return-value]
    events.subscribe(heard.append)
    with events.stage("a", 1, "compute"):
        pass
    assert len(heard) == 1
