"""Records of files of text once more, by their places: only those that become dead letters are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from velostream.sources.streams.decoding import COLUMNAR, PER_FILE, text_records
from velostream.sources.streams.manifest import Manifest
from velostream.sources.streams.reading import form_of, manifest_of

Place = tuple[int | None, int]
"""The number of a file, None where it is not known, and the index of a record in it."""


def records_at(node: Any, home: Path, places: Sequence[Place]) -> list[str | None]:
    """The records at these places, as they are in the files; None for one that cannot be told or is not there any more.

    Where the number of the file is not known, it must be the only one. `home` is the folder of the job.
    """
    form, file = form_of(node), manifest_of(node, home)
    if form.format in COLUMNAR or not file.exists():
        return [None] * len(places)
    taken = Manifest(file).taken
    if form.ordered:
        places = [divmod(offset, PER_FILE) for _, offset in places]
    numbers = [number if number is not None else 0 if len(taken) == 1 else -1 for number, _ in places]
    found: dict[tuple[int, int], str] = {}
    for number in {number for number in numbers if 0 <= number < len(taken)}:
        wanted = {offset for here, (_, offset) in zip(numbers, places, strict=True) if here == number}
        found |= {(number, offset): text for offset, text in _records(taken[number].path, form, wanted).items()}
    return [found.get((number, offset)) for number, (_, offset) in zip(numbers, places, strict=True)]


def _records(path: str, form: Any, wanted: set[int]) -> dict[int, str]:
    """The records of a file that have one of these indexes."""
    try:
        numbered = enumerate(islice(text_records(path, form), max(wanted) + 1))
        return {index: one.raw or one.value or "" for index, one in numbered if index in wanted}
    except OSError:
        return {}
