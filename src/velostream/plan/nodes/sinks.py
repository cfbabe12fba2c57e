"""Sinks: where the rows of a job are written, each with its key and its guarantee."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from velostream.plan.fields import Field, Fields
from velostream.plan.header_calls import HEADERS
from velostream.plan.nodes.aggregate import Aggregate
from velostream.plan.nodes.base import EMISSION, REVISION, Node
from velostream.plan.nodes.distinct import Distinct
from velostream.plan.nodes.headers import EDITED
from velostream.plan.nodes.row_windows import RowWindows
from velostream.plan.nodes.top_n import TopN
from velostream.sinks.base import Guarantee, WriteMode
from velostream.sinks.writers.batch import Shape


@dataclass(frozen=True, slots=True)
class SinkTarget:
    """One sink. `key` are the fields that name a row: the message key, or the key columns of a table.

    `identity` are the fields by which an upsert finds the row to replace, which is the key, for windowed rows with the
    window; empty for one that appends. `added` are system columns that are written although they were not selected.
    With `headers` the headers and the event time of a row are written too.
    """

    name: str
    connector: str
    writes: WriteMode
    guarantee: Guarantee
    format: str = ""
    key: tuple[str, ...] = ()
    identity: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    headers: bool = False
    settings: Any = field(default=None, compare=False)

    def columns(self, fields: Fields) -> tuple[Field, ...]:
        """What is written: the selected columns, and those added."""
        return (*fields.visible, *(fields.of(name) for name in self.added))


@dataclass(frozen=True)
class Sinks(Node):
    """All sinks of a statement. All succeed for a batch, or the batch is retried."""

    input: Node
    targets: tuple[SinkTarget, ...]

    def check(self) -> None:
        """Keys and added columns exist; an upsert has a key; no two sinks have one name."""
        if not self.targets:
            raise self.refuse("there is no sink")
        names = [target.name for target in self.targets]
        for target in self.targets:
            if names.count(target.name) > 1:
                raise self.refuse(f"two sinks are named '{target.name}'")
            self.require_fields(self.input.fields, *target.key, *target.identity, *target.added)
            if target.writes is WriteMode.UPSERT and not target.identity:
                raise self.refuse(f"sink '{target.name}' cannot replace rows that have no key")
            if not target.columns(self.input.fields) and not self.input.is_open:
                raise self.refuse(f"sink '{target.name}' has nothing to write")

    def derive(self) -> Fields:
        """Those of the input."""
        return self.input.fields

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns, keys, and what corrections are told by."""
        found = [member.name for member in self.input.fields.visible]
        for target in self.targets:
            found += [*target.key, *target.identity, *target.added]
            sent = (self._headers, self.input.time) if target.headers else ()
            found += [name for name in sent if name in self.input.fields]
        if self.input.revises:
            found += [name for name in (EMISSION, REVISION) if name in self.input.fields]
        return tuple(dict.fromkeys(found))

    def shape(self, target: SinkTarget) -> Shape:
        """The rows as the writer of a sink is told of them."""
        fields, corrected = self.input.fields, self.input.revises
        columns = tuple((member.name, str(member.type)) for member in target.columns(fields))
        return Shape(
            columns=columns,
            key=target.key,
            identity=target.identity,
            upserts=target.writes is WriteMode.UPSERT,
            emission=EMISSION if corrected and EMISSION in fields else "",
            revision=REVISION if REVISION in dict(columns) and self._counts_up(target) else "",
            once=target.guarantee is Guarantee.EXACTLY_ONCE,
            headers=self._headers if target.headers else "",
            time=self.input.time if target.headers and self.input.time in fields else "",
        )

    def _counts_up(self, target: SinkTarget) -> bool:
        """True where the revisions of all rows that an upsert takes for one only grow: the row is known by no more than
        that, and nothing forgets it and counts from 1 again, as groups without a window do after `state.ttl`."""
        known = self.input.identity
        forgets = any(
            (isinstance(node, Aggregate) and node.window is None and node.state_ttl is not None)
            or (isinstance(node, Distinct | RowWindows | TopN) and node.ttl is not None)
            for node in self.input.walk()
        )
        return bool(known) and set(known) <= set(target.identity) and not forgets

    @property
    def _headers(self) -> str:
        """The field of the headers to write: those that were edited, where rows show those that came beside them."""
        return next((name for name in (EDITED, HEADERS) if name in self.input.fields), "")
