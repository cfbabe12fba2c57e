"""Every statement: what it is read as, and what is refused by its name."""

import pytest
from sqlglot import exp
from tests.sql.parsing import marked, refusal, tree

from velostream.sql.grammar.statements import REFUSED
from velostream.sql.nodes import WatermarkFor
from velostream.sql.printing.text import print_sql
from velostream.sql.statements import (
    ControlJob,
    CreateRelation,
    DeployJob,
    Describe,
    DropRelation,
    Explain,
    InsertInto,
    PrintTopic,
    Query,
    RollbackJob,
    SetProperty,
    Show,
    StartJob,
)


def test_create_as() -> None:
    for kind in ("STREAM", "TABLE", "VIEW"):
        found = tree(f"CREATE OR REPLACE {kind} x AS SELECT a FROM s INTO y WITH ('k' = 'v')")
        assert isinstance(found, CreateRelation)
        assert (found.this.name, found.args["kind"]) == ("x", kind)
        assert (found.args.get("replace"), found.args.get("if_not_exists")) == (True, None)
        guarded = tree(f"CREATE {kind} IF NOT EXISTS x AS SELECT a FROM s")
        assert (guarded.args.get("replace"), guarded.args.get("if_not_exists")) == (None, True)
        body = found.args["query"]
        assert isinstance(body, Query)
        assert body.args["sinks"]
        assert body.args["settings"]
        assert not found.args.get("settings")


def test_properties_may_stand_before_as() -> None:
    before, behind = (
        "CREATE STREAM x WITH ('k' = 'v') AS SELECT a FROM s",
        "CREATE STREAM x AS SELECT a FROM s WITH ('k' = 'v')",
    )
    assert tree(before) == tree(behind)
    assert "twice" in refusal(f"{before} WITH ('l' = 'w')").message


def test_create_with_columns_declares_a_source() -> None:
    found = tree(
        "CREATE STREAM s (id BIGINT PRIMARY KEY, name STRING NOT NULL COMMENT 'who', k INT KEY, n INT NULL,"
        " ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id, name) NOT ENFORCED)"
        " WITH ('s.type' = 'kafka_source')"
    )
    assert isinstance(found, CreateRelation)
    columns = found.args["columns"]
    assert [type(column) for column in columns] == [exp.ColumnDef] * 5 + [WatermarkFor, exp.PrimaryKey]
    constraints = [
        [type(part.kind).__name__ for part in column.args.get("constraints") or ()] for column in columns[:4]
    ]
    assert constraints == [
        ["PrimaryKeyColumnConstraint"],
        ["NotNullColumnConstraint", "CommentColumnConstraint"],
        ["PrimaryKeyColumnConstraint"],
        ["NotNullColumnConstraint"],
    ]
    assert print_sql(columns[5].expression) == "ts - INTERVAL '5' SECOND"
    assert found.args["settings"].expressions[0].this.name == "s.type"


def test_insert_has_a_query_or_values() -> None:
    found = tree("INSERT INTO x (a, b) SELECT a, b FROM s WITH ('k' = 'v')")
    assert isinstance(found, InsertInto)
    assert isinstance(found.this, exp.Table)
    assert [column.name for column in found.args["columns"]] == ["a", "b"]
    assert isinstance(found.args["query"], Query)
    rows = tree("INSERT INTO 'file:///o' VALUES (1, 'a'), (-2, NULL)").args["query"]
    assert isinstance(rows, exp.Values)
    assert len(rows.expressions) == 2


@pytest.mark.parametrize(
    ("text", "kind", "arguments"),
    [
        ("DROP STREAM x", DropRelation, {"kind": "STREAM"}),
        ("DROP TABLE IF EXISTS x", DropRelation, {"kind": "TABLE", "if_exists": True}),
        ("DROP VIEW x", DropRelation, {"kind": "VIEW"}),
        ("DESCRIBE x", Describe, {}),
        ("STOP JOB x", ControlJob, {"action": "STOP", "force": None}),
        ("STOP QUERY x FORCE", ControlJob, {"action": "STOP", "force": True}),
        ("PAUSE JOB x", ControlJob, {"action": "PAUSE"}),
        ("resume job x", ControlJob, {"action": "RESUME"}),
        ("FLUSH JOB x", ControlJob, {"action": "FLUSH"}),
        ("DEPLOY JOB x VERSION '1' AS SELECT 1", DeployJob, {"strategy": None}),
        ("DEPLOY JOB x VERSION '1' AS SELECT 1 STRATEGY REPLACE", DeployJob, {"strategy": "REPLACE"}),
        ("DEPLOY JOB x VERSION '1' AS SELECT 1 STRATEGY BLUE_GREEN", DeployJob, {"strategy": "BLUE_GREEN"}),
        ("DEPLOY JOB x VERSION '1' AS SELECT 1 STRATEGY ROLLING", DeployJob, {"strategy": "ROLLING"}),
        ("ROLLBACK JOB x", RollbackJob, {"version": None}),
    ],
)
def test_short_statements(text: str, kind: type[exp.Expr], arguments: dict[str, object]) -> None:
    found = tree(text)
    assert type(found) is kind
    assert found.this.name == "x"
    assert {key: found.args.get(key) for key in arguments} == arguments


def test_a_job_runs_a_query_an_insert_or_a_create() -> None:
    for body in (
        "SELECT a FROM s",
        "INSERT INTO x SELECT a FROM s",
        "CREATE STREAM x AS SELECT a FROM s",
        "(SELECT 1)",
    ):
        found = tree(f"START JOB j AS {body}")
        assert isinstance(found, StartJob)
        assert found.args["statement"] == tree(body)
    assert marked("START JOB j AS SHOW STREAMS") == "SHOW"


def test_a_canary_has_a_share() -> None:
    found = tree("DEPLOY JOB j VERSION 'v' AS SELECT a FROM s STRATEGY CANARY(25)")
    assert isinstance(found, DeployJob)
    assert (found.args["version"].name, found.args["strategy"], found.args["percent"].name) == ("v", "CANARY", "25")
    assert tree("ROLLBACK JOB j VERSION '1'").args["version"].name == "1"


@pytest.mark.parametrize(
    ("text", "subject", "target", "like"),
    [
        ("SHOW STREAMS", "STREAMS", None, None),
        ("LIST TABLES LIKE 'p%'", "TABLES", None, "p%"),
        ("SHOW TOPICS", "TOPICS", None, None),
        ("SHOW FUNCTIONS LIKE 'x'", "FUNCTIONS", None, "x"),
        ("SHOW JOBS", "JOBS", None, None),
        ("SHOW QUERIES", "JOBS", None, None),
        ("SHOW STATUS", "STATUS", None, None),
        ("SHOW STATUS j", "STATUS", "j", None),
        ("SHOW METRICS j", "METRICS", "j", None),
        ("SHOW VERSIONS j", "VERSIONS", "j", None),
        ("SHOW SCHEMA x", "SCHEMA", "x", None),
        ("SHOW PROPERTIES STREAM x", "PROPERTIES STREAM", "x", None),
        ("SHOW PROPERTIES TABLE x", "PROPERTIES TABLE", "x", None),
        ("SHOW PARTITIONS x", "PARTITIONS", "x", None),
    ],
)
def test_show(text: str, subject: str, target: str | None, like: str | None) -> None:
    found = tree(text)
    assert isinstance(found, Show)
    shown = [found.args[key].name if found.args.get(key) else None for key in ("target", "like")]
    assert (found.this, *shown) == (subject, target, like)


def test_explain_has_a_statement() -> None:
    found = tree("EXPLAIN ANALYZE CREATE STREAM x AS SELECT a FROM s")
    assert isinstance(found, Explain)
    assert found.args["analyze"]
    assert isinstance(found.this, CreateRelation)
    for body in ("START JOB j AS SELECT 1", "DEPLOY JOB j VERSION '1' AS SELECT 1", "INSERT INTO x SELECT 1"):
        assert tree(f"EXPLAIN {body}").this == tree(body)


def test_set_and_print() -> None:
    found = tree("SET 'state.ttl' = '1h'")
    assert isinstance(found, SetProperty)
    assert (found.this.this.name, found.this.expression.name) == ("state.ttl", "1h")
    topic = tree("PRINT 'my-topic' FROM BEGINNING INTERVAL 5 LIMIT 3")
    assert isinstance(topic, PrintTopic)
    assert (topic.this.name, topic.args["from_beginning"], topic.args["interval"].name, topic.args["limit"].name) == (
        "my-topic",
        True,
        "5",
        "3",
    )
    assert print_sql(tree("PRINT my.topic").this) == "my.topic"


@pytest.mark.parametrize("word", sorted(REFUSED))
def test_a_statement_of_another_system_is_refused_by_name_with_a_way_out(word: str) -> None:
    finding = refusal(f"{word} x y z")
    assert (finding.code, finding.hint) == ("unsupported", REFUSED[word])
    assert word in finding.message


@pytest.mark.parametrize(
    ("text", "code", "at", "hint"),
    [
        ("SELCT a", "syntax", "SELCT", "SELECT"),
        ("CREAT STREAM x AS SELECT 1", "syntax", "CREAT", "CREATE"),
        ("EXPLAN SELECT 1", "syntax", "EXPLAN", "EXPLAIN"),
        ("foo", "syntax", "foo", "begins with"),
        ("'text'", "syntax", "'text'", "begins with"),
        ("CREATE FUNCTION f AS x", "unsupported", "FUNCTION", "STREAM, TABLE or VIEW"),
        ("CREATE STREAM", "syntax", "M", "name of a stream"),
        ("CREATE STREAM x", "syntax", "x", "AS"),
        ("CREATE STREAM x AS", "syntax", "S", "SELECT"),
        ("CREATE STREAM x AS SHOW STREAMS", "syntax", "SHOW", "SELECT"),
        ("CREATE VIEW v (a INT)", "syntax", ")", "AS SELECT"),
        ("CREATE 5", "syntax", "5", "STREAM"),
        ("CREATE TABLE t (a)", "syntax", ")", "a type"),
        ("CREATE TABLE t (a INT b INT)", "syntax", "b", "')'"),
        ("CREATE TABLE t (a INT, )", "syntax", ")", "','"),
        ("CREATE TABLE t (a AS b + 1)", "unsupported", "AS", "SELECT"),
        ("CREATE TABLE t (a INT COMMENT b)", "syntax", "b", "quotes"),
        ("CREATE TABLE t (a INT) PARTITIONED BY (a)", "syntax", "PARTITIONED", "WITH"),
        ("INSERT x SELECT 1", "syntax", "x", "INTO"),
        ("INSERT OVERWRITE x SELECT 1", "unsupported", "OVERWRITE", "INSERT INTO"),
        ("INSERT INTO x", "syntax", "x", "SELECT"),
        ("INSERT INTO x VALUES (1", "syntax", "1", "')'"),
        ("INSERT INTO x VALUES ()", "syntax", ")", "expression"),
        ("DROP x", "syntax", "x", "STREAM"),
        ("DROP STREAM x CASCADE", "syntax", "CASCADE", ""),
        ("SHOW", "syntax", "W", "STREAMS"),
        ("SHOW STREAMS x", "syntax", "x", "LIKE"),
        ("SHOW VERSIONS", "syntax", "S", "a name"),
        ("SHOW PROPERTIES x", "syntax", "PROPERTIES", "PROPERTIES STREAM"),
        ("STOP x", "syntax", "x", "QUERY"),
        ("PAUSE JOB x FORCE", "syntax", "FORCE", ""),
        ("DEPLOY JOB j AS SELECT 1", "syntax", "AS", "VERSION"),
        ("DEPLOY JOB j VERSION 2 AS SELECT 1", "syntax", "2", "quotes"),
        ("CREATE OR REPLACE TABLE IF NOT EXISTS x AS SELECT a FROM s", "syntax", "IF", "one of them"),
        ("DEPLOY JOB j VERSION '1' AS SELECT 1 STRATEGY SLOWLY", "syntax", "SLOWLY", "CANARY, ROLLING"),
        ("DEPLOY JOB j VERSION '1' AS SELECT a FROM s STRATEGY GREEN_BLUE", "syntax", "GREEN_BLUE", "BLUE_GREEN"),
        ("DEPLOY JOB j VERSION '1' AS SELECT a FROM s STRATEGY 'CANARY'", "syntax", "'CANARY'", "CANARY"),
        ("DEPLOY JOB j VERSION '1' AS SELECT a FROM s STRATEGY CANARY(0)", "syntax", "0", "CANARY(10)"),
        ("DEPLOY JOB j VERSION '1' AS SELECT a FROM s STRATEGY CANARY(101)", "syntax", "101", "CANARY(10)"),
        ("DEPLOY JOB j VERSION '1' AS SELECT a FROM s STRATEGY CANARY", "syntax", "Y", "'('"),
        ("ROLLBACK", "syntax", "K", "JOB"),
        ("EXPLAIN", "syntax", "N", "SELECT"),
        ("EXPLAIN EXPLAIN SELECT 1", "syntax", "EXPLAIN", "SELECT"),
        ("SET 'k'", "syntax", "'", "'='"),
        ("DESCRIBE", "syntax", "E", "stream or table"),
        ("PRINT", "syntax", "T", "topic"),
    ],
)
def test_a_statement_that_is_not_understood_is_refused(text: str, code: str, at: str, hint: str) -> None:
    finding = refusal(text)
    assert finding.code == code
    assert marked(text) == at
    assert finding.hint
    assert hint in finding.hint
