"""Ctrl-C and SIGTERM: the first ends a run after the running batches, a second Ctrl-C ends it at once."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from typing import Any

AT_ONCE = 130
AFTER_THE_BATCH = "stopping after the running batch; Ctrl-C once more stops at once"
_SHOW_CURSOR = "\x1b[?25h"


class Signals:
    """What came so far."""

    def __init__(self, stopping: Event, say: Callable[[str], None], first: str = AFTER_THE_BATCH) -> None:
        self.stopping = stopping
        self.say = say
        self.first = first
        """What is said of the first one."""
        self.received: int | None = None

    def receive(self, number: int, frame: Any) -> None:
        """A signal has come."""
        if self.received is not None and number == signal.SIGINT:
            if sys.stderr.isatty():
                sys.stderr.write(_SHOW_CURSOR)
            sys.stderr.write("\nstopped at once; the running batch is done again at the next start\n")
            sys.stderr.flush()
            os._exit(AT_ONCE)
        if self.received is None:
            self.received = number
            self.stopping.set()
            self.say(self.first)

    @property
    def exit_code(self) -> int:
        """What the shell is told of a run that a signal cut short: 130 for Ctrl-C, 143 for SIGTERM."""
        return 0 if self.received is None else 128 + self.received


@contextmanager
def caught(stopping: Event, say: Callable[[str], None], first: str = AFTER_THE_BATCH) -> Iterator[Signals]:
    """Catches signals inside; `stopping` is set by the first."""
    signals = Signals(stopping, say, first)
    if current_thread() is not main_thread():
        yield signals
        return
    before = {number: signal.signal(number, signals.receive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def uncut(say: Callable[[str], None], what: str) -> Iterator[None]:
    """Ctrl-C inside is heard at the end: what is being done, such as the start of a JVM, cannot be left half done."""
    with caught(Event(), say, f"stopping once {what}; Ctrl-C once more leaves at once") as signals:
        yield
    if signals.received is not None:
        raise KeyboardInterrupt
