"""The verdict before a deployment: whether the new version can go on with the state of the old one, and why not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from velostream.plan.difference import differences
from velostream.plan.job import ApplicationPlan, Job
from velostream.plan.nodes.scan import label_among
from velostream.sources.streams.readers import began_by_spark


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that differs. One that is not compatible makes the state of its job useless."""

    job: str
    place: str
    text: str
    compatible: bool

    def __str__(self) -> str:
        place = f" {self.place}" if self.place else ""
        return f"{'kept' if self.compatible else 'lost'}  {self.job}{place}: {self.text}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a new version means for the state of the old one."""

    changes: tuple[Change, ...]
    first: bool = False
    """True where there is no version before."""

    @property
    def compatible(self) -> bool:
        """True where all state is kept."""
        return all(change.compatible for change in self.changes)

    def __str__(self) -> str:
        if self.first:
            return "new   no version runs yet: it begins without state"
        return "\n".join(map(str, self.changes)) or "kept  state: nothing about it changed"


def judge(old: ApplicationPlan, new: ApplicationPlan, state: Path) -> Verdict:
    """Compares two versions of an application, job by job; `state` is the folder that holds what the old one keeps."""
    found: list[Change] = []
    for job in old.jobs:
        if new.job(job.name) is None:
            text = "is no longer there: its state stays in its folder, and what it held open is not written"
            found.append(Change(job.name, "", text, compatible=True))
    for job in new.jobs:
        before = old.job(job.name)
        if before is None:
            found.append(Change(job.name, "", "is new: it begins without state", compatible=True))
            continue
        found += [Change(job.name, each.place, each.text, each.compatible) for each in differences(before, job)]
        found += _readers(job, state / job.name)
    return Verdict(tuple(found))


def _readers(job: Job, home: Path) -> Iterator[Change]:
    """The sources whose files Spark has begun to read, and that it cannot read any more."""
    labels: list[str] = []
    for scan in job.scans:
        labels.append(label_among(scan.source, labels))
        if scan.way is None or scan.way.kind == "spark" or not began_by_spark(labels[-1], home):
            continue
        text = f"was read by Spark, would be read by Velostream: {scan.way.reason}; where to go on is not known"
        yield Change(job.name, f"source {scan.source}", text, compatible=False)
