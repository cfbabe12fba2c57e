"""Every word that the dialect adds is a good name: for columns, aliases, streams, jobs, and all else that has one."""

import inspect
import pkgutil
import re
from importlib import import_module

import pytest
from sqlglot import exp
from tests.sql.parsing import first, tree

from velostream.sql import grammar
from velostream.sql.printing.text import print_sql
from velostream.sql.words import ADDED, RESERVED

PLACES = {
    "a column": "SELECT {w} FROM s",
    "columns in clauses": "SELECT {w}, b FROM s WHERE {w} > 1 GROUP BY {w} HAVING {w} < 2 ORDER BY {w} DESC LIMIT 1",
    "a column behind operators": "SELECT a + {w} * 2 - {w}, {w} IS NULL, NOT {w}, {w} IN ({w}, 1) FROM s",
    "a column between others": "SELECT {w} BETWEEN {w} AND {w}, CASE {w} WHEN {w} THEN {w} ELSE {w} END FROM s",
    "a column of a source": "SELECT s.{w}, s.{w}.{w}, {w}.a FROM s AS {w}",
    "an argument": "SELECT SUM({w}), f({w}, {w}) OVER (PARTITION BY {w} ORDER BY {w}) FROM s",
    "an alias with AS": "SELECT a AS {w}, b AS {w} PRIMARY KEY FROM s",
    "an alias without AS": "SELECT a {w}, b {w} FROM s",
    "an alias without AS before PRIMARY KEY": "SELECT a {w} PRIMARY KEY FROM s",
    "an alias behind a call": "SELECT COUNT(*) {w}, SUM(x) OVER (ORDER BY t) {w}, CASE WHEN a THEN b END {w} FROM s",
    "a stream": "SELECT a FROM {w}",
    "a stream before clauses": "SELECT a FROM {w} WHERE a > 1 WINDOW TUMBLING(1m) EMIT CHANGES INTO x WITH ('a' = 'b')",
    "a source's alias with AS": "SELECT a FROM s AS {w} JOIN t AS {w}2 ON TRUE",
    "a source's alias at the end": "SELECT a FROM s {w}",
    "a source's alias before WHERE": "SELECT a FROM s {w} WHERE a > 1",
    "a source's alias before GROUP BY": "SELECT a FROM s {w} GROUP BY a",
    "a source's alias before WINDOW": "SELECT a FROM s {w} WINDOW TUMBLING(1m)",
    "a source's alias before a named window": "SELECT a FROM s {w} WINDOW w AS (ORDER BY a)",
    "a source's alias before EMIT": "SELECT a FROM s {w} EMIT CHANGES",
    "a source's alias before INTO": "SELECT a FROM s {w} INTO x",
    "a source's alias before WITH": "SELECT a FROM s {w} WITH ('a' = 'b')",
    "a source's alias before PARTITION BY": "SELECT a FROM s {w} PARTITION BY a",
    "a source's alias before LIMIT": "SELECT a FROM s {w} LIMIT 1",
    "a source's alias before UNION": "SELECT a FROM s {w} UNION ALL SELECT b FROM t {w}",
    "a source's alias before JOIN": "SELECT a FROM s {w} LEFT JOIN t {w}2 ON TRUE",
    "a joined source": "SELECT a FROM s JOIN {w} ON TRUE",
    "an alias before ON": "SELECT a FROM s JOIN t {w} ON TRUE",
    "an alias before WITHIN": "SELECT a FROM s JOIN t {w} WITHIN 5m ON TRUE",
    "an alias before a comma": "SELECT a FROM s {w}, t {w}2",
    "a subquery's alias": "SELECT a FROM (SELECT a FROM s) {w}",
    "a column of USING": "SELECT a FROM s JOIN t USING ({w})",
    "a CTE": "WITH {w} AS (SELECT a FROM s) SELECT a FROM {w}",
    "a CTE's column": "WITH x({w}) AS (SELECT a FROM s) SELECT {w} FROM x",
    "a field": "SELECT a->{w}, {w}->b, a.{w} FROM s",
    "a lambda's name": "SELECT transform(xs, {w} -> {w} + 1) FROM s",
    "a named argument": "SELECT f({w} => 1) FROM s",
    "a window's name": "SELECT SUM(a) OVER {w} FROM s WINDOW {w} AS (PARTITION BY a)",
    "a named time window": "SELECT a FROM s WINDOW {w}",
    "a window's time": "SELECT a FROM s WINDOW TUMBLING({w}, 1m)",
    "a session's key": "SELECT a FROM s WINDOW SESSION(ts, 1m, {w}, MAX 2h)",
    "a grouped window's time": "SELECT a FROM s GROUP BY TUMBLE({w}, INTERVAL '1' MINUTE), {w}",
    "a created stream": "CREATE STREAM {w} AS SELECT a FROM s",
    "a created table": "CREATE TABLE {w} ({w} INT NOT NULL, b STRING) WITH ('a' = 'b')",
    "a struct's field": "CREATE TABLE t (a STRUCT<{w}: INT, b: STRING>)",
    "a watermark's column": "CREATE STREAM s (ts TIMESTAMP, WATERMARK FOR {w} AS {w} - INTERVAL '1' SECOND)",
    "a column with a watermark": "SELECT a FROM s WATERMARK {w} DELAY OF 1m",
    "a key": "CREATE TABLE t (a INT, PRIMARY KEY ({w}))",
    "a sink": "SELECT a FROM s INTO {w}, {w}2",
    "a target": "INSERT INTO {w} ({w}) SELECT a FROM s",
    "a dropped stream": "DROP STREAM {w}",
    "a described stream": "DESCRIBE {w}",
    "a shown stream": "SHOW SCHEMA {w}",
    "a job with a status": "SHOW STATUS {w}",
    "a job": "START JOB {w} AS SELECT a FROM s",
    "a stopped job": "STOP JOB {w} FORCE",
    "a deployed job": "DEPLOY JOB {w} VERSION '1' AS SELECT {w} FROM s {w} STRATEGY ROLLING",
    "a rolled back job": "ROLLBACK JOB {w} VERSION '1'",
    "a property": "SELECT a FROM s WITH ({w} = {w}, x.{w} = 'y')",
    "a topic": "PRINT {w} LIMIT 1",
    "a lateral view": "SELECT {w} FROM s LATERAL VIEW explode(xs) {w} AS {w}",
    "an unnested value": "SELECT {w} FROM s CROSS JOIN UNNEST(xs) AS t({w})",
}


COMMON = (
    "a column",
    "an alias with AS",
    "an alias without AS",
    "a stream",
    "a source's alias at the end",
    "a joined source",
)
FUNCTIONS_WITHOUT_PARENTHESES = {
    *("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "CURRENT_USER", "SESSION_USER")
}


def words_of_the_grammar() -> set[str]:
    """All words that a rule of the grammar looks for."""
    used: set[str] = set()
    for module in pkgutil.iter_modules(grammar.__path__):
        source = inspect.getsource(import_module(f"{grammar.__name__}.{module.name}"))
        used |= set(re.findall(r'"([A-Z_]{2,})"', source))
    return used - RESERVED - FUNCTIONS_WITHOUT_PARENTHESES


def try_as_name(word: str, place: str) -> None:
    text = PLACES[place].format(w=word)
    found = tree(text)
    names = [node.name for node in found.find_all(exp.Identifier, exp.Var)]
    assert names.count(word) == len(re.findall(rf"\b{word}\b", text)), print_sql(found)
    assert tree(print_sql(found)) == found


@pytest.mark.parametrize("word", ADDED)
def test_a_word_that_the_dialect_adds_is_a_name_in_every_place(word: str) -> None:
    for place in PLACES:
        try_as_name(word.lower(), place)


@pytest.mark.parametrize("word", sorted(words_of_the_grammar()))
def test_every_other_word_of_the_grammar_is_a_name_too(word: str) -> None:
    for place in COMMON:
        try_as_name(word.lower(), place)


@pytest.mark.parametrize("word", ["WINDOW", "EMIT", "STREAM", "CHANGES", "SIZE", "STATUS"])
def test_letter_case_makes_no_keyword(word: str) -> None:
    assert first(f"SELECT {word} FROM {word} {word}", exp.Column).name == word


def test_no_word_that_the_dialect_adds_is_reserved() -> None:
    assert not set(ADDED) & RESERVED


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_reserved_word_is_a_name_in_backticks_and_behind_a_dot(word: str) -> None:
    found = tree(f"SELECT `{word}`, s.{word} FROM `{word}` AS s")
    assert [node.name for node in found.find_all(exp.Column)].count(word) == 2
    assert tree(print_sql(found)) == found
