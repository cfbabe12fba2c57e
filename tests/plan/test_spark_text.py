import pytest
from tests.plan.making import value

from velostream.plan.expression import reads
from velostream.types import BIGINT, STRING

ASKED = "if(_call.error IS NULL, _call.value, raise_error(_call.error))"
"""What is made of the answer of a function that a user wrote."""


@pytest.mark.parametrize(
    ("written", "spark"),
    [
        ("MILLIS(t.at) > 5", "unix_millis(cast(`t.at` AS TIMESTAMP)) > 5"),
        ("SHA256(t.id || 'x')", "sha2(`t.id` || 'x', 256)"),
        ("UPPER(SHA256(t.id))", "upper(sha2(`t.id`, 256))"),
        ("MEAN(t.price)", "avg(`t.price`)"),
        ("my_own(t.id)", f"element_at(transform(array(my_own(`t.id`)), _call -> {ASKED}), 1)"),
        ("TRANSFORM(t.tags, x -> x + 1)", "transform(`t.tags`, x -> x + 1)"),
        ("t.at + INTERVAL 5 SECONDS", "`t.at` + INTERVAL 5 SECONDS"),
        ("(t.a + t.b) * 2", "(`t.a` + `t.b`) * 2"),
        ("t.id BETWEEN 1 AND 2", "`t.id` BETWEEN 1 AND 2"),
        ("t.a * 2 BETWEEN 1 AND t.b", "((`t.a` * 2) >= (1) AND (`t.a` * 2) <= (`t.b`))"),
        ("RAND() BETWEEN 0.2 AND 0.4", "rand() BETWEEN 0.2 AND 0.4"),
        ("NULLIF(t.a / t.b, 1)", "if((`t.a` / `t.b`) = (1), NULL, `t.a` / `t.b`)"),
        ("NULLIF(t.a, 1)", "nullif(`t.a`, 1)"),
        ("t.id LIKE 'a!%' ESCAPE '!'", "`t.id` LIKE 'a!%' ESCAPE '!'"),
    ],
)
def test_expressions_are_written_as_spark_computes_them(written: str, spark: str) -> None:
    assert value(written, STRING).spark == spark


def test_a_field_that_is_named_by_its_text_is_read_by_that_name() -> None:
    assert reads("SUM(t.price * 2)", BIGINT).spark == "`SUM(t.price * 2)`"
