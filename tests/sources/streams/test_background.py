"""What goes on beside the queries of a job ends with them, and begins again."""

from __future__ import annotations

from pathlib import Path

from velostream.sources.streams.background import begin, close, resume


class Noted:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def start(self) -> None:
        self.told.append("start")

    def close(self) -> None:
        self.told.append("close")


def test_what_a_pause_ends_begins_again_and_what_took_its_place_alone(tmp_path: Path) -> None:
    first, second, other = Noted(), Noted(), Noted()
    begin(tmp_path, "s", first)
    begin(tmp_path / "other", "s", other)
    resume(tmp_path)
    assert first.told == ["start"], "it goes on already"
    close(tmp_path)
    close(tmp_path)
    resume(tmp_path)
    assert first.told == ["start", "close", "start"]
    begin(tmp_path, "s", second)
    close(tmp_path)
    resume(tmp_path)
    assert first.told == ["start", "close", "start", "close"]
    assert second.told == ["start", "close", "start"]
    assert other.told == ["start"]
    close(tmp_path)
    close(tmp_path / "other")
