"""Strategies for missing data are read with their arguments."""

import pytest

from velostream.config.tables import MissingData, MissingDataKind
from velostream.durations import MILLISECOND
from velostream.errors import InvalidProperty


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("skip_record", MissingData("skip_record")),
        ("EMIT_WITH_NULLS", MissingData("emit_with_nulls")),
        (" fail_fast ", MissingData("fail_fast")),
        ("wait_and_retry(3, 500ms)", MissingData("wait_and_retry", tries=3, delay=500 * MILLISECOND)),
        (
            "use_defaults(sector = 'unknown', lot = 1)",
            MissingData("use_defaults", (("sector", "'unknown'"), ("lot", "1"))),
        ),
        ("use_defaults(a='it''s, fine')", MissingData("use_defaults", (("a", "'it''s, fine'"),))),
        ("use_defaults(`a b` = NULL)", MissingData("use_defaults", (("a b", "NULL"),))),
    ],
)
def test_strategies(text: str, value: MissingData) -> None:
    assert MissingDataKind().parse(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "skip",
        "skip_record()",
        "wait_and_retry",
        "wait_and_retry(3)",
        "wait_and_retry(0, 1s)",
        "wait_and_retry(x, 1s)",
        "wait_and_retry(3, soon)",
        "use_defaults",
        "use_defaults()",
        "use_defaults(a)",
        "use_defaults(a = 1,)",
        "use_defaults(a = 1, A = 2)",
        "use_defaults(a = 'open)",
        "skip_record, fail_fast",
    ],
)
def test_what_is_not_a_strategy(text: str) -> None:
    with pytest.raises(InvalidProperty) as refusal:
        MissingDataKind().parse(text)
    assert refusal.value.hint
