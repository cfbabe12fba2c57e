"""The budget of state in memory, and what the tiers take of it."""

from tests.config.asking import Asked

from velostream.config.memory import cache_size, hot_size

MB, GB = 1024**2, 1024**3


def sizes(**settings: str) -> tuple[int, int]:
    asked = Asked({name.replace("_", ".", 2): value for name, value in settings.items()})
    assert not asked.problems
    return hot_size(asked.resolved.job), cache_size(asked.resolved.job)


def test_without_a_budget_tiers_have_their_defaults() -> None:
    assert sizes() == (512 * MB, GB)


def test_a_budget_gives_half_to_the_hot_tier_and_30_percent_to_the_cache() -> None:
    assert sizes(state_memory_total="1GB") == (512 * MB, 3 * GB // 10)


def test_what_is_set_of_a_tier_holds_within_the_budget() -> None:
    assert sizes(state_memory_total="1GB", state_hot_max_size="64MB") == (64 * MB, 3 * GB // 10)


def test_what_is_set_of_a_tier_may_not_break_the_budget() -> None:
    asked = Asked({"state.memory.total": "1GB", "state.hot.max_size": "900MB"})
    assert asked.codes == ["conflicting-properties"]
