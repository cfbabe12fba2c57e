"""A job that goes on after a flush: rows of windows that were said before they closed may be said again (SPEC B7)."""

from __future__ import annotations

import logging

from velostream.events import LOGGER
from velostream.jobs.home import Home
from velostream.plan.after_flush import after_flush, has_lone_rows, hindrance
from velostream.plan.job import ApplicationPlan, Job
from velostream.spark.lower.refusals import refusals

_log = logging.getLogger(LOGGER)


def going_on(job: Job, plan: ApplicationPlan, home: Home) -> Job:
    """The job as it runs: after a flush its rows tell what they correct. Where they cannot, it warns."""
    if not home.flushed:
        return job
    if has_lone_rows(job):
        _log.warning(
            "job '%s' goes on after a flush: a row that the flush let go out alone of its outer join, and that meets "
            "another one now, is withdrawn, and sinks that append write the withdrawal as a row like any other; "
            "write into a sink that has a key, where it deletes the row",
            job.name,
        )
    made = after_flush(job, plan)
    if made.root == job.root:
        return job
    why = hindrance(made, job) or next((refusal.message for refusal in refusals(made)), "")
    if not why:
        return made
    _log.warning(
        "job '%s' goes on after a flush: a further record of a window that the flush said makes its row go out "
        "again, and nothing that is written tells the correction from another row, nor is a row withdrawn that "
        "HAVING or LIMIT no longer lets through, since %s; set 'allowed.lateness' = '1s' and start with a new "
        "checkpoint, and rows tell both by _emission and _revision from their first run on",
        job.name,
        why,
    )
    return job
