"""Who has begun to read the files of a source, Spark's own source or ours: each goes on from places of its own only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from velostream.errors import VeloError

_LISTS = Path("spark") / "sources"
"""Below the folder of a job: where Spark's own sources list the files that they have taken."""


def began_by_spark(source: str, home: Path) -> bool:
    """True where Spark's own source has taken files for the scan called `source`; `home` is the folder of the job."""
    return any((home / _LISTS / f"source_{source}").glob("[0-9]*"))


def require_ours(node: Any, home: Path) -> None:
    """Refuses a scan that our source is to read, where Spark's has begun to: nobody knows where it would go on."""
    if not began_by_spark(node.source, home):
        return
    asked = node.way is not None and node.way.kind != "spark"
    why = node.way.reason if asked else "its files or settings are not for Spark's source any more"
    message = f"source '{node.source}' was read by Spark so far, and would be read by Velostream now"
    hint = f"{why}; undo that, or start with another --checkpoint (velo deploy: --fresh)"
    raise VeloError(message, hint=hint, code="state-mismatch")
