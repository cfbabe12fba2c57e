"""The statements that look and control: SHOW, DESCRIBE, SET, PRINT, and those about jobs."""

from __future__ import annotations

from sqlglot import exp

from velostream.registry import did_you_mean
from velostream.sql.grammar.relations import Relations
from velostream.sql.statements import (
    ControlJob,
    DeployJob,
    Describe,
    PrintTopic,
    RollbackJob,
    SetProperty,
    Show,
    StartJob,
    Statement,
)

LISTS: tuple[str, ...] = ("STREAMS", "TABLES", "TOPICS", "FUNCTIONS", "JOBS", "QUERIES")
"""What SHOW lists, with an optional LIKE."""

OF_JOB: tuple[str, ...] = ("STATUS", "METRICS")
"""What SHOW says about a job, or about all."""

OF_ONE: tuple[str, ...] = ("VERSIONS", "SCHEMA", "PARTITIONS", "PROPERTIES STREAM", "PROPERTIES TABLE")
"""What SHOW says about one thing."""

CONTROLS: tuple[str, ...] = ("STOP", "PAUSE", "RESUME", "FLUSH")
STRATEGIES: tuple[str, ...] = ("REPLACE", "BLUE_GREEN", "CANARY", "ROLLING")
"""How DEPLOY puts a new version in place."""


class Commands(Relations):
    """Rules for statements that look and control."""

    def read_show(self) -> Show:
        """`SHOW|LIST subject [name] [LIKE 'p%']`."""
        start = self._index
        self._advance()
        subject = next((words for words in (*LISTS, *OF_JOB, *OF_ONE) if self.accept(*words.split())), "")
        if not subject:
            if self.at_end:
                self.unexpected()
            hint = did_you_mean(self._curr.text.upper(), (*LISTS, *OF_JOB, *OF_ONE), "SHOW takes")
            self.refuse(f"SHOW '{self._curr.text}' is not known", hint=hint)
        show = Show(this="JOBS" if subject == "QUERIES" else subject)
        if subject in OF_ONE or (subject in OF_JOB and not self.at_end):
            show.set("target", self.read_name("a name"))
        if subject in LISTS and self.accept("LIKE"):
            show.set("like", self.read_string())
        return self.node(show, start)

    def read_describe(self) -> Describe:
        """`DESCRIBE name`."""
        start = self._index
        self._advance()
        return self.node(Describe(this=self.read_name("the name of a stream or table")), start)

    def read_set(self) -> SetProperty:
        """`SET 'k' = 'v'`."""
        start = self._index
        self.expect("SET")
        return self.node(SetProperty(this=self.read_setting()), start)

    def read_print(self) -> PrintTopic:
        """`PRINT topic [FROM BEGINNING] [INTERVAL n] [LIMIT n]`."""
        start = self._index
        self.expect("PRINT")
        at = self._index
        string = self.string_ahead()
        topic: exp.Expr = self.read_string() if string else self.read_name("a topic")
        while not string and self.accept("."):
            topic = self.node(exp.Dot(this=topic, expression=self.read_name_after_dot()), at)
        show = PrintTopic(this=topic)
        if self.accept("FROM", "BEGINNING"):
            show.set("from_beginning", True)
        if self.accept("INTERVAL"):
            show.set("interval", self.read_count())
        if self.accept("LIMIT"):
            show.set("limit", self.read_count())
        return self.node(show, start)

    def read_job_name(self) -> exp.Identifier:
        """`JOB name` (QUERY is another word for JOB)."""
        if not self.accept("JOB") and not self.accept("QUERY"):
            self.unexpected()
        return self.read_name("the name of a job")

    def read_start(self) -> StartJob:
        """`START JOB name AS statement`."""
        start = self._index
        self.expect("START")
        name = self.read_job_name()
        self.expect("AS")
        return self.node(StartJob(this=name, statement=self.read_job_body()), start)

    def read_control(self) -> ControlJob:
        """`STOP JOB name [FORCE]`, `PAUSE`, `RESUME`, `FLUSH`."""
        start, action = self._index, self.word
        self._advance()
        control = ControlJob(this=self.read_job_name(), action=action)
        if action == "STOP" and self.accept("FORCE"):
            control.set("force", True)
        return self.node(control, start)

    def read_deploy(self) -> DeployJob:
        """`DEPLOY JOB name VERSION 'v' AS statement [STRATEGY …]`."""
        start = self._index
        self.expect("DEPLOY")
        name = self.read_job_name()
        self.expect("VERSION")
        deploy = DeployJob(this=name, version=self.read_string())
        self.expect("AS")
        self.in_deployment = True
        deploy.set("statement", self.read_job_body())
        self.in_deployment = False
        if self.accept("STRATEGY"):
            self._strategy(deploy)
        return self.node(deploy, start)

    def _strategy(self, deploy: DeployJob) -> None:
        word = next((known for known in STRATEGIES if self.accept(known)), "")
        if not word:
            if self.at_end:
                self.unexpected()
            hint = did_you_mean(self._curr.text.upper(), STRATEGIES, "STRATEGY takes")
            self.refuse(f"STRATEGY '{self._curr.text}' is not known", hint=hint)
        deploy.set("strategy", word)
        if word == "CANARY":
            self.expect("(")
            deploy.set("percent", self._percent())
            self.expect(")")

    def _percent(self) -> exp.Literal:
        start = self._index
        percent = self.read_count()
        if not 1 <= int(percent.name) <= 100:
            message = f"a canary takes 1 to 100 percent, not {percent.name}"
            self.refuse(message, hint="write CANARY(10)", span=self.here(start))
        return percent

    def read_rollback(self) -> RollbackJob:
        """`ROLLBACK JOB name [VERSION 'v']`."""
        start = self._index
        self.expect("ROLLBACK")
        rollback = RollbackJob(this=self.read_job_name())
        if self.accept("VERSION"):
            rollback.set("version", self.read_string())
        return self.node(rollback, start)

    def read_job_body(self) -> Statement:
        """What a job runs: a query, CREATE … AS, or INSERT INTO."""
        if self.query_ahead():
            return self.read_query_statement()
        if self.at("CREATE"):
            return self.read_create()
        if self.at("INSERT"):
            return self.read_insert()
        return self.unexpected("SELECT")
