"""Databases and addresses that are not there yet: looked for again as long as is set, then said what is missing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from velostream.config.settings import Settings
from velostream.durations import SECOND, show
from velostream.errors import VeloError

T = TypeVar("T")
INTERRUPTED = "source-interrupted"
"""What makes a job try its micro-batch again."""
MISSING = (
    "table-not-found",
    "database-unreachable",
    "http-unreachable",
    "file-not-found",
    "store-unreachable",
    "queue-not-found",
)
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


@contextmanager
def interrupted(source: str, *, in_store: bool = False) -> Iterator[None]:
    """A store that does not answer while a job reads is no end of it: the micro-batch is tried again. With `in_store`,
    whatever cannot be read inside is in a store."""
    try:
        yield
    except FileNotFoundError:
        raise
    except VeloError as error:
        if error.error_code != "store-unreachable":
            raise
        raise VeloError(f"source '{source}': {error.message}", hint=error.hint, code=INTERRUPTED) from None
    except OSError as error:
        if not in_store:
            raise
        raise VeloError(f"source '{source}': {error}", hint="see that the store is up", code=INTERRUPTED) from None


def vanished(path: str) -> VeloError:
    """The error for a file that was there when it was taken up, and is gone before it was read."""
    message = f"'{path}' is gone, and was not read yet: nobody knows what was in it"
    return VeloError(message, hint="put it back under its name, and start again", code="source-unreadable")


def _missing(error: VeloError, source: str, what: str, timeout: int) -> VeloError:
    waited = f", after {show(timeout)}" if timeout else ""
    hint = f"'{source}.{what}.wait.timeout' = '30s' waits for it"
    hint = error.hint if hint in error.hint else f"{error.hint}; {hint}".removeprefix("; ")
    return VeloError(f"{error.message}{waited}", hint=hint, span=error.span, code=error.error_code)
