"""What the rows of a query could not hold: records that became dead letters, which a query does not keep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any


def letters_of(report: Mapping[str, Any]) -> dict[str, int]:
    """The dead letters of a run, by reason."""
    found: Counter[str] = Counter()
    for job in report.get("jobs", ()):
        found.update(job["records"]["dead_lettered"])
    return dict(found)


def said(report: Mapping[str, Any]) -> str:
    """The same in words; empty where no record was left out."""
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(letters_of(report).items()) if count)
    return f"dead letters: {reasons}" if reasons else ""
