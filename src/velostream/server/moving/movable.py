"""Whether keys can move between two versions: rows must tell their window, and both must mean the same by a key."""

from __future__ import annotations

from velostream.errors import VeloError
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Aggregate, Materialise, Sinks
from velostream.plan.nodes.base import WINDOW_END

LISTENING = "http_source"
_LENGTHS = ("size", "gap", "max")
_USE = "deploy it with REPLACE"


def check_movable(old: ApplicationPlan, new: ApplicationPlan, *, by_share: bool, fits: bool) -> None:
    """Refuses versions that cannot run side by side without a result being missing or doubled. `by_share` says that
    only some keys move, `fits` that the new version goes on with the state of the old one."""
    for job in new.jobs:
        before = old.job(job.name)
        if isinstance(job.root, Materialise) or before is None:
            continue
        if any(scan.connector == LISTENING for scan in job.scans):
            message = f"job '{job.name}' listens at an address, which two versions cannot do at once"
            raise VeloError(message, hint=_USE, code="strategy")
        if goes_by_position(before) and goes_by_position(job):
            _check_position(job, by_share=by_share, fits=fits)
            continue
        for one in (before, job):
            _check_window(one)
        if by_share and (not keys(job) or keys(job) != keys(before)):
            was, now = ", ".join(keys(before)) or "none", ", ".join(keys(job)) or "none"
            message = f"the keys of job '{job.name}' cannot be shared between versions: {was} → {now}"
            raise VeloError(message, hint="deploy it with BLUE_GREEN or REPLACE", code="strategy")
        if not fits and any(window.window.assigner.moves for window in windows(job)):  # type: ignore[union-attr]
            message = f"job '{job.name}' has sessions, and the new version would not know how they began"
            raise VeloError(message, hint=_USE, code="strategy")


def goes_by_position(job: Job) -> bool:
    """True for a job without state: all of its rows can move at once, where its sources stand at that moment."""
    return not job.stateful and not isinstance(job.root, Materialise)


def _check_position(job: Job, *, by_share: bool, fits: bool) -> None:
    """What stands between two positions belongs to one version or the other as a whole."""
    if by_share:
        message = f"the rows of job '{job.name}' have no window: all of them can move at once, but no share of them"
        raise VeloError(message, hint="deploy it with BLUE_GREEN or REPLACE", code="strategy")
    if not fits:
        message = f"job '{job.name}' keeps no state: the new version goes on where the old one stands"
        raise VeloError(message, hint="deploy it without fresh, or with REPLACE", code="strategy")


def _check_window(job: Job) -> None:
    if not windows(job) or WINDOW_END not in job.root.fields:
        message = f"the rows of job '{job.name}' have no window: nothing tells at which of them a switch would be"
        raise VeloError(message, hint=_USE, code="strategy")


def keys(job: Job) -> tuple[str, ...]:
    """The key of the rows of a job."""
    return job.root.targets[0].key if isinstance(job.root, Sinks) else ()


def windows(job: Job) -> list[Aggregate]:
    """The windows of a job."""
    return [node for node in job.root.walk() if isinstance(node, Aggregate) and node.window is not None]


def length(job: Job) -> int:
    """How far beyond the newest event a window may end that has records already, in microseconds."""
    total = 0
    for node in windows(job):
        assert node.window is not None
        told = [getattr(node.window.assigner, name, None) or 0 for name in _LENGTHS]
        total += max(told)
    return total


def lateness(job: Job) -> int:
    """How long after its end a window may be corrected, in microseconds."""
    return sum(node.lateness.allowed for node in windows(job))
