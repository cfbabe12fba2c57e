"""The verdict before a deployment: whether the new version can go on with the state of the old one, and why not."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.plan.difference import differences
from velostream.plan.job import ApplicationPlan


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


def judge(old: ApplicationPlan | None, new: ApplicationPlan) -> Verdict:
    """Compares two versions of an application, job by job."""
    if old is None:
        return Verdict((), first=True)
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
    return Verdict(tuple(found))
