import pytest

from velostream.catalog.system_columns import SYSTEM_COLUMNS, find, is_reserved


@pytest.mark.parametrize("name", ["_EVENT_TIME", "_event_time", "_Event_Time"])
def test_a_system_column_is_found_in_any_letter_case(name: str) -> None:
    found = find(name)
    assert found is not None
    assert found.name == "_event_time"


@pytest.mark.parametrize(
    ("spelling", "meant"),
    [
        ("window_start", "_window_start"),
        ("WINDOWEND", "_window_end"),
        ("ROWTIME", "_timestamp"),
        ("$proctime", "_processing_time"),
        ("rowkey", "_key"),
        ("ROWPARTITION", "_partition"),
        ("ROWOFFSET", "_offset"),
    ],
)
def test_names_from_flink_and_ksqldb_mean_the_same(spelling: str, meant: str) -> None:
    found = find(spelling)
    assert found is not None
    assert found.name == meant


def test_only_own_names_are_reserved() -> None:
    assert is_reserved("_Offset")
    assert not is_reserved("window_start")
    assert not is_reserved("closed_by")
    assert not is_reserved("price")


def test_every_system_column_says_what_it_means_and_shows_its_use() -> None:
    assert all(column.meaning and column.example for column in SYSTEM_COLUMNS.values())
