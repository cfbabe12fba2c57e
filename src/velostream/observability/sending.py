"""Things that are sent to somebody outside, in a thread of their own: a slow or dead receiver costs a job nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

from velostream.events import LOGGER

T = TypeVar("T")
MOST = 10_000
"""So many wait at most; more are let go, counted, with a warning."""
PATIENCE = 10.0
"""Seconds that the end of a run waits for what is not sent yet."""


class Sender(Generic[T]):
    """Sends one thing after another."""

    def __init__(self, send: Callable[[T], object], what: str) -> None:
        self.send = send
        self.what = what
        self.lost = 0
        """How many could not be sent."""
        self.waiting: Queue[T] = Queue(MOST)
        self.closed = Event()
        self.thread = Thread(target=self._work, name=f"velo-{what.replace(' ', '-')}", daemon=True)
        self.thread.start()

    def put(self, thing: T) -> None:
        """Takes something to send."""
        try:
            self.waiting.put_nowait(thing)
        except Full:
            self._lose("too many wait")

    def close(self) -> None:
        """Sends what waits, not for ever."""
        self.closed.set()
        self.thread.join(PATIENCE)

    def _work(self) -> None:
        while True:
            try:
                thing = self.waiting.get(timeout=0.1)
            except Empty:
                if self.closed.is_set():
                    return
                continue
            try:
                self.send(thing)
            except Exception as error:
                self._lose(str(error).split("\n", 1)[0])

    def _lose(self, reason: str) -> None:
        """Says it for the first one, and then every hundredth."""
        self.lost += 1
        if self.lost % 100 == 1:
            logging.getLogger(LOGGER).warning("%s %s could not be sent: %s", self.lost, self.what, reason)
