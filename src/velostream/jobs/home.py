"""A job's folder: Spark's checkpoint, what is fixed at the first start, accounts, dead letters, commands."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.files import replace_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_WORD = 0xFFFFFFFF
_BUCKETS = "buckets.json"
_FLUSHED = "flushed"
_SHUFFLE = "spark.sql.shuffle.partitions"


@dataclass(frozen=True)
class Home:
    """The folder of one job below `--checkpoint`."""

    folder: Path

    @property
    def checkpoint(self) -> Path:
        """Spark's own: offsets, commits, state."""
        return self.folder / "spark"

    @property
    def accounts(self) -> Path:
        """What has been counted."""
        return self.folder / "accounts.json"

    @property
    def letters(self) -> Path:
        """Dead letters."""
        return self.folder / "dead-letters"

    @property
    def flushed(self) -> bool:
        """True where micro-batches have ended since a flush was first asked for, by whatever process: windows may have
        been said before they closed. One that was asked for and not carried out is still to come."""
        asked = self.folder / _FLUSHED
        return asked.exists() and self.next_batch()[0] > int(asked.read_text() or -1)

    def will_flush(self) -> None:
        """Remembers that a flush is asked for; before it is, since it may be done when the process has ended."""
        asked = self.folder / _FLUSHED
        if not asked.exists():
            replace_text(asked, str(self.next_batch()[0]))

    def query_id(self) -> str:
        """The id of the query, which is new with every new checkpoint: part of every sink's marker."""
        text = (self.checkpoint / "metadata").read_text()
        return str(json.loads(text.splitlines()[-1] if text.startswith("v") else text)["id"])

    def next_batch(self) -> tuple[int, bool]:
        """The number of the micro-batch that a start begins with, and whether it was begun before."""
        done = [int(file.name) for file in (self.checkpoint / "commits").glob("[0-9]*") if file.name.isdecimal()]
        number = max(done, default=-1) + 1
        return number, (self.checkpoint / "offsets" / str(number)).exists()

    def age(self, number: int) -> float:
        """How many seconds ago a micro-batch was begun, by whatever process."""
        begun = self.checkpoint / "offsets" / str(number)
        return max(0.0, time.time() - begun.stat().st_mtime) if begun.exists() else 0.0

    def buckets(self, spark: SparkSession, wanted: int | None) -> tuple[int, ...]:
        """The numbers of the buckets, fixed at the first start together with Spark's partitions of state. More buckets
        than partitions run no wider, and each costs a round of the operator in every micro-batch: so one for each."""
        file = self.folder / _BUCKETS
        if file.exists():
            fixed = json.loads(file.read_text())
            held = len(fixed["buckets"])
            if wanted is not None and wanted != held:
                message = (
                    f"the state of '{self.folder.name}' is spread over {held} buckets, and was so at its first start"
                )
                hint = f"set num_partitions to {held} instead of {wanted}, or start with a new checkpoint"
                raise VeloError(message, hint=hint, code="state-mismatch")
            return tuple(fixed["buckets"])
        context = spark.sparkContext
        shuffle = int(str(context.getConf().get(_SHUFFLE, str(context.defaultParallelism))))
        if wanted is not None and not str(context.master).startswith("local"):
            shuffle = max(shuffle, wanted)
        numbers = spread(wanted or shuffle, shuffle)
        replace_text(file, json.dumps({"shuffle_partitions": shuffle, "buckets": numbers}))
        return tuple(numbers)

    def fix_partitions(self, spark: SparkSession) -> None:
        """Gives the query that is started next as many partitions of state as it had at its first start."""
        fixed = json.loads((self.folder / _BUCKETS).read_text())
        spark.conf.set(_SHUFFLE, fixed["shuffle_partitions"])


def spread(count: int, partitions: int) -> list[int]:
    """Numbers that Spark's hash puts evenly on the partitions: small ones in a row are not."""
    places: dict[int, list[int]] = {}
    for number in range(64 * (partitions + count)):
        places.setdefault(murmur(number) % partitions, []).append(number)
    order = sorted(places)
    return sorted(places[order[index % len(order)]][index // len(order)] for index in range(count))


def murmur(number: int, seed: int = 42) -> int:
    """Spark's hash of an INT, by which it chooses the partition of a key."""
    mixed = number * 0xCC9E2D51 & _WORD
    mixed = _rotated(mixed, 15) * 0x1B873593 & _WORD
    state = _rotated(seed ^ mixed, 13) * 5 + 0xE6546B64 & _WORD
    state ^= 4
    state = (state ^ state >> 16) * 0x85EBCA6B & _WORD
    state = (state ^ state >> 13) * 0xC2B2AE35 & _WORD
    state ^= state >> 16
    return state - (1 << 32) if state >> 31 else state


def _rotated(value: int, turns: int) -> int:
    return (value << turns | value >> (32 - turns)) & _WORD
