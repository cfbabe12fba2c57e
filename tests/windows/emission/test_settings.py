import polars as pl
import pytest

from velostream.errors import EmissionConflict
from velostream.windows.emission import (
    EMISSIONS,
    Accumulation,
    Changes,
    Early,
    Emission,
    EveryRows,
    Final,
    Granularity,
    When,
    emission,
)

QUIET = {
    "_touched": False,
    "_critical": False,
    "_closed": False,
    "_closes": False,
    "_finalised": False,
    "_pending": 0,
    "_elapsed": 0,
}


def answer(settings: Emission, **situation: object) -> str | None:
    return pl.DataFrame([{**QUIET, **situation}]).select(settings.answer().alias("answer")).item()  # type: ignore[no-any-return]


def test_without_emit_a_window_is_final_and_a_plain_group_by_gives_changes() -> None:
    assert emission() == Emission(Final())
    assert emission(windowed=False) == Emission(Changes(Granularity.RECORD))


def test_final_speaks_at_the_close_and_again_for_late_records() -> None:
    assert answer(emission(), _touched=True) is None
    assert answer(emission(), _closes=True) == "final"
    assert answer(emission(), _closes=True, _touched=True) == "final"
    assert answer(emission(), _closed=True) is None
    assert answer(emission(), _closed=True, _touched=True) == "late"


def test_what_a_flush_has_fired_stays_silent_at_its_close_and_is_late_when_changed() -> None:
    assert answer(emission(), _closes=True, _finalised=True) is None
    assert answer(emission(), _finalised=True, _touched=True) == "late"


def test_changes_speak_on_every_touch_and_never_at_the_close() -> None:
    changes = emission("changes", granularity="batch")
    assert answer(changes, _touched=True) == "change"
    assert answer(changes, _touched=True, _closed=True) == "late"
    assert answer(changes, _closes=True) is None


def test_early_rows_come_when_the_time_is_over_and_the_group_has_changed() -> None:
    early = emission(early=30)
    assert answer(early, _pending=1, _elapsed=29) is None
    assert answer(early, _pending=1, _elapsed=30) == "early"
    assert answer(early, _pending=0, _elapsed=30) is None
    assert answer(early, _pending=1, _elapsed=30, _closes=True) == "final"
    assert answer(early, _pending=1, _elapsed=30, _closed=True) is None


def test_a_critical_record_speaks_at_once_and_the_fallback_in_its_time() -> None:
    critical = emission(on="is_error", fallback=5)
    assert answer(critical, _touched=True, _critical=True, _pending=1) == "early"
    assert answer(critical, _touched=True, _pending=1, _elapsed=4) is None
    assert answer(critical, _pending=1, _elapsed=5) == "early"
    assert critical.condition == "is_error"
    assert critical.interval == 5
    assert emission(on="is_error").interval is None


def test_every_n_rows_counts_since_the_last_row() -> None:
    assert answer(emission(count=3), _touched=True, _pending=2) is None
    assert answer(emission(count=3), _touched=True, _pending=3) == "early"


def test_who_needs_the_values_of_touched_groups() -> None:
    assert not emission().needs_values
    assert not emission(early=5).needs_values
    assert emission(count=5).needs_values
    assert emission("CHANGES").by_record


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mode": "CHANGES", "early": 30}, "adds nothing"),
        ({"mode": "CHANGES", "on": "x"}, "adds nothing"),
        ({"mode": "CHANGES", "count": 3}, "adds nothing"),
        ({"mode": "CHANGES", "accumulation": "discarding"}, "discarding"),
        ({"fallback": 5}, "no condition"),
        ({"early": 5, "on": "x", "fallback": 5}, "both count"),
        ({"granularity": "batch"}, "for EMIT CHANGES"),
        ({"early": 0}, "never come"),
        ({"on": "x", "fallback": 0}, "never comes"),
        ({"count": 0}, "cannot be"),
    ],
)
def test_contradictions_are_refused_with_a_hint(settings: dict[str, object], message: str) -> None:
    with pytest.raises(EmissionConflict, match=message) as refusal:
        emission(**settings)  # type: ignore[arg-type]
    assert refusal.value.hint


def test_a_rule_given_twice_is_refused() -> None:
    with pytest.raises(EmissionConflict, match="twice"):
        Emission(Final(), (EveryRows(1), EveryRows(2)))


def test_every_word_after_emit_finds_its_rule() -> None:
    assert EMISSIONS["ON WATERMARK"] is Final
    assert {rule.name for rule in (Final, Changes, Early, When, EveryRows)} <= set(EMISSIONS)
    assert emission(accumulation="retracting").accumulation is Accumulation.RETRACTING
