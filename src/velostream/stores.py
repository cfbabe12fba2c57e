"""Objects in S3, or in a store that speaks like it, as files: listed, looked at, read and written without any jar."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from velostream.errors import VeloError

PREFIX = "s3://"
CONNECT, ANSWER = 5.0, 60.0
"""Seconds that a store has to take a connection, and to answer."""
_known: dict[str, Store] = {}
"""How the buckets of this process are reached."""


@dataclass(frozen=True)
class Store:
    """A store and who asks; without keys the usual chain of AWS decides."""

    endpoint: str = ""
    region: str = ""
    access_key: str = ""
    secret_key: str = ""
    session_token: str = ""
    path_style: bool | None = None

    @cached_property
    def filesystem(self) -> Any:
        """The store as pyarrow knows it."""
        from pyarrow import fs

        where = urlsplit(self.endpoint)
        given: dict[str, Any] = {"connect_timeout": CONNECT, "request_timeout": ANSWER}
        if self.endpoint:
            host = where.hostname or ""
            given |= {"scheme": where.scheme, "endpoint_override": where.netloc}
            given["force_virtual_addressing"] = self.path_style is False and not _is_number(host)
        if self.region or self.endpoint:
            given["region"] = self.region or "us-east-1"
        keys = {"access_key": self.access_key, "secret_key": self.secret_key, "session_token": self.session_token}
        return fs.S3FileSystem(**given, **{name: value for name, value in keys.items() if value})

    def __getstate__(self) -> dict[str, Any]:
        """A connection does not travel."""
        return {name: value for name, value in self.__dict__.items() if name != "filesystem"}


def is_remote(path: str) -> bool:
    """True for what is in a store, not on disk."""
    return path.startswith(PREFIX)


def use(path: str, store: Store) -> None:
    """Lets this process reach the bucket of a path."""
    bucket = _plain(path).split("/")[0]
    if _known.get(bucket) != store:
        _known[bucket] = store


def objects(path: str) -> dict[str, tuple[int, int]]:
    """The objects of a path, a prefix or a glob with their sizes and times, in nanoseconds, in order of name."""
    from pyarrow import fs

    plain = _plain(path)
    fixed = re.split(r"[*?\[]", plain, maxsplit=1)[0]
    wanted = re.compile(_pattern(plain))
    with told(path):
        store = _store(path)
        if fixed == plain and not plain.endswith("/"):
            one = store.get_file_info(plain)
            if one.type == fs.FileType.File:
                return {f"{PREFIX}{one.path}": (one.size, one.mtime_ns)}
        folder = fixed if fixed == plain else fixed.rpartition("/")[0]
        found = store.get_file_info(fs.FileSelector(folder.rstrip("/"), recursive=True, allow_not_found=True))
    return {
        f"{PREFIX}{one.path}": (one.size, one.mtime_ns)
        for one in sorted(found, key=lambda one: str(one.path))
        if one.type == fs.FileType.File and wanted.fullmatch(one.path) and not one.base_name.startswith((".", "_"))
    }


def fits(path: str, name: str) -> bool:
    """True for an object that a path, a prefix or a glob names."""
    plain, one = _plain(path), _plain(name)
    hidden = one.rpartition("/")[2].startswith((".", "_"))
    return one == plain or (not hidden and re.fullmatch(_pattern(plain), one) is not None)


def about(path: str) -> tuple[int, int]:
    """The size and the time of an object; one that is not there is a FileNotFoundError."""
    from pyarrow import fs

    with told(path):
        one = _store(path).get_file_info(_plain(path))
    if one.type != fs.FileType.File:
        raise FileNotFoundError(2, "No such object", path)
    return one.size, one.mtime_ns


def opened(path: str) -> Any:
    """The bytes of an object, to be read from any place."""
    with told(path):
        return _store(path).open_input_file(_plain(path))


def put(path: str, content: bytes) -> None:
    """Writes an object. It is there as a whole, or not at all."""
    with told(path), _store(path).open_output_stream(_plain(path), compression=None) as out:
        out.write(content)


def remove(path: str) -> None:
    """Deletes an object."""
    with told(path):
        _store(path).delete_file(_plain(path))


@contextmanager
def told(path: str) -> Iterator[None]:
    """Turns what a store says inside into an error from outside that names the path."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        said = re.sub(r"\s+", " ", str(error))[:300]
        message = f"'{path}' cannot be reached: {said}"
        hint = "see that the store is up, and that s3.endpoint, s3.region and the keys are right"
        raise VeloError(message, hint=hint, code="store-unreachable") from None


def _store(path: str) -> Any:
    return _known.setdefault(_plain(path).split("/")[0], Store()).filesystem


def _plain(path: str) -> str:
    return path.removeprefix(PREFIX)


def _pattern(plain: str) -> str:
    """A glob as a regular expression: `*` stays within a folder, `**` does not; a prefix means all directly in it."""
    if not re.search(r"[*?\[]", plain):
        return re.escape(plain.rstrip("/")) + r"/[^/]+"
    text = re.escape(plain)
    text = text.replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return re.sub(r"\\\[(!?)(.*?)\\\]", lambda m: f"[{'^' if m[1] else ''}{m[2]}]", text)


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    return True
