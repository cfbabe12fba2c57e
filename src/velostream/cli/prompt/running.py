"""Runs the query of a statement in this process: until its input ends, or until Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.cli.planned import home_of
from velostream.cli.prompt.rows import RowPrinter

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.validation import Validated


class Engine:
    """Spark, started by the first query that needs it."""

    def __init__(self, master: str, checkpoint: str, say: Callable[[str], None], *, debug: bool = False) -> None:
        self.master = master
        self.checkpoint = checkpoint
        self.say = say
        self.debug = debug
        self.started = False

    def run(self, answer: Validated, folder: Path, printer: RowPrinter) -> None:
        """Runs the last statement of an application, with the tables that it needs; its rows go to the printer."""
        from velostream.cli.live.signals import uncut
        from velostream.jobs import left_out
        from velostream.jobs.question import Question, scratch
        from velostream.plan import plan
        from velostream.spark.failures import translated
        from velostream.spark.jars import jars_of
        from velostream.spark.session import require_jars, spark_session

        planned = plan(answer.bound, answer.library)
        job = planned.job(answer.application.statements[-1].name)
        assert job is not None, "only statements that are jobs are run"
        if not self.started:
            self.say("Spark starts …")
            self.started = True
        kept = home_of(planned.name, self.checkpoint)
        with translated(debug=self.debug):
            jars = jars_of(planned.connectors, (), self.say)
            require_jars(jars)
            with uncut(self.say, "Spark has started"):
                spark = spark_session(self.master, jars=jars, connectors=planned.connectors)
            question = Question(planned, job, spark, kept, folder)
            if question.is_static:
                table = question.from_tables(printer.show, lambda runner: self._stopping(runner, bounded=True))
                printer.rows(table.column_names, [tuple(row.values()) for row in table.to_pylist()])
                return
            with scratch() as home:
                runner = question.runner(home, printer.show)
                bounded = ends(answer, job.name)
                with self._stopping(runner, bounded=bounded):
                    if bounded:
                        runner.run_until_done()
                    else:
                        runner.run(None, lambda: None)
                loss = left_out.said(runner.report())
                if loss:
                    self.say(loss)

    @contextmanager
    def _stopping(self, runner: Runner, *, bounded: bool) -> Iterator[None]:
        from velostream.cli.live.signals import caught

        if not bounded:
            self.say("Ctrl-C stops")
        with caught(runner.stopping, self.say):
            yield


def ends(answer: Validated, job: str) -> bool:
    """True where all input of a statement ends."""
    return any(one.query is not None and one.query.bounded for one in answer.bound.statements if one.name == job)
