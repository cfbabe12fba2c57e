"""The root of a bucket's state: read first and written last in every micro-batch, with what the state was made for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from velostream.errors import VeloError
from velostream.windows.state import FORMAT, check_format
from velostream.windows.store import ROOT, Store

MADE = "made"
_HINT = "undo the change, or start with a new checkpoint"


@dataclass(frozen=True)
class Made:
    """What state is made for. State of another `fixed` part is of no use; columns may come and go.

    `fixed` names what must stay (`window`: `TUMBLING(size 1m)`) in the words that an error shows. `columns` are the
    columns of state by name, each with its type and what it is computed from; one that both have must be the same.
    """

    fixed: Mapping[str, str]
    columns: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def as_data(self) -> dict[str, Any]:
        """Plain data."""
        return {"fixed": dict(self.fixed), "columns": {name: list(column) for name, column in self.columns.items()}}

    def check(self, written: Mapping[str, Any]) -> None:
        """Refuse state that was made for something else, and say for what."""
        for part, before in written["fixed"].items():
            now = self.fixed.get(part, "")
            if now != before:
                raise unlike(f"its {part}", before, now)
        for name, (kind, source) in written["columns"].items():
            if name not in self.columns:
                continue
            kind_now, source_now = self.columns[name]
            if source_now != source:
                raise unlike(f"column '{name}'", source, source_now)
            if kind_now != kind:
                raise unlike(f"column '{name}'", kind, kind_now)


def unlike(what: str, before: str, now: str) -> VeloError:
    """The error for state that was made for something else."""
    message = f"the state of this job does not fit its statement: {what} was '{before}' and is '{now}' now"
    return VeloError(message, hint=_HINT, code="state-mismatch")


def read_root(store: Store, made: Made) -> dict[str, Any]:
    """What the last micro-batch left, nothing at first; what another statement left is refused."""
    root = store.get(ROOT)
    if not isinstance(root, bytes):
        return {}
    check_format(root)
    saved: dict[str, Any] = json.loads(root[1:])
    if MADE in saved:
        made.check(saved[MADE])
    return saved


def write_root(store: Store, made: Made, saved: Mapping[str, Any]) -> None:
    """Leave it for the next micro-batch."""
    root = {MADE: made.as_data(), **saved}
    store.put(ROOT, bytes([FORMAT]) + json.dumps(root, separators=(",", ":")).encode())
