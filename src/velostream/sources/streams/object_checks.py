"""What is looked at before a source of objects is started: that they are there, and that what is set can be done."""

from __future__ import annotations

from typing import Any

from velostream.errors import VeloError
from velostream.registry import nearest
from velostream.sources.streams.decoding import FileForm
from velostream.sources.streams.file_checks import check_form
from velostream.sources.streams.missing import wait_for
from velostream.stores import PREFIX, objects

_SHOWN = 5


def check_objects(node: Any, form: FileForm, *, bounded: bool, before: bool) -> list[str]:
    """The objects of a scan; `before` says that some were read in an earlier run, so that none needs to be there."""
    settings = node.settings
    path = settings.text("path")

    def look() -> list[str]:
        found = list(objects(path))
        if found or before:
            return found
        raise VeloError(f"there is no object '{path}' for '{node.source}'", hint=_alike(path), code="file-not-found")

    found = wait_for(node.source, "file", settings, look)
    check_form(node, form, found, bounded=bounded)
    return found


def _alike(path: str) -> str:
    """Objects that are there instead, as a hint."""
    bucket = path.removeprefix(PREFIX).split("/")[0]
    names = list(objects(f"{PREFIX}{bucket}/**"))
    shown = nearest(path, names) or names[:_SHOWN]
    return f"there is {', '.join(repr(name) for name in shown)}" if shown else f"bucket '{bucket}' is empty"
