"""Records that come again: how a dead letter that is replayed is told from a new record on its way through a job.

The name of its source, which every row carries, has two more parts: what becomes of it where it is late, and whether it
had passed deduplication when it became a letter. Such records move no watermark.
"""

from __future__ import annotations

MARK = "\x1e"
"""What parts begin with; no name has it."""
PASSED = f"{MARK}passed"
"""How the source of a record ends whose key deduplication has seen, in the record itself."""
LATE = ("process_all", "process_with_warning", "include_in_next", "dead_letter", "drop")
"""What may become of a replayed record that is too late; the first is the default."""


def marked(source: str, late: str, *, passed: bool) -> str:
    """The source of a record that comes again."""
    return f"{source}{MARK}{late}{PASSED if passed else MARK}"


def plain(source: str) -> str:
    """The source as it was at first."""
    return source.split(MARK, 1)[0]
