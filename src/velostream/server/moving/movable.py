"""Whether keys can move between two versions: rows must tell their window, or go out with what they are made of."""

from __future__ import annotations

from velostream.errors import VeloError
from velostream.plan.emission import CHANGES
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes import Aggregate, Deduplicate, Distinct, Materialise, Node, Scan
from velostream.plan.nodes.base import WINDOW_END
from velostream.server.moving.sharing import check_keys, check_share

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
        if any(scan.connector == "s3_source" and "s3.notifications" in (scan.settings or ()) for scan in job.scans):
            message = f"job '{job.name}' is told of objects by a queue, which two versions would share out"
            raise VeloError(message, hint=_USE, code="strategy")
        if goes_by_position(before) and goes_by_position(job):
            _check_position(before, job, fits=fits)
            if by_share:
                check_share(before, job, new.functions_by_name)
            continue
        for one in (before, job):
            _check_window(one)
        if by_share:
            check_keys(before, job, new.functions_by_name)
        if not fits and any(window.window.assigner.moves for window in windows(job)):  # type: ignore[union-attr]
            message = f"job '{job.name}' has sessions, and the new version would not know how they began"
            raise VeloError(message, hint=_USE, code="strategy")


def goes_by_position(job: Job) -> bool:
    """True for a job whose rows go out with the records that they are made of: they can move where both versions have
    read the same. It keeps no state, or answers every record at once."""
    if isinstance(job.root, Materialise):
        return False
    stateful = [node for node in job.root.walk() if node.keeps_state]
    return not stateful or (len(stateful) == 1 and _answers_at_once(stateful[0]))


def _answers_at_once(node: Node) -> bool:
    if isinstance(node, Aggregate):
        return node.window is None and node.emission.mode == CHANGES
    return isinstance(node, Deduplicate) or (isinstance(node, Distinct) and not node.per_window)


def _check_position(before: Job, job: Job, *, fits: bool) -> None:
    """What stands between two positions belongs to one version or the other as a whole."""
    if not fits:
        message = f"job '{job.name}' has no windows: the new version goes on where the old one stands"
        raise VeloError(message, hint="deploy it without fresh, or with REPLACE", code="strategy")
    was, now = (sources(one) for one in (before, job))
    if was != now:
        message = f"job '{job.name}' reads other sources, or reads them otherwise: {', '.join(was)} → {', '.join(now)}"
        raise VeloError(message, hint=_USE, code="strategy")


def sources(job: Job) -> list[str]:
    """The sources of a job and who reads each; the order counts only where one is read twice."""
    found = [f"{scan.source} ({'Spark, ' if _is_sparks(scan) else ''}{scan.connector})" for scan in job.scans]
    return sorted(found) if len(set(found)) == len(found) else found


def _is_sparks(scan: Scan) -> bool:
    """True for files that Spark's own source reads."""
    return scan.connector == "file_source" and scan.way is not None and scan.way.kind == "spark"


def _check_window(job: Job) -> None:
    if not windows(job) or WINDOW_END not in job.root.fields:
        message = f"the rows of job '{job.name}' have no window: nothing tells at which of them a switch would be"
        raise VeloError(message, hint=_USE, code="strategy")


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
