"""The values of @metric annotations, kept with the accounts of a job: each micro-batch adds to them once."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from velostream.events import LOGGER

GAUGE, HISTOGRAM = "gauge", "histogram"
OTHER = "_other"
"""The value of every label of the series that takes what the cap turns away."""
OVER = "over"

Measured = dict[str, dict[str, Any]]
"""By metric: its `series` by labels (a JSON list as text), and how many rows were `skipped`, by reason.

The state of a counter is a number, of a gauge the event time and the value, of a histogram the `counts` up to each
bound with one more for all above, and the `sum`. Decimals are texts.
"""


def key_of(labels: Sequence[str]) -> str:
    """The name of a series in JSON."""
    return json.dumps(list(labels), ensure_ascii=False)


def number(value: Any) -> int | float | Decimal:
    """A kept number."""
    return Decimal(value) if isinstance(value, str) else value


def plus(one: Any, other: Any) -> Any:
    """The sum of two kept numbers, exact where both are."""
    left, right = number(one), number(other)
    if isinstance(left, float) or isinstance(right, float):
        return float(left) + float(right)
    total = left + right
    return str(total) if isinstance(total, Decimal) else total


def _joined(one: Any, other: Any) -> Any:
    """Two states of one series as one."""
    if isinstance(one, list):  # a gauge: the newer event time wins, of equal ones the later word
        return one if one[0] is not None and other[0] is not None and one[0] > other[0] else other
    if isinstance(one, dict):
        counts = [was + more for was, more in zip(one["counts"], other["counts"], strict=True)]
        return {"counts": counts, "sum": plus(one["sum"], other["sum"])}
    return plus(one, other)


def merged(kept: Measured, found: Measured) -> Measured:
    """What was kept with what was found; neither is changed."""
    result = dict(kept)
    for name, new in found.items():
        before = result.get(name, {"series": {}, "skipped": {}})
        series, skipped = dict(before["series"]), dict(before["skipped"])
        for key, state in new["series"].items():
            series[key] = _joined(series[key], state) if key in series else state
        for reason, count in new["skipped"].items():
            skipped[reason] = skipped.get(reason, 0) + count
        result[name] = {**before, "series": series, "skipped": skipped}
    return result


def capped(kept: Measured, found: Measured, most: int, job: str) -> Measured:
    """What was found, where new series beyond the cap are one: those known stay, new ones come by their labels."""
    result: Measured = {}
    for name, new in found.items():
        known = kept.get(name, {}).get("series", {})
        fresh = sorted(key for key in new["series"] if key not in known)
        room = max(0, most - sum(1 for key in known if not _is_other(key)))
        if len(fresh) <= room:
            result[name] = new
            continue
        result[name] = _folded(new, set(fresh[room:]))
        if not kept.get(name, {}).get("skipped", {}).get(OVER):
            logging.getLogger(LOGGER).warning(
                "metric '%s' of job '%s' has more than %s label combinations: further ones are counted as '%s' "
                "(raise metrics.max_series, or use labels with fewer values)",
                name,
                job,
                f"{most:,}",
                OTHER,
            )
    return result


def _folded(new: dict[str, Any], beyond: set[str]) -> dict[str, Any]:
    """The series beyond the cap as one."""
    series = {key: state for key, state in new["series"].items() if key not in beyond}
    for key in sorted(beyond):
        other, state = key_of([OTHER] * len(json.loads(key))), new["series"][key]
        series[other] = _joined(series[other], state) if other in series else state
    return {"series": series, "skipped": {**new["skipped"], OVER: len(beyond)}}


def _is_other(key: str) -> bool:
    return set(json.loads(key)) == {OTHER}


def same_shape(kept: Measured, shapes: Mapping[str, Any]) -> Measured:
    """What an earlier run kept, without metrics that mean something else now: another kind, other labels or bounds."""
    result: Measured = {}
    for name, shape in shapes.items():
        before = kept.get(name)
        if before is not None and before.get("shape") == shape:
            result[name] = before
        else:
            result[name] = {"series": {}, "skipped": {}, "shape": shape}
    return result
