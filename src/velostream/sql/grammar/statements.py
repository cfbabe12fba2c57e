"""The first word of a statement decides which it is; what we do not have is refused by its name."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import ClassVar, TypeVar

from sqlglot import exp
from sqlglot.tokenizer_core import Token

from velostream.positions import Text
from velostream.registry import nearest
from velostream.sql import spans
from velostream.sql.grammar.commands import CONTROLS, Commands
from velostream.sql.grammar.cursor import TOO_DEEP
from velostream.sql.statements import Explain, Statement
from velostream.sql.words import STATEMENTS

REFUSED: dict[str, str] = {
    "UPDATE": "a stream is not changed in place: INSERT INTO adds rows, and CREATE TABLE … AS SELECT keeps the newest",
    "DELETE": "a stream is not changed in place: a tombstone (NULL value) removes a key from a table",
    "MERGE": "CREATE TABLE … AS SELECT keeps the newest row per key",
    "ALTER": "write CREATE OR REPLACE, or deploy a new version with DEPLOY JOB",
    "TRUNCATE": "drop it, and create it again",
    "GRANT": "rights are those of the sources and sinks",
    "REVOKE": "rights are those of the sources and sinks",
    "USE": "streams have no database; an address names its own",
    "CALL": "register a Python function instead",
    "BEGIN": "each job has transactions of its own: -- @job_mode: transactional",
    "COMMIT": "each job has transactions of its own: -- @job_mode: transactional",
    "TERMINATE": "use STOP JOB",
    "CANCEL": "use STOP JOB",
    "KILL": "use STOP JOB … FORCE",
    "UNSET": "properties stand in WITH (…)",
    "RESET": "properties stand in WITH (…)",
    "DEFINE": "use ${VAR} in properties",
    "RUN": "use velo run",
    "ANALYZE": "use EXPLAIN ANALYZE",
    "CACHE": "CREATE TABLE keeps rows",
    "UNCACHE": "use DROP TABLE",
    "REFRESH": "set x.refresh.interval",
    "LOAD": "declare a file source",
    "COPY": "declare a file source and INSERT INTO",
    "ADD": "register functions by an entry point or a file",
    "EXECUTE": "use START JOB",
    "DECLARE": "use ${VAR} in properties",
    "VALUES": "write INSERT INTO x VALUES …",
    "FROM": "write SELECT … FROM",
    "TABLE": "write SELECT * FROM",
    "DELIMITER": "separate statements with ';'",
    "COMMENT": "write COMMENT behind a column",
    "RENAME": "create it under the new name",
    "VACUUM": "state is cleaned by state.ttl",
    "OPTIMIZE": "state is cleaned by state.ttl",
    "DESC": "use DESCRIBE",
}
"""Statements of other systems, with what to do instead."""


Tree = TypeVar("Tree", bound=exp.Expr)

DEEPEST_TREE = 200
"""How many nodes may stand inside each other."""


class VeloParser(Commands):
    """The whole grammar."""

    FUNCTIONS: ClassVar[dict[str, Callable[..., exp.Expr]]] = {}
    STRICT_CAST: ClassVar[bool] = True

    def parse_statement(self, tokens: list[Token], text: Text) -> Statement:
        """The statement that these tokens are, every one of them; each node of it knows its place."""
        self.load(tokens, text)
        statement = self.read_statement()
        return self._finished(statement, text)

    def parse_condition(self, tokens: list[Token], text: Text) -> exp.Expr:
        """The expression that these tokens are."""
        self.load(tokens, text)
        if self.at_end:
            self.refuse("there is no expression", hint="write a condition such as price > 100")
        expression = self.read_expression()
        return self._finished(expression, text)

    def _finished(self, tree: Tree, text: Text) -> Tree:
        if not self.at_end:
            self.unexpected()
        nodes = list(tree.walk(bfs=True))
        self._measure(nodes)
        spans.settle(nodes, text)
        self._account(nodes)
        return tree

    def _measure(self, nodes: list[exp.Expr]) -> None:
        """Refuses a tree that is deeper than what later steps, which walk it recursively, can take."""
        depths: dict[int, int] = {}
        for node in nodes:
            depth = depths[id(node)] = depths.get(id(node.parent), -1) + 1
            if depth > DEEPEST_TREE:
                self.refuse(TOO_DEEP, hint="split it with CTEs or streams", span=self.here(0, self._tokens_size - 1))

    def _account(self, nodes: list[exp.Expr]) -> None:
        """Refuses a name, string or number that is nowhere in the tree. No rule should lose one; this proves it."""
        parents = {id(node.parent) for node in nodes}
        calls = {at[0] for node in nodes if isinstance(node, exp.Anonymous) and (at := spans.offsets(node))}
        leaves = sorted(at for node in nodes if id(node) not in parents and (at := spans.offsets(node)))
        starts = [start for start, _ in leaves]
        for index in self._names:
            start = self._tokens[index].start
            leaf = bisect_right(starts, start) - 1
            if start not in calls and (leaf < 0 or leaves[leaf][1] <= start):
                shown = self._tokens[index].text
                self.refuse(f"'{shown}' is not understood here", hint="remove it", span=self.here(index))

    def _parse_statement(self) -> exp.Expr | None:
        """How sqlglot's own `parse` comes in."""
        chunks, number = self._chunks, self._chunk_index
        statement = self.parse_statement(self._tokens, Text(self.sql))
        self._chunks, self._chunk_index = chunks, number
        return statement

    def read_statement(self) -> Statement:
        """Any statement."""
        rule = self._rule()
        if rule is not None:
            return rule()
        if self.at_end:
            self.refuse("there is no statement", hint="write a statement, or remove the ';'")
        shown = self._curr.text
        if self.word in REFUSED:
            self.refuse(f"{self.word} is not a statement of Velostream", hint=REFUSED[self.word], code="unsupported")
        close = nearest(shown, [first.split()[0] for first in STATEMENTS], most=1)
        hint = f"did you mean {close[0]}?" if close else "a statement begins with " + ", ".join(STATEMENTS)
        return self.refuse(f"'{shown}' does not begin a statement", hint=hint)

    def _rule(self) -> Callable[[], Statement] | None:
        rules: dict[str, Callable[[], Statement]] = {
            "SELECT": self.read_query_statement,
            "WITH": self.read_query_statement,
            "(": self.read_query_statement,
            "CREATE": self.read_create,
            "INSERT": self.read_insert,
            "DROP": self.read_drop,
            "EXPLAIN": self._explain,
            "DESCRIBE": self.read_describe,
            "SHOW": self.read_show,
            "LIST": self.read_show,
            "START": self.read_start,
            **dict.fromkeys(CONTROLS, self.read_control),
            "DEPLOY": self.read_deploy,
            "ROLLBACK": self.read_rollback,
            "SET": self.read_set,
            "PRINT": self.read_print,
        }
        return rules.get(self.word)

    def _explain(self) -> Explain:
        start = self._index
        self.expect("EXPLAIN")
        explain = Explain()
        if self.accept("ANALYZE"):
            explain.set("analyze", True)
        if self.at("START"):
            explain.set("this", self.read_start())
        elif self.at("DEPLOY"):
            explain.set("this", self.read_deploy())
        else:
            explain.set("this", self.read_job_body())
        return self.node(explain, start)
