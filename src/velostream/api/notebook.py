"""A notebook that is shown something while it changes; elsewhere nothing is shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

EVERY = 1.0
"""Seconds between two looks."""


@contextmanager
def kept_shown(what: object, every: float = EVERY) -> Iterator[None]:
    """Inside, a notebook shows `what` and how it changes."""
    display = _display()
    if display is None:
        yield
        return
    shown = display(what, display_id=True)
    ended = Event()

    def watch() -> None:
        while not ended.wait(every):
            shown.update(what)

    thread = Thread(target=watch, name="velo-notebook", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        shown.update(what)


def _display() -> Callable[..., Any] | None:
    """How this notebook shows things; None where there is none. IPython is only looked for where it runs already."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    if shell is None or shell.__class__.__name__ == "TerminalInteractiveShell":
        return None
    from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

    found: Callable[..., Any] = display
    return found
