"""Whose a dead letter is while two versions of a job run side by side: each record's letter is written by one of them.

Both versions judge all records, and may do so differently: a record that comes too late for one may be in time for the
other. So a letter belongs to the version that owns what the record would be in: the newest window that would hold it,
and its group. A record without an event time belongs to whoever owns keys from now on, since both versions have read
the same when that changes; one whose group is not known is placed by where it stands, which is the same in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

from velostream.jobs.ownership import Owners, Ownership, key_of
from velostream.plan.canonical import CANONICAL, canonical
from velostream.plan.job import Job
from velostream.plan.nodes import Aggregate
from velostream.spark.lower.slots import SLOTS

OWNING = "_owning"
"""What a letter says, until it is written, of whose it is: `others` where the row knew it; else `group`, the keys of a
record as text, and `time`, its event time, or `end`, the end of its window, in microseconds."""
_SAME_TEXT = ("STRING", "TINYINT", "SMALLINT", "INT", "BIGINT")
"""Types of which a key is the same text for Spark and in the operator."""


@dataclass(frozen=True)
class LetterOwner:
    """Which letters of a job this version writes."""

    job: Job
    owned: Ownership

    def writes(self, letter: Mapping[str, Any]) -> bool:
        """True for a letter that is to be written here. A row that a sink refused has been this version's own."""
        told = letter.get(OWNING)
        if not told:
            return True
        if "others" in told:
            return not told["others"]
        end = told.get("end")
        if end is None and told.get("time") is not None:
            end = newest_end(self.job, told["time"])
        low, high = self.owned.now if end is None else self.owned.at(end)
        return low <= self._place(told.get("group"), letter) < high

    def _place(self, group: str | None, letter: Mapping[str, Any]) -> int:
        if group is not None and self._tells_key:
            return crc32(group.encode()) % SLOTS
        stood = letter["record"] if letter["offset"] is None else letter["offset"]
        return crc32(f"{letter['source']}|{stood}".encode()) % SLOTS

    @cached_property
    def _tells_key(self) -> bool:
        return tells_key(self.job)


def tells_key(job: Job) -> bool:
    """True where rows have the place of their group: their key is that of the only node with state, in that order."""
    nodes = list(job.root.walk())
    groups = [node for node in nodes if isinstance(node, Aggregate)]
    if len(groups) != 1 or sum(node.keeps_state for node in nodes) != 1:
        return False
    names, below = CANONICAL(job.root), CANONICAL(groups[0].input)
    kept = [(names.get(key, key), str(job.root.fields.of(key).type)) for key in key_of(job)]
    grouped = [(canonical(key.expression, below), str(key.expression.type)) for key in groups[0].keys]
    return kept == grouped and all(kind in _SAME_TEXT for _, kind in kept)


def owner_of(job: Job, owners: Owners) -> LetterOwner | None:
    """Which letters of a job are written, where another version of it writes the others; None where all are."""
    owned = owners.of_jobs.get(job.name)
    return None if owned is None or owned.is_whole else LetterOwner(job, owned.of_letters)


def newest_end(job: Job, time: int) -> int:
    """The end of the newest window that holds a record of that time; of windows over windows, that of the last."""
    end = time
    found = [node.window for node in job.root.walk() if isinstance(node, Aggregate) and node.window is not None]
    for number, window in enumerate(reversed(found)):
        assigner: Any = window.assigner
        inside = end - 1 if number else end
        if assigner.moves:
            end = inside + int(assigner.gap)
        else:
            step = int(assigner.advance_by)
            end = (inside - assigner.offset) // step * step + assigner.offset + int(assigner.size)
    return end


def own_letters(owner: LetterOwner | None, letters: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The letters that are to be written here, as they are written."""
    mine = letters if owner is None else [one for one in letters if owner.writes(one)]
    return [{name: value for name, value in one.items() if name != OWNING} for one in mine]
