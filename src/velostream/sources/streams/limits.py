"""How much a micro-batch takes of a source: so many records or bytes, or as many as a file says that may change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from velostream.config.batching import ADAPTIVE, FIXED_SIZE, MEMORY, first_size, strategy_of

FILE = "batch-limit"
"""In the folder of a job: how many records the next micro-batch takes of each source."""


@dataclass(frozen=True)
class BatchLimit:
    """The most records and the most bytes of a micro-batch; `file` says the records where they change, and until it
    does they are `first`."""

    records: int | None = None
    bytes: int | None = None
    file: str = ""
    first: int | None = None

    @classmethod
    def of(cls, settings: Any, home: Path) -> BatchLimit:
        """As the settings of a source and its job say; `home` is the folder of the job."""
        known = settings.known.find("max.records.per.batch") is not None
        own = settings.get("max.records.per.batch") if known else None
        job = settings.job
        strategy = strategy_of(job)
        records = [int(str(own))] if own is not None else []
        if strategy == FIXED_SIZE:
            records.append(job.integer("batch.size"))
        return cls(
            min(records, default=None),
            job.size("batch.memory") if strategy == MEMORY else None,
            str(home / FILE) if strategy == ADAPTIVE else "",
            first_size(job) if strategy == ADAPTIVE else None,
        )

    @property
    def most_records(self) -> int | None:
        """The most records of the next micro-batch; None where there is no such limit."""
        if not self.file:
            return self.records
        file = Path(self.file)
        told = int(file.read_text()) if file.exists() else self.first
        return min((one for one in (told, self.records) if one is not None), default=None)

    @property
    def is_set(self) -> bool:
        """True where there is any limit."""
        return self.records is not None or self.bytes is not None or bool(self.file)
