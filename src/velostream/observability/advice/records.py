"""Records that are lost: too late, dead-lettered, without a match; and a watermark that one partition holds back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from velostream.durations import SECOND
from velostream.jobs.metrics import window_metrics
from velostream.observability.advice.base import LOSES, SLOW, Advice, Case, amount, span
from velostream.observability.inside import enough, what_if

SHARE = 0.01
"""From this share of records on, dead letters and misses are worth a word."""
BEHIND = 60 * SECOND
"""So far behind the other partitions, one holds the watermark back for real."""


def late(case: Case) -> Iterator[Advice]:
    """Records that came after their windows were let go, and the lateness with which none would have."""
    gone = case.accounts.windows["dropped_after_lateness"]
    if not gone:
        return
    histogram = window_metrics(case.accounts, 0.0)["lateness_seconds"]
    value = enough(histogram)
    allowed = case.job.settings.duration("allowed.lateness") / SECOND if case.job.settings is not None else 0.0
    if value is None:
        hint = "some came more than a day late: look at the clock of whoever sends them"
    elif value > allowed:
        hint = f"set 'allowed.lateness' = '{span(value)}': no record that was late so far would have been too late"
    else:
        hint = "set 'watermark.max_out_of_orderness' higher: records are late by less than the lateness that is allowed"
    figures = {
        "too_late": gone,
        "late": case.accounts.windows["late_events"],
        "allowed_lateness_seconds": allowed,
        "enough_seconds": value,
        "beyond": what_if(histogram)["beyond"],
    }
    what = f"{amount(gone)} record{'' if gone == 1 else 's'} came too late for their windows"
    yield Advice(LOSES, case.job.name, what, figures, hint, "docs/guides/many-late-events.md")


def dead_letters(case: Case) -> Iterator[Advice]:
    """Records that could not be read or computed."""
    read = case.accounts.read
    for reason, count in case.accounts.dead_lettered.most_common():
        if reason != "late" and read and count / read >= SHARE:
            figures = {"reason": reason, "records": count, "read": read, "share": round(count / read, 4)}
            guide = "docs/guides/wrong-timestamps.md" if reason.startswith("event_time") else ""
            what = f"{count / read:.1%} of the records are dead letters: {reason}"
            change = "look at some of them (velo dlq list), correct the declaration or the sender, and replay them"
            yield Advice(LOSES, case.job.name, what, figures, change, guide)


def joins(case: Case) -> Iterator[Advice]:
    """Rows that find nothing in a table."""
    for table, counted in case.accounts.joins.items():
        asked = counted["matched"] + counted["missing"]
        if asked and counted["missing"] / asked >= SHARE:
            figures: dict[str, Any] = {"table": table, **counted, "share": round(counted["missing"] / asked, 4)}
            what = f"{counted['missing'] / asked:.1%} of the rows find nothing in table '{table}'"
            change = f"see that '{table}' is complete, or choose another '{table}.missing.data.strategy'"
            yield Advice(LOSES, case.job.name, what, figures, change)


def watermark(case: Case) -> Iterator[Advice]:
    """One partition far behind the others: every window waits for it."""
    seen = {
        name: shown["max_event_time"]
        for name, shown in case.accounts.partitions.items()
        if shown["max_event_time"] is not None
    }
    if len(seen) < 2:
        return
    ahead = sorted(seen.values())[len(seen) // 2]
    for name in case.accounts.holding:
        if name not in seen or ahead - seen[name] < BEHIND:
            continue
        behind = (ahead - seen[name]) / SECOND
        figures = {"partition": name, "behind_seconds": behind, "partitions": len(seen)}
        what = f"partition {name} holds the watermark back: it is {span(round(behind))} behind the middle one"
        change = (
            "see why it is slow; if it is silent for good, a shorter 'watermark.idle_timeout' lets the others go on"
        )
        yield Advice(SLOW, case.job.name, what, figures, change, "docs/guides/watermark-stuck.md")
