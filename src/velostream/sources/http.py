"""HTTP as a source: an address that is polled (`url`), or one that is listened at (`listen`)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream.config.connections.http import HEADERS, TIMEOUT, WebUrl
from velostream.config.connections.json_path import JsonPath
from velostream.config.connections.waiting import waiting
from velostream.config.kinds import Duration
from velostream.config.property import Property
from velostream.errors import InvalidProperty
from velostream.formats import FORMATS
from velostream.formats.base import format_property
from velostream.sources.base import Extent, Source, always

_FORMATS = tuple(FORMATS[name] for name in ("json", "jsonl", "csv", "string", "bytes"))


@dataclass(frozen=True, slots=True)
class Listen:
    """`host:port/path`, to listen at."""

    name: str = "address"

    def parse(self, text: str) -> object:
        """The text."""
        match = re.fullmatch(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]):([0-9]{1,5})(/\S*)?", text.strip())
        if match is None or int(match[2]) > 65535:
            raise InvalidProperty(f"'{text}' is not an address to listen at", hint="write 127.0.0.1:8085/events")
        return text.strip()


HTTP_SOURCE = Source(
    name="http_source",
    doc="an address that is polled, or a webhook that stores what it gets before it answers",
    options=(
        Property(
            "url",
            WebUrl(),
            "the address to poll; what did not change (ETag) is not read again",
            "https://example.org/quotes",
        ),
        Property("listen", Listen(), "the address to listen at, as a webhook", "127.0.0.1:8085/events"),
        Property("poll.interval", Duration(positive=True), "how often to poll", "10s", default="10s"),
        Property(
            "records.path",
            JsonPath(),
            "the JSON path to the records, where they are not the whole answer",
            "$.data.items",
        ),
        TIMEOUT,
        format_property(_FORMATS, default="json"),
        *waiting("http"),
    ),
    extent=always(Extent.UNBOUNDED),
    formats=_FORMATS,
    families=(HEADERS,),
    one_of=(("url", "listen"),),
    aliases=("http", "webhook"),
    system="http",
    columns=("_partition", "_offset"),
)
