"""In which order generated records arrive: their partition, their place in it, and their event time.

Records are numbered. Number n belongs to partition n mod P at place n div P, and its time is `start` plus n steps,
whatever the order of arrival is: partition after partition brings the same records as in order of time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from velostream.sources.streams.dice import Dice, Ids


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The arrivals of a run. Times are microseconds; a step is `lap / per_lap` of them, so that no rate drifts.

    A record out of order lies at most `disorder` behind the one that came before it in its partition, a late one at
    least `late_by` and at most twice that, as far as the one before came in order.
    """

    seed: int
    rows: int | None
    partitions: int
    batched: bool
    lap: int
    per_lap: int
    disorder_share: float = 0.0
    disorder: int = 0
    late_share: float = 0.0
    late_by: int = 0

    def ids(self, first: int, last: int) -> Ids:
        """The numbers of the records that arrive from `first` up to `last`, without it."""
        arrivals = np.arange(first, last, dtype=np.int64)
        if not self.batched:
            return arrivals
        starts = self._starts()
        partition = np.searchsorted(starts, arrivals, side="right") - 1
        return (arrivals - starts[partition]) * self.partitions + partition

    def times(self, ids: Ids, start: int) -> Ids:
        """The event times of records."""
        times = start + ids * self.lap // self.per_lap
        if not (self.disorder_share or self.late_share):
            return times
        drawn = Dice(self.seed, "order").fractions(ids)
        far = 1.0 - Dice(self.seed, "distance").fractions(ids)
        late = drawn < self.late_share
        disordered = ~late & (drawn < self.late_share + self.disorder_share)
        apart = self.partitions * self.lap // self.per_lap
        back = np.where(late, self.late_by * (1.0 + far), np.where(disordered, self.disorder * far, 0.0))
        moved = (late | disordered) & (ids >= self.partitions)
        return np.where(moved, times - apart - back.astype(np.int64), times)

    def finished(self, first: int, last: int) -> list[int]:
        """The partitions whose last record arrives from `first` up to `last`; those without any end at once."""
        if self.rows is None:
            return []
        sizes = self._sizes()
        numbers = np.arange(self.partitions, dtype=np.int64)
        ends = self._starts() + sizes - 1 if self.batched else (sizes - 1) * self.partitions + numbers
        ended = ((ends >= first) & (ends < last) & (sizes > 0)) | ((sizes == 0) & (first == 0))
        return [int(number) for number in numbers[ended]]

    def _sizes(self) -> Ids:
        assert self.rows is not None
        numbers = np.arange(self.partitions, dtype=np.int64)
        return np.maximum(0, -(-(self.rows - numbers) // self.partitions))

    def _starts(self) -> Ids:
        sizes = self._sizes()
        return np.cumsum(sizes) - sizes
