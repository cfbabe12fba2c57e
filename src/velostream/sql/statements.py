"""The statements of the dialect, as nodes of one tree: each prints itself back and knows its position."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp


class Statement(exp.Expression):
    """The root of every statement."""

    arg_types: ClassVar = {}


class Query(Statement):
    """`SELECT …` as a statement: `this` a query (StreamSelect, or a set operation), `emits`, `sinks`, `settings`.

    `emits` is filled here only for a set operation; a single SELECT keeps its own.
    """

    arg_types: ClassVar = {"this": True, "emits": False, "sinks": False, "settings": False}


class CreateRelation(Statement):
    """`CREATE [OR REPLACE] STREAM|TABLE|VIEW [IF NOT EXISTS] name [(columns)] [AS query] [WITH (…)]`.

    `this`: Identifier; `kind`: STREAM | TABLE | VIEW; `columns`: list of exp.ColumnDef, WatermarkFor, exp.PrimaryKey;
    `query`: a Query (which holds sinks and settings when there is one); `settings`: Settings of a declaration.
    """

    arg_types: ClassVar = {
        "this": True,
        "kind": True,
        "columns": False,
        "query": False,
        "settings": False,
        "replace": False,
        "if_not_exists": False,
    }


class InsertInto(Statement):
    """`INSERT INTO name [(columns)] SELECT …`: `this` a Table, `columns` Identifiers, `query` a Query or exp.Values."""

    arg_types: ClassVar = {"this": True, "columns": False, "query": True}


class DropRelation(Statement):
    """`DROP STREAM|TABLE|VIEW [IF EXISTS] name`."""

    arg_types: ClassVar = {"this": True, "kind": True, "if_exists": False}


class Explain(Statement):
    """`EXPLAIN [ANALYZE] statement`."""

    arg_types: ClassVar = {"this": True, "analyze": False}


class Describe(Statement):
    """`DESCRIBE name`."""

    arg_types: ClassVar = {"this": True}


class Show(Statement):
    """`SHOW|LIST subject [name] [LIKE 'p%']`: `this` is the subject in upper case (STREAMS, PROPERTIES STREAM …)."""

    arg_types: ClassVar = {"this": True, "target": False, "like": False}


class StartJob(Statement):
    """`START JOB name AS statement`."""

    arg_types: ClassVar = {"this": True, "statement": True}


class ControlJob(Statement):
    """`STOP JOB name [FORCE]`, `PAUSE`, `RESUME`, `FLUSH`: `action` is the verb in upper case."""

    arg_types: ClassVar = {"this": True, "action": True, "force": False}


class DeployJob(Statement):
    """`DEPLOY JOB name VERSION 'v' AS statement [STRATEGY REPLACE|BLUE_GREEN|CANARY(percent)|ROLLING]`."""

    arg_types: ClassVar = {"this": True, "version": True, "statement": True, "strategy": False, "percent": False}


class RollbackJob(Statement):
    """`ROLLBACK JOB name [VERSION 'v']`."""

    arg_types: ClassVar = {"this": True, "version": False}


class SetProperty(Statement):
    """`SET 'k' = 'v'`: `this` a Setting."""

    arg_types: ClassVar = {"this": True}


class PrintTopic(Statement):
    """`PRINT topic [FROM BEGINNING] [INTERVAL n] [LIMIT n]`."""

    arg_types: ClassVar = {"this": True, "from_beginning": False, "interval": False, "limit": False}
