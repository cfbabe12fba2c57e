"""Databases and addresses that are not there yet: looked for again as long as is set, then said what is missing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from velostream.config.settings import Settings
from velostream.durations import SECOND, show
from velostream.errors import VeloError

T = TypeVar("T")
MISSING = ("table-not-found", "database-unreachable", "http-unreachable", "file-not-found", "store-unreachable")
"""What a look says of something that may come."""


def wait_for(source: str, what: str, settings: Settings, look: Callable[[], T]) -> T:
    """What `look` finds; the settings `what`.wait.timeout and `what`.retry.interval say how long it is tried."""
    timeout, interval = settings.duration(f"{what}.wait.timeout"), settings.duration(f"{what}.retry.interval")
    ends = time.monotonic() + timeout / SECOND
    while True:
        try:
            return look()
        except VeloError as error:
            left = ends - time.monotonic()
            if error.error_code not in MISSING:
                raise
            if left <= 0:
                raise _missing(error, source, what, timeout) from None
        time.sleep(min(interval / SECOND, left))


def _missing(error: VeloError, source: str, what: str, timeout: int) -> VeloError:
    waited = f", after {show(timeout)}" if timeout else ""
    hint = f"'{source}.{what}.wait.timeout' = '30s' waits for it"
    hint = error.hint if hint in error.hint else f"{error.hint}; {hint}".removeprefix("; ")
    return VeloError(f"{error.message}{waited}", hint=hint, span=error.span, code=error.error_code)
