"""Which system columns a file has."""

import pytest

from velostream.catalog.system_columns import SYSTEM_COLUMNS
from velostream.cli.visible_columns import visible
from velostream.sources.datagen import DATAGEN_SOURCE
from velostream.validation import validate

CLICKS = """CREATE STREAM clicks (user_id STRING, n BIGINT, at TIMESTAMP)
WITH ('clicks.type' = 'datagen_source', 'clicks.event.time.field' = 'at');
"""
TIMES = ["_timestamp", "_event_time", "_processing_time"]
GROUPS = ["_emission", "_revision", "_watermark", "_event_count"]
WINDOWS = ["_window_start", "_window_end", *GROUPS]


def names(sql: str) -> list[str]:
    return [column.name for column in visible(validate(sql).bound)]


@pytest.mark.parametrize(
    ("query", "added"),
    [
        ("", []),
        ("SELECT user_id FROM clicks", []),
        ("SELECT user_id, COUNT(*) AS c FROM clicks GROUP BY user_id WITH ('state.ttl' = '1d')", GROUPS),
        ("SELECT user_id, COUNT(*) AS c FROM clicks GROUP BY user_id WINDOW TUMBLING(1m)", WINDOWS),
        ("SELECT user_id, COUNT(*) AS c FROM clicks GROUP BY user_id WINDOW SESSION(1m)", [*WINDOWS, "closed_by"]),
        (
            "SELECT user_id, SUM(n) AS c FROM clicks GROUP BY user_id WINDOW TUMBLING(1m) WITH ('fill' = 'zero')",
            [*WINDOWS, "_filled"],
        ),
        (
            "SELECT c FROM (SELECT COUNT(*) AS c FROM clicks WINDOW TUMBLING(1m)) AS counted",
            [*WINDOWS, "_key", "_headers"],
        ),
    ],
)
def test_a_query_adds_those_of_its_groups_and_windows(query: str, added: list[str]) -> None:
    own = {*TIMES, *DATAGEN_SOURCE.columns}
    assert set(names(CLICKS + query)) == own | set(added)


def test_kafka_has_keys_and_headers() -> None:
    found = names("SELECT 1 AS one FROM 'kafka://localhost:9092/orders'")
    assert {"_key", "_headers", "_topic"} <= set(found)


def test_where_nothing_is_bound_all_are_shown() -> None:
    assert names("SELEC nonsense") == list(SYSTEM_COLUMNS)
    assert visible(None) == tuple(SYSTEM_COLUMNS.values())
