"""A connection without a server: statements are carried out in this process, on a Spark of its own."""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from velostream.api.application import Application, Length
from velostream.api.closing import Closing
from velostream.api.engine import LOG, Engine
from velostream.api.findings import Findings
from velostream.api.functions import declared, with_function
from velostream.api.given import Sql, input_of, is_file
from velostream.api.jobs import Job, Jobs
from velostream.api.lineage import Lineage
from velostream.api.lookup import Lookups, table_of, unknown
from velostream.api.notebook import kept_shown
from velostream.api.plan import Plan
from velostream.api.result import Result, Row
from velostream.api.statements import carry_out, is_bounded, is_limited
from velostream.api.stream import Stream
from velostream.cli.check import preset_of, validated
from velostream.cli.inputs import Input
from velostream.cli.planned import home_of
from velostream.cli.prompt.session import Read, Session
from velostream.errors import VeloError
from velostream.jobs import left_out
from velostream.jobs.closed_rows import in_utc
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from velostream.functions.python import PythonFunction
    from velostream.jobs.question import Question
    from velostream.plan.job import ApplicationPlan
    from velostream.validation import Validated

Show = Callable[[object], None]
NAME = "<python>"
"""What messages call a statement of a program."""


@dataclass(frozen=True)
class Options:
    """What `velo run` takes as options."""

    master: str = "local[*]"
    checkpoint: str = ""
    preset: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    jars: Sequence[str] = ()


class Local(Closing):
    """Statements one by one, each on what was declared before it, and applications in the background.

    Opened with an application, all that this declares can be asked from the start; its jobs run when they are told to.
    """

    def __init__(self, app: Sql = "", options: Options | None = None) -> None:
        self.options = options or Options()
        self.given = input_of(app) if str(app) else None
        self.session = Session(
            self.given or Input(NAME, "", Path().absolute()),
            preset_of(self.options.preset),
            dict(self.options.settings),
            NAME,
        )
        self.engine = Engine(self.options.master, self.options.jars)
        self.applications: dict[str, Application] = {}
        """What was deployed here, by name."""
        self._streams: weakref.WeakSet[Stream] = weakref.WeakSet()
        self.tables = Lookups()
        if self.given is not None:
            answer = self.session.checked()
            Findings(answer.text, tuple(answer.findings.ordered())).check()
        atexit.register(self.close)

    # Statements

    def sql(self, text: str) -> Result:
        """Carries statements out, up to the first that fails; the answer is that of the last.

        CREATE and SET hold from now on. A SELECT over tables answers from what a run of the application left, else it
        loads them. One over streams runs to the end of its input; where that has no end, `follow` shows its rows.
        """
        return carry_out(text, self)

    def follow(self, query: str) -> Stream:
        """The rows of a query over streams as they come."""
        read = self.read(query)
        question = self._question(read)
        if question.is_static:
            message = "the query reads tables only, which do not go on"
            raise VeloError(message, hint="sql() answers it", code="usage")
        return self._stream(question, read, print)

    def validate(self, sql: Sql) -> Findings:
        """All findings of a text: of a file by itself, of statements behind those so far."""
        if is_file(sql):
            answer = self._validated(input_of(sql), {})
            return Findings(answer.text, tuple(answer.findings.ordered()), len(answer.application.statements))
        read = self.session.read(str(sql))
        own = len(read.answer.application.statements) - len(self.session.checked().application.statements)
        return Findings(read.text, read.findings, own)

    def explain(self, sql: Sql = "", statement: str = "") -> Plan:
        """How the jobs of a file will run, those of some statements, or those of the application of the connection."""
        from velostream.cli.explain import named
        from velostream.plan import plan

        if str(sql) and not is_file(sql):
            answer = self.read(str(sql)).answer
            statement = statement or answer.application.statements[-1].name
        else:
            answer = self._validated(self._application(sql), {})
            Findings(answer.text, tuple(answer.findings.ordered())).check()
        return Plan.of(plan(answer.bound, answer.library), named(statement, answer.bound) if statement else "")

    def lineage(self, sql: Sql = "") -> Lineage:
        """Which column comes from which, in a file, in some statements, or in the application of the connection."""
        from velostream.observability.graph import Graph
        from velostream.plan import plan

        if str(sql) and not is_file(sql):
            answer = self.read(str(sql)).answer
        else:
            answer = self._validated(self._application(sql), {})
            Findings(answer.text, tuple(answer.findings.ordered())).check()
        return Lineage(**Graph().add(plan(answer.bound, answer.library)).data())

    def register(self, function: PythonFunction | Callable[..., Any], returns: str = "") -> PythonFunction:
        """Makes a Python function known to SQL from now on: one that is decorated (`velostream.functions.python`), or
        a plain one whose result has a type by its annotation or by `returns`. It may be used as a decorator."""
        found = declared(function, returns)
        self.session.functions = with_function(self.session.functions, found)
        return found

    # Tables

    def lookup(self, table: str, *key: Any) -> Row | None:
        """The row of a key, from the newest complete version of a table; None where it has none.

        Tables of applications that were deployed here are as these have them. Others are as a run of the application
        has left them, or else are loaded once for this connection.
        """
        for application in self.applications.values():
            name = table_of(application.runner.plan, table)
            if name is not None:
                return self.tables.row(application.runner.checkpoint, name, key)
        question = self._question(self.read(f"SELECT * FROM `{table}`"))
        name = table_of(question.plan, table)
        if name is None:
            raise unknown(question.plan, table)
        return self.tables.row(self.tables.home_of(question, self.session.so_far, name), name, key)

    def closed_windows(
        self, job: str, key: str = "", *, begin: datetime | None = None, end: datetime | None = None
    ) -> Result:
        """The closed windows that a job has put away (`state.cold.backend`), as they stand, whether it runs or not:
        all, or those of a key (one part of it, or all joined with `|`), and those that begin within bounds. A time
        without a zone is UTC. The job is one of an application that was deployed here, else of that of the connection.
        """
        from velostream.jobs.closed import asked
        from velostream.jobs.closed_rows import Wanted
        from velostream.plan import plan

        wanted = Wanted(key, in_utc(begin), in_utc(end))
        for application in self.applications.values():
            if application.runner.plan.job(job) is not None:
                table = asked(application.runner.plan, job, application.runner.folder, wanted)
                return Result(table, lambda: self.spark)
        given = self._application("")
        answer = self._validated(given, {})
        Findings(answer.text, tuple(answer.findings.ordered())).check()
        return Result(asked(plan(answer.bound, answer.library), job, given.folder, wanted), lambda: self.spark)

    # Applications

    def run(self, app: Sql = "", *, checkpoint: str = "", duration: str = "", show: Show = print) -> Application:
        """Runs all jobs of an application, by default that of the connection, to the end of their input, or for a time
        such as '60s'; then it answers. Rows of a SELECT without a sink are shown with `show`."""
        from velostream.durations import SECOND, parse

        length = Length(seconds=parse(duration) / SECOND) if duration else Length(until_done=True)
        application = self._started(app, checkpoint, length, show)
        try:
            with kept_shown(application):
                application.wait()
        except BaseException:
            application.stop()
            raise
        return application

    def deploy(self, app: Sql = "", *, checkpoint: str = "", show: Show = print) -> Application:
        """Runs all jobs of an application, by default that of the connection, in the background, until it is stopped.
        Deployed again, it goes on where it was."""
        application = self._started(app, checkpoint, Length(), show)
        self.applications[application.name] = application
        return application

    def _started(self, app: Sql, checkpoint: str, length: Length, show: Show) -> Application:
        from velostream.jobs.holding import held
        from velostream.jobs.inferred import settled
        from velostream.jobs.runner import Runner
        from velostream.plan import plan

        given = self._application(app)
        answer = settled(
            lambda more: self._validated(given, more),
            lambda answer: self._home_of(answer.bound.name, given, checkpoint),
            given.folder,
            LOG.info,
        )
        self._heed(Findings(answer.text, tuple(answer.findings.ordered())))
        planned = plan(answer.bound, answer.library)
        before = self.applications.get(planned.name or "app")
        if before is not None and before.running:
            message = f"'{before.name}' runs already"
            raise VeloError(message, hint="stop it first: .stop()", code="job-state")
        home = self._home_of(planned.name, given, checkpoint)
        with ExitStack() as holding:
            holding.enter_context(held(home))
            runner = Runner(planned, self._spark(planned), home, given.folder, show)
            return Application(runner, length, holding.pop_all())

    def jobs(self) -> Jobs[Job]:
        """The jobs of all applications that were deployed here."""
        return Jobs([job for application in self.applications.values() for job in application.jobs])

    def job(self, name: str) -> Job:
        """One of them."""
        jobs = self.jobs()
        if name.casefold() not in (each.casefold() for each in jobs.names):
            hint = did_you_mean(name, jobs.names, "jobs") or "deploy its application first"
            raise VeloError(f"no job '{name}' was deployed here", hint=hint, code="unknown-job")
        return jobs[name]

    # What all of it stands on

    @property
    def spark(self) -> SparkSession:
        """The session of this process, which starts if there is none."""
        return self.engine.session()

    def read(self, statement: str) -> Read:
        """A statement behind those so far; one with errors is refused."""
        read = self.session.read(statement)
        self._heed(Findings(read.text, read.findings))
        return read

    def run_statement(self, read: Read) -> Result:
        """Runs the last statement of what was read, to its end."""
        from velostream.spark.failures import translated

        question = self._question(read)
        if question.is_static:
            with translated():
                table = question.from_tables(print, lambda runner: nullcontext())
            return Result(table, lambda: self.spark)
        if not is_bounded(read, question) and not is_limited(question):
            message = "the input of the query has no end"
            hint = "follow() gives its rows as they come, LIMIT ends it; an application that writes is deployed"
            raise VeloError(message, hint=hint, code="usage")
        with self._stream(question, read, print) as stream:
            result = stream.take()
            loss = left_out.said(result.report)
            if loss:
                LOG.warning("the query left records out: %s", loss)
            return result if result.columns else replace(result, message=repr(stream))

    def _stream(self, question: Question, read: Read, show: Show) -> Stream:
        stream = Stream(question, bounded=is_bounded(read, question), show=show)
        self._streams.add(stream)
        return stream

    def _question(self, read: Read) -> Question:
        from velostream.jobs.question import Question
        from velostream.plan import plan

        planned = plan(read.answer.bound, read.answer.library)
        job = planned.job(read.answer.application.statements[-1].name)
        if job is None:
            hint = "sql() carries it out"
            raise VeloError("the statement has no rows that could be followed", hint=hint, code="usage")
        return Question(planned, job, self._spark(planned), self._home(planned), self.session.given.folder)

    def _spark(self, planned: ApplicationPlan) -> SparkSession:
        return self.engine.session(planned.connectors, planned.functions)

    def _application(self, app: Sql) -> Input:
        if str(app):
            return input_of(app)
        if self.given is None:
            hint = "name its file, or open the connection with it: connect(app='app.sql')"
            raise VeloError("which application?", hint=hint, code="usage")
        return self.given

    def _validated(self, given: Input, more: Mapping[str, str]) -> Validated:
        overrides = {**self.options.settings, **more}
        return validated(given, preset=self.session.preset, overrides=overrides, functions=self.session.functions)

    def _home(self, planned: ApplicationPlan) -> Path:
        return self._home_of(planned.name, self.session.given, "")

    def _home_of(self, name: str, given: Input, checkpoint: str) -> Path:
        """Where the jobs of an application keep what they remember."""
        own = self.options.checkpoint if given is self.given or given is self.session.given else ""
        return home_of(name, checkpoint or own).absolute()

    def _heed(self, findings: Findings) -> None:
        """Raises errors; warnings are said."""
        findings.check()
        for one in findings.warnings:
            LOG.warning("%s", one.message)

    def close(self) -> None:
        """Ends what runs, after the running batches. What applications remember stays."""
        atexit.unregister(self.close)
        running: list[Stream | Application] = [*self._streams, *self.applications.values()]
        for one in running:
            if one.running:
                one.stop()
        self.tables.close()

    def __repr__(self) -> str:
        name = f" to '{self.given.name}'" if self.given is not None else ""
        return f"<velostream connection{name} in this process, Spark at {self.options.master}>"
