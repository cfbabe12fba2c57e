"""The watermark that each micro-batch ended with, kept by its number, so that a re-run of a batch sees the same."""

from __future__ import annotations

from pathlib import Path

from velostream.files import replace_text

KEPT = 100
NONE_YET = -(1 << 62)
"""No watermark yet: nothing can be late."""


def keep(folder: Path, batch: int, watermark: int | None) -> None:
    """Leaves the watermark of a micro-batch, and lets go of those long before."""
    replace_text(folder / str(batch), str(NONE_YET if watermark is None else watermark))
    (folder / str(batch - KEPT)).unlink(missing_ok=True)


def stored(folder: str, batch: int) -> int | None:
    """The watermark that a micro-batch left, if it did."""
    file = Path(folder, str(batch))
    return int(file.read_text()) if file.exists() else None
