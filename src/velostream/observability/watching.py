"""Everything that watches the jobs of a runner while they run: one thing to open, for `velo run` and for a driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from velostream.observability.logs import JSON, TEXT, Profile, as_json, lifecycle, logged

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.plan.job import Job


@contextmanager
def watched(
    runner: Runner,
    say: Callable[[str], None],
    metrics_port: int | None = None,
    log_format: str = TEXT,
    log_level: str = "info",
) -> Iterator[None]:
    """Opens what the settings and the environment ask for; it closes when the run is over. `say` shows log lines."""
    from velostream.observability.history.recording import Recording
    from velostream.observability.lineage import LineageEvents
    from velostream.observability.tracing import is_traced

    with ExitStack() as open_:
        lines = {job.name: job.line for job in runner.plan.jobs}
        open_.enter_context(logged(say, log_format, log_level, lines))
        lineage = LineageEvents(runner)
        open_.callback(lineage.close)
        runner.events.subscribe(lineage)
        recording = Recording(runner)
        open_.callback(recording.close)
        runner.events.subscribe(recording)
        if any(is_traced(job) for job in runner.plan.jobs):
            from velostream.observability.tracing import Tracing

            tracing = Tracing(runner)
            open_.callback(tracing.close)
            runner.events.listeners.insert(0, tracing)  # before others: their log lines name the trace
        runner.events.subscribe(Profile([job.name for job in runner.plan.jobs if _is_profiled(job)]))
        if log_format == JSON:
            runner.events.subscribe(lifecycle)
        if metrics_port is not None:
            from velostream.observability.endpoint import HOST, served
            from velostream.observability.snapshot import application

            port = open_.enter_context(served(lambda: application(runner), metrics_port))
            told = f"metrics: http://{HOST}:{port}/metrics"
            say(as_json(told) if log_format == JSON else told)
        yield


def _is_profiled(job: Job) -> bool:
    return job.settings is not None and bool(job.settings.boolean("observability.profiling.enabled"))
