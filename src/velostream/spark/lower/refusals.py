"""What of a plan cannot be run yet: `velo validate` says it as well as a run does, and needs no Spark for that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.plan.job import Job
from velostream.plan.nodes import JoinStreams, JoinTable, Node, Scan, Sinks, Union
from velostream.plan.nodes.join_table import OUTER_TO_TABLE
from velostream.sinks.writers import check
from velostream.spark.lower.honoured import ignored

if TYPE_CHECKING:
    from velostream.positions import Span
    from velostream.validation import Validated

_BEFORE = "join before the window, or set 'allowed.lateness' to 0 with EMIT FINAL below the join"


def find(answer: Validated) -> None:
    """Adds to the findings of an application what keeps it from being planned or run."""
    from velostream.plan.build import build

    if not answer.ok:
        return
    found: dict[str, tuple[VeloError, Span | None]] = {}
    places = {statement.parsed.span.line: statement.parsed.span for statement in answer.bound.statements}
    try:
        for job in build(answer.bound, answer.library).jobs:
            for error in refusals(job):
                found.setdefault(f"{error.message} {error.span}", (error, places.get(job.line)))
    except VeloError as unplanned:
        found[unplanned.message] = unplanned, None
    for each, place in found.values():
        answer.findings.refuse(each, place)


def refusals(job: Job) -> Iterator[VeloError]:
    """All that keeps a job from being run: its sinks, settings without an effect, and what nodes cannot do yet."""
    for node in job.root.walk():
        for target in node.targets if isinstance(node, Sinks) else ():
            try:
                check(target.connector, target.name, target.settings)
            except VeloError as error:
                yield error
    yield from ignored(job)
    for node in job.root.walk():
        if isinstance(node, Scan) and node.changelog:
            yield changes(node)
        if isinstance(node, JoinTable) and not node.static and node.kind in OUTER_TO_TABLE:
            message = f"a {node.kind} join of a stream with a table in job '{job.name}' cannot be run yet"
            yield VeloError(message, hint="swap the sides and use LEFT", code="unsupported")
        if isinstance(node, JoinTable) and node.keeps_state and node.left.revises:
            yield waiting_corrections()
        if isinstance(node, JoinStreams) and (node.left.revises or node.right.revises):
            yield joined_corrections()
        if node.keeps_state and any(is_mixed(union) for union in _unions(node)):
            yield mixed()


def changes(scan: Scan) -> VeloError:
    """Of a stream whose records replace and withdraw rows."""
    message = f"'{scan.source}' is a stream of changes, which cannot be run yet"
    return VeloError(message, hint=f"declare it as a table: CREATE TABLE {scan.source} …", code="unsupported")


def waiting_corrections() -> VeloError:
    """Of rows that would have to wait for a table."""
    message = "rows that may be corrected cannot wait in a join with a table: their corrections would overtake them"
    return VeloError(message, hint=_BEFORE, code="unsupported")


def joined_corrections() -> VeloError:
    """Of a join of streams."""
    message = "a join of streams whose rows may be corrected cannot be run yet"
    return VeloError(message, hint=_BEFORE, code="unsupported")


def mixed() -> VeloError:
    """Of a union that a stateful node reads."""
    message = "a UNION of records with results of windows or groups cannot be read by a window or group yet"
    return VeloError(message, hint="write it to a sink, or aggregate each side by itself", code="unsupported")


def is_mixed(union: Union) -> bool:
    """True where records of sources and rows of stateful nodes meet: who counts them, nobody could tell."""
    return not union.position and any(isinstance(node, Scan) for node in _between(union))


def _unions(node: Node) -> Iterator[Union]:
    return (each for each in _between(node) if isinstance(each, Union))


def _between(node: Node) -> Iterator[Node]:
    """The nodes below one, down to its sources and to the next stateful nodes."""
    for child in node.children:
        if not child.keeps_state and not child.static:
            yield child
            yield from _between(child)
