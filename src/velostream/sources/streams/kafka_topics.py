"""The topics of a Kafka source: which they are, and what happens where one is not there yet."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

from velostream.config.settings import Settings
from velostream.durations import SECOND, show
from velostream.errors import VeloError
from velostream.kafka import Cluster


def is_several(settings: Settings) -> bool:
    """True where a source reads more than one topic, so that partitions of one number are told apart by topic."""
    return settings.get("topic.pattern") is not None or len(settings.names("topic")) > 1


def chosen(settings: Settings, existing: Iterable[str]) -> tuple[str, ...]:
    """Those topics of a source that exist."""
    pattern = settings.get("topic.pattern")
    if pattern is not None:
        return tuple(sorted(name for name in existing if re.fullmatch(str(pattern), name)))
    have = set(existing)
    return tuple(name for name in settings.names("topic") if name in have)


def wait_for_topics(source: str, settings: Settings, cluster: Cluster) -> dict[str, list[int]]:
    """The topics of a source with their partitions; an error where one is not there when the time is over."""
    timeout, interval = settings.duration("topic.wait.timeout"), settings.duration("topic.retry.interval")
    ends = time.monotonic() + timeout / SECOND
    while True:
        failure: VeloError | None = None
        existing: dict[str, list[int]] = {}
        try:
            existing = cluster.topics()
        except VeloError as error:
            failure = error
        found = chosen(settings, existing)
        if failure is None and not _missing(settings, found):
            return {name: existing[name] for name in found}
        left = ends - time.monotonic()
        if left <= 0:
            raise failure or _absent(source, settings, list(existing), cluster, timeout)
        time.sleep(min(interval / SECOND, left))


def _missing(settings: Settings, found: tuple[str, ...]) -> str:
    """The first topic that is not there; of a pattern, the pattern."""
    pattern = settings.get("topic.pattern")
    if pattern is not None:
        return "" if found else str(pattern)
    return next((name for name in settings.names("topic") if name not in found), "")


def _absent(source: str, settings: Settings, existing: list[str], cluster: Cluster, timeout: int) -> VeloError:
    name = _missing(settings, chosen(settings, existing))
    by_pattern = settings.get("topic.pattern") is not None
    what = f"no topic matches '{name}'" if by_pattern else f"there is no topic '{name}'"
    waited = f" after {show(timeout)}" if timeout else ""
    hint = f"{cluster.alike(name, existing)}'{source}.topic.wait.timeout' = '30s' waits for it"
    return VeloError(f"{what} at {cluster.address} for '{source}'{waited}", hint=hint, code="topic-not-found")
