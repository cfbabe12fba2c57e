"""Two versions of an application that rest read until both have read the same, job by job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from velostream.errors import VeloError
from velostream.plan.job import ApplicationPlan
from velostream.server.control import Control
from velostream.server.driver import commands
from velostream.server.driver.commands import Command
from velostream.server.moving.movable import goes_by_position, sources, windows
from velostream.server.moving.phases import Pair
from velostream.server.views import Seen

ROUNDS = 3
"""How often both versions are told to come where the other one stands: in the second round neither has to."""
Tell = Callable[[Seen, Command], dict[str, Any]]


def by_position(old: ApplicationPlan, new: ApplicationPlan) -> list[str]:
    """The jobs whose rows change owners where both versions have read the same."""
    return [job.name for job in old.jobs if goes_by_position(job) and new.job(job.name) is not None]


def meet(control: Control, pair: Pair, tell: Tell) -> None:
    """Lets one version after the other read as far as both have read, until neither is behind.

    Rows with windows have a point in time instead. Their jobs meet for the sake of dead letters about records without a
    time, which belong to whoever has the keys; not where what both have read cannot be compared.
    """
    old, new = (control.plan_of(one.deployment).plan for one in pair.both)
    _meet(control, pair, tell, by_position(old, new))
    both = [(job, new.job(job.name)) for job in old.jobs if windows(job)]
    same = [job.name for job, other in both if other is not None and sources(job) == sources(other)]
    try:
        _meet(control, pair, tell, same)
    except VeloError as error:
        if error.error_code != "strategy":
            raise


def _meet(control: Control, pair: Pair, tell: Tell, jobs: list[str]) -> None:
    for _ in range(ROUNDS if jobs else 0):
        for one, other in (pair.both, pair.both[::-1]):
            state = control.folders.state(other.deployment.app, other.deployment.state)
            answer = tell(one, Command(commands.MEET, tuple(jobs), {"other": str(state)}))
        if answer["met"]:
            return
    if jobs:
        message = f"the versions of '{pair.new.deployment.app}' have not read the same yet"
        raise VeloError(message, hint="it is tried again", code="job-state")
