"""Files that are not there yet: wait for them as long as is set, then say what is missing and what looks like it."""

from __future__ import annotations

import time
from pathlib import Path

from velostream.config.settings import Settings
from velostream.durations import SECOND, show
from velostream.errors import VeloError
from velostream.registry import nearest
from velostream.sources.file import matching

_SHOWN = 5


def wait_for_files(source: str, settings: Settings, folder: Path) -> list[Path]:
    """The files of a source; an error where there are none when the time is over."""
    path = settings.text("path")
    timeout, interval = settings.duration("file.wait.timeout"), settings.duration("file.retry.interval")
    ends = time.monotonic() + timeout / SECOND
    while True:
        found = matching(path, folder)
        left = ends - time.monotonic()
        if found:
            return found
        if left <= 0:
            break
        time.sleep(min(interval / SECOND, left))
    waited = f" after {show(timeout)}" if timeout else ""
    alike = look_alikes(path, folder)
    hint = f"there is {', '.join(alike)}; " if alike else ""
    wait = f"'{source}.file.wait.timeout' = '30s' waits for it"
    message = f"there is no file '{path}' for '{source}'{waited}"
    raise VeloError(message, hint=hint + wait, code="file-not-found")


def look_alikes(path: str, folder: Path) -> list[str]:
    """Names that look like the last part of a path, or of the first part of it that is not there."""
    parts = Path(path.removeprefix("file://")).parts
    here = folder
    for index, part in enumerate(parts):
        plain = not set(part) & set("*?[")
        if plain and index < len(parts) - 1 and (here / part).is_dir():
            here /= part
            continue
        if not here.is_dir():
            return []
        names = [entry.name for entry in sorted(here.iterdir()) if not entry.name.startswith((".", "_"))]
        shown = nearest(part, names) or names[:_SHOWN]
        return [f"'{Path(*parts[:index], name)}'" for name in shown]
    return []
