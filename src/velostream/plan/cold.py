"""The cold tier of a job (`state.cold.*`): which node closes its windows, and what columns their rows have there."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.config.cold import NONE, place_of
from velostream.plan.emission import CHANGES
from velostream.plan.job import Job
from velostream.plan.nodes import Aggregate, Materialise, Node, Print, Project, Sinks
from velostream.plan.nodes.base import EMISSION, REVISION, WINDOW_END, WINDOW_START

EVENTS, CLOSED_AT = "_event_count", "_closed_at"
ADDED = (
    (WINDOW_START, "TIMESTAMP"),
    (WINDOW_END, "TIMESTAMP"),
    (EMISSION, "STRING"),
    (REVISION, "BIGINT"),
    (EVENTS, "BIGINT"),
    (CLOSED_AT, "TIMESTAMP"),
)
"""What every row of the tier has beside the columns of its job: the window, why it was said, and when."""


@dataclass(frozen=True, slots=True)
class Cold:
    """Where the closed windows of a job are put away, for how long (microseconds), and what their rows have."""

    job: str
    backend: str
    location: str
    retention: int
    columns: tuple[tuple[str, str], ...]
    """The columns of the job, with their types."""
    keys: tuple[str, ...]
    """The column of each key that rows are grouped by, in order."""
    hidden: tuple[tuple[str, str, int], ...] = ()
    """Keys that the job does not write: as what column, of what type, and which of the keys each is."""
    by_end: bool = False
    """True where windows of one start differ by their end."""

    @property
    def own(self) -> tuple[tuple[str, str], ...]:
        """The columns of the job that are put away under their own name: a window's bounds are the tier's."""
        added = {name for name, _ in ADDED}
        return tuple(each for each in self.columns if each[0] not in added)

    @property
    def whole(self) -> tuple[tuple[str, str], ...]:
        """All columns of the tier."""
        return (*self.own, *((name, kind) for name, kind, _ in self.hidden), *ADDED)

    @property
    def identity(self) -> tuple[str, ...]:
        """What tells windows apart."""
        return (*self.keys, WINDOW_START, *((WINDOW_END,) if self.by_end else ()))


def closing(job: Job) -> Aggregate | None:
    """The node whose windows a job closes and writes; None where its rows are of something else, or never final."""
    node: Node = job.root
    while not node.keeps_state:
        streams = [child for child in node.children if not child.static]
        if len(streams) != 1:
            return None
        node = streams[0]
    if not isinstance(node, Aggregate) or node.window is None or node.emission.mode == CHANGES:
        return None
    return node


def cold_of(job: Job) -> Cold | None:
    """The cold tier of a job; None where it has none."""
    if job.settings is None or job.settings.text("state.cold.backend") == NONE:
        return None
    node, place = closing(job), place_of(job.settings)
    if node is None or place is None:
        return None
    top = _rows(job)
    columns = tuple((member.name, str(member.type)) for member in top.fields.visible)
    shown = _shown(top, node)
    taken = {name.casefold() for name, _ in (*columns, *ADDED)}
    keys: list[str] = []
    hidden: list[tuple[str, str, int]] = []
    for number, key in enumerate(node.keys):
        name = shown.get(key.name, "")
        if not name:
            name = key.name.rpartition(".")[2]
            name = name if name.isidentifier() and name.casefold() not in taken else f"_key_{number}"
            hidden.append((name, str(key.expression.type), number))
            taken.add(name.casefold())
        keys.append(name)
    return Cold(
        job.name,
        job.settings.text("state.cold.backend"),
        place,
        job.settings.duration("state.cold.retention"),
        columns,
        tuple(keys),
        tuple(hidden),
        by_end=WINDOW_END in node.identity,
    )


def _rows(job: Job) -> Node:
    node = job.root
    while isinstance(node, Sinks | Materialise | Print):
        node = node.children[0]
    return node


def _shown(top: Node, node: Aggregate) -> dict[str, str]:
    """The visible column of each key of the node that is written as it is, by the name of the key."""
    added = {name for name, _ in ADDED}
    names = {member.name: member.name for member in top.fields.visible if member.name not in added}
    each = top
    while each is not node:
        if isinstance(each, Project):
            picked = {column.name: column.expression.name for column in each.columns if column.expression.is_field}
            names = {shown: picked[name] for shown, name in names.items() if name in picked}
        each = next(child for child in each.children if not child.static)
    keys = {key.name for key in node.keys}
    return {name: shown for shown, name in reversed(names.items()) if name in keys}
