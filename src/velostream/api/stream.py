"""The rows of a query as they come, for a program that iterates over them, with a stop."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Condition, Thread
from typing import TYPE_CHECKING, Any

from velostream.api import markup
from velostream.api.closing import Closing
from velostream.api.result import Result, Row
from velostream.errors import VeloError

if TYPE_CHECKING:
    import pyarrow as pa

    from velostream.jobs.question import Question

AHEAD = 16
"""Micro-batches that may wait to be read before the query waits for its reader."""
LOOK = 0.2


class Stream(Closing, Iterator[Row]):
    """A query that runs while it is read: `for row in stream`. It ends with its input, at its LIMIT, or by `stop`.

    Who reads slowly slows the query down; nothing is left out. What came before a stop can still be read after it.
    """

    def __init__(self, question: Question, *, bounded: bool, show: Callable[[object], None]) -> None:
        from velostream.jobs.question import scratch
        from velostream.spark.lower.job import rows_of
        from velostream.spark.lower.types import arrow_schema

        self.question = question
        self.bounded = bounded
        self._show = show
        wanted = question.job.root.needs if self._prints else ()
        kinds = {member.name: member.type for member in rows_of(question.job).fields}
        self.schema: pa.Schema = arrow_schema((name, kinds[name]) for name in wanted)
        """The columns of its rows."""
        self._batches: deque[pa.Table] = deque()
        self._rows: deque[Row] = deque()
        self._changed = Condition()
        self._failure: BaseException | None = None
        self._ended = False
        self._open = ExitStack()
        self.runner = question.runner(self._open.enter_context(scratch()), self._take)
        self._thread = Thread(target=self._run, name=f"velo-stream-{question.job.name}", daemon=True)
        self._thread.start()

    @property
    def _prints(self) -> bool:
        from velostream.plan.nodes import Print

        return isinstance(self.question.job.root, Print)

    def _run(self) -> None:
        from velostream.spark.failures import translated

        try:
            with self._open, translated():
                if self.bounded:
                    self.runner.run_until_done()
                else:
                    self.runner.run(None, lambda: None)
        except BaseException as error:
            self._failure = error
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _take(self, what: object) -> None:
        """A micro-batch has rows. Called by the query, which waits here while nobody reads."""
        table = getattr(what, "table", None)
        if table is None or getattr(what, "name", "") != self.question.job.name or not self._prints:
            self._show(what)
            return
        with self._changed:
            self._batches.append(table.cast(self.schema))
            self._changed.notify_all()
            while len(self._batches) > AHEAD and not self.runner.stopping.is_set():
                self._changed.wait(LOOK)

    def batch(self, seconds: float | None = None) -> pa.Table | None:
        """The rows of the next micro-batch that has any; None at the end, or when the time is over."""
        until = None if seconds is None else time.monotonic() + seconds
        with self._changed:
            while not self._batches and not self._ended:
                left = LOOK if until is None else min(LOOK, until - time.monotonic())
                if left <= 0:
                    return None
                self._changed.wait(left)
            if self._batches:
                self._changed.notify_all()
                return self._batches.popleft()
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return None

    def batches(self) -> Iterator[pa.Table]:
        """The rows as Arrow tables, one for each micro-batch that has any."""
        while (table := self.batch()) is not None:
            yield table

    def __next__(self) -> Row:
        while not self._rows:
            table = self.batch()
            if table is None:
                raise StopIteration
            self._rows.extend(table.to_pylist())
        return self._rows.popleft()

    def take(self, rows: int | None = None, seconds: float | None = None) -> Result:
        """So many more rows, or those that come in so many seconds; without either all that are left to the end."""
        import pyarrow as pa

        until = None if seconds is None else time.monotonic() + seconds
        found = [pa.Table.from_pylist(list(self._rows), self.schema)]
        self._rows.clear()
        count = found[0].num_rows
        while rows is None or count < rows:
            table = self.batch(None if until is None else max(until - time.monotonic(), 0.0))
            if table is None:
                break
            found.append(table)
            count += table.num_rows
        whole = pa.concat_tables(found)
        if rows is not None and count > rows:
            self._rows.extend(whole.slice(rows).to_pylist())
            whole = whole.slice(0, rows)
        return Result(whole, lambda: self.question.spark, report=self.report())

    def report(self) -> dict[str, Any]:
        """What became of every record so far."""
        from velostream.observability.snapshot import steady

        return steady(self.runner.report)

    @property
    def running(self) -> bool:
        """True while its query runs."""
        return self._thread.is_alive()

    def stop(self, seconds: float = 60.0) -> None:
        """Ends the query after the running batch, and waits for that."""
        self.runner.stopping.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(seconds)
        if self._thread.is_alive():
            message = f"the query did not end within {seconds:g} seconds"
            raise VeloError(message, hint="its running batch goes on; stop() again waits for it", code="job-state")

    def close(self) -> None:
        """The same: what a `with` block does at its end."""
        self.stop()

    def __repr__(self) -> str:
        from velostream.cli.live.summary import sentence

        lines = [sentence(said) for said in self.report()["jobs"]]
        return "\n".join(lines) or "the query starts"

    def _repr_html_(self) -> str:
        """What notebooks show: how far it is."""
        return markup.text(repr(self))
