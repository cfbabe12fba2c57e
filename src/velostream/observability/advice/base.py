"""What advice is: something that is not as it should be, the figures that say so, and what to change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from velostream.jobs.accounts import Accounts
from velostream.plan.job import ApplicationPlan, Job

LOSES, SLOW, GROWS, WASTE, ODD = "loses", "slow", "grows", "waste", "odd"
"""Kinds, the most urgent first."""
KINDS = (LOSES, GROWS, SLOW, ODD, WASTE)


@dataclass(frozen=True, slots=True)
class Advice:
    """One piece of advice."""

    kind: str
    job: str
    what: str
    figures: Mapping[str, Any]
    change: str
    guide: str = ""

    def data(self) -> dict[str, Any]:
        """As plain data."""
        told = {"kind": self.kind, "job": self.job, "what": self.what, "figures": dict(self.figures)}
        return told | {"change": self.change, "guide": self.guide}


@dataclass(frozen=True, slots=True)
class Case:
    """A job, what it has counted, and what was kept of it over time: rows by table, oldest first."""

    plan: ApplicationPlan
    job: Job
    accounts: Accounts
    history: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)

    def kept(self, table: str) -> list[dict[str, Any]]:
        """The rows of one table."""
        return self.history.get(table, [])


Rule = Callable[[Case], Iterator[Advice]]


def amount(number: float) -> str:
    """A number as people read it."""
    return f"{number:,.0f}" if abs(number) >= 10 or number == int(number) else f"{number:.2g}"


def span(seconds: float) -> str:
    """A length of time as settings take it."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:.0f}{unit}"
    return f"{seconds:g}s"
