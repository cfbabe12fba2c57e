"""Everything that watches the jobs of a runner while they run: one thing to open, for `velo run` and for a driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner


@contextmanager
def watched(runner: Runner, say: Callable[[str], None], metrics_port: int | None = None) -> Iterator[None]:
    """Opens what the settings and the environment ask for; it closes when the run is over."""
    with ExitStack() as open_:
        if metrics_port is not None:
            from velostream.observability.endpoint import HOST, served
            from velostream.observability.snapshot import application

            port = open_.enter_context(served(lambda: application(runner), metrics_port))
            say(f"metrics: http://{HOST}:{port}/metrics")
        yield
