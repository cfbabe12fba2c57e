"""Settings that would have no effect on a run are refused, where they stand."""

from pathlib import Path

import pytest

from velostream.plan import plan
from velostream.spark.lower.honoured import ignored
from velostream.validation import validate

_FILE = "'type' = 'file_source', 'path' = 'in/*.jsonl', 'format' = 'jsonl'"
_DATABASE = "'type' = 'database_source', 'url' = 'postgresql://h/x', 'table' = 't'"
_HTTP = "'type' = 'http_source', 'url' = 'http://h/x'"


def refused(source: str, **more: str) -> list[str]:
    given = "".join(f", '{name.replace('_', '.')}' = '{value}'" for name, value in more.items())
    text = f"CREATE STREAM s (k STRING) WITH ({source}{given}); SELECT k FROM s INTO o WITH ('o.type' = 'memory_sink')"
    answer = validate(text, "test.sql", variables={}, folder=Path("nowhere"))
    assert answer.ok, answer.findings.errors
    [job] = plan(answer.bound, answer.library).jobs
    return [error.message for error in ignored(job)]


@pytest.mark.parametrize("source", [_FILE, _DATABASE, _HTTP])
def test_a_source_that_nobody_calls_has_no_circuit_breaker(source: str) -> None:
    said = "'circuit.breaker.calls' of source 's' has no effect on a run yet"
    assert refused(source) == []
    assert refused(source, circuit_breaker_calls="5") == ([said] if source == _FILE else [])
