"""Presets have exactly the values that are promised, and give way to everything else."""

import pytest
from tests.config.asking import TRADES, Asked, source

from velostream.config.origin import Layer
from velostream.config.presets import PRESET_VALUES
from velostream.durations import MILLISECOND, MINUTE, SECOND

MB, GB = 1024**2, 1024**3


def test_dev_has_its_values() -> None:
    job = Asked({"preset": "dev"}).resolved.job
    assert job.duration("window.size") == MINUTE
    assert job.duration("allowed.lateness") == 10 * SECOND
    assert job.duration("watermark.max_out_of_orderness") == 5 * SECOND
    assert job.duration("watermark.emit_interval") == 500 * MILLISECOND
    assert job.duration("checkpoint.interval") == 30 * SECOND
    assert job.duration("event.time.max_clock_skew") == 30 * SECOND
    assert job.size("state.hot.max_size") == 256 * MB
    assert job.text("state.warm.backend") == "memory"


def test_prod_has_its_values() -> None:
    job = Asked({"preset": "prod"}).resolved.job
    assert job.duration("window.size") == 5 * MINUTE
    assert job.duration("allowed.lateness") == 2 * MINUTE
    assert job.duration("watermark.max_out_of_orderness") == 2 * MINUTE
    assert job.duration("watermark.idle_timeout") == 5 * MINUTE
    assert job.duration("watermark.emit_interval") == SECOND
    assert job.duration("checkpoint.interval") == 60 * SECOND
    assert job.duration("event.time.max_clock_skew") == 30 * SECOND
    assert job.size("state.hot.max_size") == 2 * GB
    assert job.size("state.warm.cache_size") == 4 * GB
    assert job.text("state.cold.backend") == "postgres"


@pytest.mark.parametrize("preset", PRESET_VALUES)
def test_a_preset_contradicts_nothing(preset: str) -> None:
    assert not Asked({"preset": preset}).problems


def test_a_preset_gives_way_to_what_is_set_and_says_where_it_comes_from() -> None:
    asked = Asked({**TRADES, "preset": "dev", "allowed.lateness": "1s"}, source())
    assert asked.resolved.job.duration("allowed.lateness") == SECOND
    value = asked.resolved["trades"].value("watermark.max_out_of_orderness")
    assert value is not None
    assert (value.origin.layer, str(value.origin)) == (Layer.PRESET, "preset dev")


def test_a_guard_that_a_preset_sets_can_be_switched_off() -> None:
    asked = Asked({**TRADES, "preset": "dev", "trades.event.time.max_clock_skew": "off"}, source())
    assert asked.resolved["trades"].get("event.time.max_clock_skew") is None


def test_an_unknown_preset_is_refused() -> None:
    assert Asked({"preset": "staging"}).codes == ["invalid-property"]
