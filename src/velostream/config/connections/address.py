"""Addresses in place of names: `'kafka://host:9092/topic?format=json'`, `'file:///d/*.csv'`, `'s3://…'`, `'https://…'`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from velostream.config.secrets import masked
from velostream.errors import InvalidProperty
from velostream.registry import did_you_mean

SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".avro": "avro",
    ".txt": "string",
}
COMPRESSIONS = (".gz", ".bz2", ".zst", ".xz", ".lz4")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_QUERY = re.compile(r"\?(?=[A-Za-z_][A-Za-z0-9_.-]*=)")
_SCHEMES = ("kafka", "file", "s3", "s3a", "http", "https")
_HINT = "write kafka://host:9092/topic, file:///folder/*.csv, s3://bucket/folder/*.parquet or https://host/path"


@dataclass(frozen=True, slots=True)
class Address:
    """What an address says: the system (`kafka`, `file`, `s3`, `http`), settings, and a name to call it by."""

    system: str
    settings: tuple[tuple[str, str], ...]
    name: str


def is_address(text: str) -> bool:
    """True where a quoted text in FROM or INTO is an address or the path of a file, not a name."""
    return bool(_SCHEME.fullmatch(text)) or format_of(text) is not None


def format_of(path: str) -> str | None:
    """The format that the ending of a path tells, below the ending of a compression."""
    plain = path.casefold()
    for ending in COMPRESSIONS:
        plain = plain.removesuffix(ending)
    return next((name for suffix, name in SUFFIXES.items() if plain.endswith(suffix)), None)


def read_address(text: str) -> Address:
    """What an address says, or an error that shows how one is written."""
    match = _SCHEME.fullmatch(text.strip())
    if match is None:
        if format_of(text) is None:
            raise InvalidProperty(f"'{text}' is neither an address nor the path of a data file", hint=_HINT)
        return _file("file", text.strip(), "")
    scheme, rest = match[1].casefold(), match[2]
    if scheme not in _SCHEMES:
        hint = f"{did_you_mean(scheme, _SCHEMES)} {_HINT}".strip()
        raise InvalidProperty(f"'{scheme}://' is not a kind of address that can be read or written", hint=hint)
    if scheme in ("http", "https"):
        return _web(text.strip(), rest)
    path, *query = _QUERY.split(rest, maxsplit=1)
    if not path.strip("/"):
        raise InvalidProperty(f"'{text}' names nothing", hint=_HINT)
    if scheme == "kafka":
        return _kafka(text, path, "".join(query))
    if scheme == "file":
        return _file("file", unquote(path), "".join(query))
    return _file("s3", f"s3://{path}", "".join(query))


def _kafka(text: str, rest: str, query: str) -> Address:
    servers, _, topic = rest.partition("/")
    topic = topic.strip("/")
    if not servers or not topic:
        hint = "write kafka://host:9092/topic"
        raise InvalidProperty(f"'{masked('url', text)}' needs brokers and a topic", hint=hint)
    settings = (("bootstrap.servers", servers), ("topic", unquote(topic)), *_settings(query))
    return Address("kafka", settings, _name(topic))


def _file(system: str, path: str, query: str) -> Address:
    settings = [("path", path)]
    given = _settings(query)
    format_name = format_of(path)
    if format_name and not any(key == "format" for key, _ in given):
        settings.append(("format", format_name))
    return Address(system, (*settings, *given), _name(path))


def _web(url: str, rest: str) -> Address:
    # What follows the question mark of a web address belongs to the address itself.
    path = re.split(r"[?#]", rest, maxsplit=1)[0]
    if not path.strip("/"):
        raise InvalidProperty(f"'{url}' names no host", hint=_HINT)
    settings = [("url", url)]
    format_name = format_of(path)
    if format_name:
        settings.append(("format", format_name))
    return Address("http", tuple(settings), _name(path))


def _settings(query: str) -> tuple[tuple[str, str], ...]:
    pairs = [part.partition("=") for part in query.split("&") if part]
    for key, equals, _ in pairs:
        if not equals or not key:
            raise InvalidProperty(f"'{key}' has no value in the address", hint="write ?key=value&key=value")
    return tuple((unquote(key), unquote(value)) for key, _, value in pairs)


def _name(path: str) -> str:
    """A name made from the last part of a path that has letters: `trades` of `/data/trades/*.csv`."""
    for part in reversed(path.split("/")):
        stem = part.split(".")[0] if format_of(part) else part
        name = re.sub(r"\W+", "_", stem).strip("_")
        if name and not name.isdigit():
            return name
    return "source"
