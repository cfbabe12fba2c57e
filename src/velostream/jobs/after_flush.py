"""A job that goes on after a flush: rows of windows that were said before they closed may be said again (SPEC B7)."""

from __future__ import annotations

import logging

from velostream.events import LOGGER
from velostream.jobs.home import Home
from velostream.plan.job import Job
from velostream.plan.nodes import Aggregate, Filter, Node, OrderLimit, Project, TopN
from velostream.plan.nodes.base import REVISION

_log = logging.getLogger(LOGGER)


def warn_after_flush(job: Job, home: Home) -> None:
    """Warns where a flush has been and the rows that correct what it said would look like any others."""
    if home.flushed and hides_corrections(job):
        _log.warning(
            "job '%s' goes on after a flush: a further record of a window that the flush said makes its row go out "
            "again, and nothing that is written tells the correction from another row, nor is a row withdrawn that "
            "HAVING or LIMIT no longer lets through; set 'allowed.lateness' = '1s' from the first run on, which "
            "does both with _emission and _revision",
            job.name,
        )


def hides_corrections(job: Job) -> bool:
    """True where each row is said once unless a flush comes between, so that a correction is not told, or not made."""
    nodes = list(job.root.walk())
    if job.root.revises or not any(map(_is_group, nodes)):
        return False
    choosing = (node for node in nodes if isinstance(node, Filter | OrderLimit | TopN))
    if any(_is_group(below) for node in choosing for below in node.walk()):
        return True
    columns = (column for node in nodes if isinstance(node, Project) for column in node.columns if not column.system)
    return not any(REVISION in column.expression.fields for column in columns)


def _is_group(node: Node) -> bool:
    return isinstance(node, Aggregate) and node.keeps_state
