"""Columns that are declared and read by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator

from velostream.observability.advice.base import WASTE, Advice, Case
from velostream.plan.nodes import Scan

_NAMING = ("partition.by", "dedup.key", "watermark.punctuation")
"""Settings of sources that name columns."""


def unused(case: Case) -> Iterator[Advice]:
    """Columns of a source that no job of the application reads: said with the first job that reads the source."""
    read: dict[str, set[str]] = {}
    first: dict[str, str] = {}
    declared: dict[str, tuple[str, ...]] = {}
    for job in case.plan.jobs:
        for node in job.root.walk():
            if isinstance(node, Scan):
                names = {member.name.removeprefix(f"{node.alias}.") for member in node.columns}
                read.setdefault(node.source, set()).update(names | _named(node))
                first.setdefault(node.source, job.name)
                declared[node.source] = tuple(case.plan.declared.get(node.source, ()))
    for source, names in read.items():
        idle = [name for name in declared[source] if name not in names]
        if idle and first[source] == case.job.name:
            figures = {"source": source, "columns": idle, "declared": len(declared[source])}
            what = f"nobody reads {', '.join(idle[:8])}{' …' if len(idle) > 8 else ''} of '{source}'"
            change = "leave them out of the declaration: they are neither decoded nor checked then"
            yield Advice(WASTE, case.job.name, what, figures, change)


def _named(scan: Scan) -> set[str]:
    """The columns that settings of a source name."""
    named = {scan.event_time.column} if scan.event_time.column else set()
    for name in _NAMING:
        said = scan.settings.values.get(name) if scan.settings is not None else None
        if said is not None:
            named |= set(re.findall(r"\w+", said.text))
    return named
