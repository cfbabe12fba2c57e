"""Where the sources of a job stand, as vectors that two versions of the job can compare, and how one comes as far as
the other: by the offset that Spark is to read up to next."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from velostream.errors import VeloError
from velostream.files import replace_text
from velostream.sources.streams.manifest import Manifest
from velostream.sources.streams.spark_files import FileList

PREFIX = "source_"
"""How the names of sources begin in Spark's log, of which others are those of commands and replays."""
Vector = Mapping[str, Any]
"""By partition, topic or file: how far it was read. What is larger was read further."""
_WHOLE = (1 << 62, 0)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a source of a job stands: its offset, and the folder of the job, to whose files that may refer."""

    name: str
    offset: Any
    """As Spark keeps it; None where nothing was read yet."""
    home: Path

    @property
    def manifest(self) -> Manifest:
        """The files that Velostream's own source has taken."""
        return Manifest(self.home / "sources" / f"{self.name.removeprefix(PREFIX)}.jsonl")

    @property
    def files(self) -> FileList:
        """The files that Spark's own source has taken."""
        return FileList(self.home / "spark" / "sources" / self.name)

    @property
    def vector(self) -> Vector:
        """How far it was read."""
        return {} if self.offset is None else _kind(self).vector(self)

    def is_behind(self, other: Standing) -> bool:
        """True where the other one has read something that this one has not."""
        own = self.vector
        return any(part not in own or own[part] < upto for part, upto in other.vector.items())

    def joined(self, other: Standing) -> Any:
        """The offset up to which this one has read all that it and the other one have read by now. Only while both
        rest: lists of files are told of those that the other one took."""
        return _kind(other).joined(self, other)


@dataclass(frozen=True, slots=True)
class _Kind:
    """A form of offsets."""

    fits: Callable[[Mapping[str, Any]], bool]
    vector: Callable[[Standing], Vector]
    joined: Callable[[Standing, Standing], Any]


def _kind(one: Standing) -> _Kind:
    for kind in _KINDS:
        if kind.fits(one.offset):
            return kind
    message = f"where source '{one.name.removeprefix(PREFIX)}' stands cannot be compared: {json.dumps(one.offset)}"
    raise VeloError(message, hint="deploy it with REPLACE", code="strategy")


def _further(own: Standing, other: Standing) -> Any:
    """Of offsets that are one after the other, the later one."""
    return other.offset if own.is_behind(other) else own.offset


def _value(one: Standing) -> Vector:
    """A value of a database, which is a number or a text that sorts as it stands."""
    if one.offset["whole"]:
        return {"": (True, 0, "")}
    if one.offset["value"] is None:
        return {}
    text = str(one.offset["value"])
    try:
        return {"": (False, Decimal(text), "")}
    except InvalidOperation:
        return {"": (False, 0, text)}


def _topics(one: Standing) -> Vector:
    return {f"{topic}/{part}": upto for topic, parts in one.offset.items() for part, upto in parts.items()}


def _joined_topics(own: Standing, other: Standing) -> Any:
    found = {topic: dict(parts) for topic, parts in (own.offset or {}).items()}
    for topic, parts in other.offset.items():
        held = found.setdefault(topic, {})
        held |= {part: max(upto, held.get(part, upto)) for part, upto in parts.items()}
    return found


def _listed(one: Standing) -> Vector:
    return dict.fromkeys(one.files.upto(one.offset["logOffset"]), 1)


def _joined_list(own: Standing, other: Standing) -> Any:
    number = -1 if own.offset is None else own.offset["logOffset"]
    known, theirs = own.files.upto(number), other.files.upto(other.offset["logOffset"])
    return {"logOffset": own.files.add(number, {path: at for path, at in theirs.items() if path not in known})}


def _taken(one: Standing) -> dict[str, tuple[int, int]]:
    """By file: the bytes and records that were read of it."""
    grown = one.offset["grown"]
    files = one.manifest.taken[: one.offset["files"]]
    return {each.path: tuple(grown.get(str(number), _WHOLE)) for number, each in enumerate(files)}


def _joined_manifest(own: Standing, other: Standing) -> Any:
    """The files that only the other one has taken follow those that were taken here; what is known beyond, follows."""
    held, theirs = own.manifest.taken, other.manifest.taken[: other.offset["files"]]
    done = 0 if own.offset is None else int(own.offset["files"])
    known = {each.path for each in held[:done]}
    new = [each for each in theirs if each.path not in known]
    taken = [*held[:done], *new]
    paths = {each.path for each in taken}
    rest = [each for each in held[done:] if each.path not in paths]
    replace_text(own.manifest.file, "".join(json.dumps(asdict(each)) + "\n" for each in (*taken, *rest)))
    read = _taken(other)
    for path, upto in ({} if own.offset is None else _taken(own)).items():
        read[path] = max(upto, read.get(path, upto))
    grown = {str(number): list(read[each.path]) for number, each in enumerate(taken) if read[each.path] != _WHOLE}
    return {**other.offset, "files": len(taken), "known": len(taken), "grown": grown}


_KINDS = (
    _Kind(lambda offset: "arrived" in offset, lambda one: {"": one.offset["arrived"]}, _further),
    _Kind(lambda offset: {"value", "rows", "whole"} <= offset.keys(), _value, _further),
    _Kind(lambda offset: {"files", "grown"} <= offset.keys(), _taken, _joined_manifest),
    _Kind(lambda offset: "logOffset" in offset, _listed, _joined_list),
    _Kind(lambda offset: all(isinstance(parts, dict) for parts in offset.values()), _topics, _joined_topics),
)
