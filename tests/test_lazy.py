"""Modules that are loaded on first use."""

import sys

import pytest

from velostream.lazy import lazy


def test_a_module_is_loaded_when_one_of_its_names_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    module = lazy("colorsys")
    assert "colorsys" not in sys.modules
    assert module.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)
    assert "colorsys" in sys.modules


def test_a_missing_module_is_missed_only_when_used() -> None:
    module = lazy("no_such_module_anywhere")
    with pytest.raises(ModuleNotFoundError):
        _ = module.anything
