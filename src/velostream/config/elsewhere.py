"""Names of options that mean something in other engines and nothing here, with what to do instead."""

from __future__ import annotations

from velostream.config.keys import fold

_TASKS = (
    "rows are written by as many tasks as there are buckets: set 'num_partitions', whose number is fixed at the first "
    "start, or give Spark more cores"
)
_READERS = "as many tasks read as the source has partitions: give Spark more cores with --master 'local[8]'"
_ELSEWHERE = {
    "sink_parallelism": _TASKS,
    "parallelism_default": _TASKS,
    "scan_parallelism": _READERS,
}


def instead(key: str) -> str:
    """What to do instead of setting a name that users of other engines know; empty for any other."""
    return _ELSEWHERE.get(fold(key), "")
