"""Carries statements out in this process, each by what it is: it defines, asks, shows, explains or runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from velostream.api.result import Result
from velostream.errors import VeloError
from velostream.sql import statements as sql
from velostream.sql.parse import split
from velostream.typed_rows import table_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from velostream.cli.prompt.session import Read, Session
    from velostream.jobs.question import Question

_OF_SERVER = (sql.StartJob, sql.ControlJob, sql.DeployJob, sql.RollbackJob)


class Runs(Protocol):
    """What runs a statement that has rows."""

    session: Session

    def run_statement(self, read: Read) -> Result:
        """Runs the last statement of what was read, to its end."""
        ...

    def read(self, statement: str) -> Read:
        """A statement behind those so far; one with errors is refused."""
        ...

    @property
    def spark(self) -> SparkSession:
        """The session of this process."""
        ...


def carry_out(text: str, runs: Runs) -> Result:
    """Carries all statements of a text out, up to the first that fails; the answer is that of the last."""
    answer: Result | None = None
    for statement in split(text):
        answer = _one(runs.read(statement), runs)
    if answer is None:
        runs.read(text)  # where it has signs that make no statement, they are what is wrong
        raise VeloError("there is no statement in the text", hint="write at least one statement", code="empty")
    return answer


def _one(read: Read, runs: Runs) -> Result:
    tree = read.tree
    if isinstance(tree, sql.Show | sql.Describe):
        return _show(read, tree, runs)
    if isinstance(tree, sql.Explain):
        return _explain(read, runs)
    if isinstance(tree, sql.DropRelation):
        return _drop(tree, runs)
    if isinstance(tree, sql.CreateRelation):
        return _define(read, tree, runs)
    if isinstance(tree, sql.SetProperty):
        runs.session.remember(read)
        return _said("it is set", runs)
    if isinstance(tree, sql.PrintTopic):
        return runs.run_statement(runs.read(runs.session.printed(tree)))
    if isinstance(tree, _OF_SERVER):
        raise _of_server(f"{read.text.content.split()[0].upper()} JOB")
    return runs.run_statement(read)


def _define(read: Read, tree: sql.CreateRelation, runs: Runs) -> Result:
    """A stream or table holds from now on; one that writes to a sink runs too."""
    name = read.answer.application.statements[-1].name
    made = next((one for one in read.answer.bound.statements if one.name == name), None)
    answer = runs.run_statement(read) if made is not None and made.sinks else None
    runs.session.remember(read)
    return answer or _said(f"{str(tree.args['kind']).casefold()} '{tree.name}' is defined", runs)


def _drop(tree: sql.DropRelation, runs: Runs) -> Result:
    if runs.session.forget(tree.this.name):
        return _said(f"'{tree.this.name}' is dropped", runs)
    if tree.args.get("if_exists"):
        return _said(f"there is no '{tree.this.name}'", runs)
    message = f"'{tree.this.name}' stands in '{runs.session.given.name}'"
    raise VeloError(message, hint="what a connection drops was defined in it; edit the file", code="unsupported")


def _show(read: Read, tree: sql.Show | sql.Describe, runs: Runs) -> Result:
    from velostream.validation.showing import shown

    listing = shown(tree, read.answer.bound, read.answer.library)
    if listing is None:
        raise _of_server(f"SHOW {tree.this}")
    return _rows(lambda: runs.spark, listing.columns, listing.rows)


def _explain(read: Read, runs: Runs) -> Result:
    from velostream.cli.explain import as_text
    from velostream.plan import plan

    planned = plan(read.answer.bound, read.answer.library)
    lines = as_text(planned, read.answer.application.statements[-1].name).splitlines()
    return _rows(lambda: runs.spark, ("plan",), tuple((line,) for line in lines))


def _rows(session: Callable[[], SparkSession], columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Result:
    return Result(
        table_of(columns, ["STRING"] * len(columns), rows), session, f"{len(rows)} row{'' if len(rows) == 1 else 's'}"
    )


def _said(message: str, runs: Runs) -> Result:
    return Result(table_of((), (), ()), lambda: runs.spark, message)


def _of_server(what: str) -> VeloError:
    hint = "velostream.connect('http://127.0.0.1:8700') asks one; here deploy() and jobs() do the same"
    return VeloError(f"{what} is answered by a job server, and this connection has none", hint=hint, code="unsupported")


def is_bounded(read: Read, question: Question) -> bool:
    """True where all input of a statement ends."""
    from velostream.cli.prompt.running import ends

    return ends(read.answer, question.job.name)


def is_limited(question: Question) -> bool:
    """True where a LIMIT ends it."""
    from velostream.plan.nodes import OrderLimit
    from velostream.plan.nodes.order_limit import STOPS

    return any(isinstance(node, OrderLimit) and node.scope == STOPS for node in question.job.root.walk())
