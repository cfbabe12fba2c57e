"""Named windows: written in YAML or as keys, with their lateness and triggers as settings of the job."""

from pathlib import Path

import pytest
from tests.config.asking import Asked

from velostream.config.origin import session, written
from velostream.durations import HOUR, MINUTE, SECOND

APP = """
windowing:
  performance_metrics:
    type: tumbling
    size: 5m
    allowed_lateness: 2m
    trigger:
      primary: watermark
      early_firing: 30s
  user_feedback:
    type: session
    gap: 30m
    max: 4h
  anomalies:
    type: hopping
    size: 15m
    advance: 1m
    trigger:
      primary: severity = 'critical'
      fallback: 5s
  live:
    type: cumulate
    step: 1m
    size: 1h
    offset: 15m
    trigger: {primary: Changes}
watermarks:
  idle_timeout: 5m
  metrics:
    max_out_of_orderness: 2m
state:
  hot:
    max_size: 1GB
checkpointing:
  interval: 30s
"""


@pytest.fixture
def app(tmp_path: Path) -> Asked:
    (tmp_path / "app.yaml").write_text(APP)
    asked = Asked(more=[session("config_file", "app.yaml")], folder=tmp_path, names=("metrics",))
    assert not asked.problems
    return asked


def test_named_windows_have_their_kind_and_lengths(app: Asked) -> None:
    windows = app.resolved.windows
    assert (windows["performance_metrics"].kind, windows["performance_metrics"].lengths) == (
        "TUMBLING",
        {"size": 5 * MINUTE},
    )
    assert (windows["user_feedback"].kind, windows["user_feedback"].lengths) == (
        "SESSION",
        {"gap": 30 * MINUTE, "max": 4 * HOUR},
    )
    assert (windows["anomalies"].kind, windows["anomalies"].lengths) == (
        "SLIDING",
        {"size": 15 * MINUTE, "advance": MINUTE},
    )
    assert windows["live"].lengths == {"size": HOUR, "step": MINUTE, "offset": 15 * MINUTE}


def test_triggers_and_lateness_are_settings_of_the_job(app: Asked) -> None:
    found = {
        name: {key: value.value for key, value in window.values.items()}
        for name, window in app.resolved.windows.items()
    }
    assert found == {
        "performance_metrics": {"allowed.lateness": 2 * MINUTE, "emit.early": 30 * SECOND, "emit": "final"},
        "user_feedback": {},
        "anomalies": {"emit.on": "severity = 'critical'", "emit.fallback": 5 * SECOND},
        "live": {"emit": "changes"},
    }


def test_the_other_sections_are_properties(app: Asked) -> None:
    job = app.resolved.job
    assert job.duration("watermark.idle_timeout") == 5 * MINUTE
    assert job.size("state.hot.max_size") == 1024**3
    assert job.duration("checkpoint.interval") == 30 * SECOND


def test_the_section_of_watermarks_speaks_of_sources(tmp_path: Path) -> None:
    from tests.config.asking import source

    (tmp_path / "app.yaml").write_text(APP)
    given = {"config_file": "app.yaml", "metrics.type": "datagen_source"}
    asked = Asked(given, source("metrics"), folder=tmp_path)
    assert not asked.problems
    assert asked.resolved["metrics"].duration("watermark.max_out_of_orderness") == 2 * MINUTE


def test_a_window_holds_unless_the_statement_says_otherwise(app: Asked) -> None:
    window = app.resolved.windows["performance_metrics"]
    assert app.resolved.job_in(window).duration("allowed.lateness") == 2 * MINUTE
    statement = Asked({"allowed.lateness": "7s"}).resolved.job.under(window.values)
    assert statement.duration("allowed.lateness") == 7 * SECOND
    assert statement.duration("emit.early") == 30 * SECOND


def test_a_window_without_a_size_takes_that_of_the_preset() -> None:
    window = {"windowing.w.type": "tumbling"}
    assert Asked({**window, "preset": "dev"}).resolved.windows["w"].lengths == {"size": MINUTE}
    assert Asked({**window, "preset": "prod"}).resolved.windows["w"].lengths == {"size": 5 * MINUTE}
    assert Asked({**window, "window.size": "3m"}).resolved.windows["w"].lengths == {"size": 3 * MINUTE}


def test_windows_are_found_in_any_letter_case() -> None:
    asked = Asked({"windowing.Big.type": "tumbling", "windowing.BIG.size": "1h"})
    assert not asked.problems
    assert asked.resolved.windows["big"].lengths == {"size": HOUR}


@pytest.mark.parametrize(
    ("given", "code", "message"),
    [
        ({"size": "1m"}, "missing-property", "window 'w' needs 'windowing.w.type'"),
        ({"type": "tumbling"}, "missing-property", "tumbling window 'w' needs 'windowing.w.size'"),
        ({"type": "sliding", "size": "1m"}, "missing-property", "sliding window 'w' needs 'windowing.w.advance'"),
        ({"type": "session"}, "missing-property", "session window 'w' needs 'windowing.w.gap'"),
        ({"type": "session", "gap": "1m", "size": "1m"}, "conflicting-properties", "session window 'w' has no size"),
        ({"type": "tumbling", "size": "0s"}, "invalid-property", "'0s' is no time at all"),
        ({"type": "square", "size": "1m"}, "invalid-property", "'square' is not one of its values"),
        ({"type": "tumbling", "size": "1m", "colour": "red"}, "unknown-property", "no property is named"),
    ],
)
def test_a_window_that_cannot_be_is_found(given: dict[str, str], code: str, message: str) -> None:
    asked = Asked(more=[written(f"windowing.w.{key}", text) for key, text in given.items()])
    assert (asked.codes[0], message in asked.problems[0][1]) == (code, True)
