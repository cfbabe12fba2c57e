"""How to speak to an HTTP address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream.config.kinds import Duration
from velostream.config.property import Family, Property
from velostream.config.secrets import masked
from velostream.errors import InvalidProperty


@dataclass(frozen=True, slots=True)
class WebUrl:
    """`https://host/path` or `http://host/path`."""

    name: str = "URL"

    def parse(self, text: str) -> object:
        """The text."""
        if not re.fullmatch(r"https?://[^\s/?#]+\S*", text.strip(), re.IGNORECASE):
            raise InvalidProperty(
                f"'{masked('url', text)}' is not an address of the web", hint="write https://host/path"
            )
        return text.strip()


TIMEOUT = Property(
    "timeout",
    Duration(positive=True),
    "how long to wait for an answer",
    "10s",
    default="30s",
    aliases=("http.timeout",),
)

HEADERS = Family("headers.", "headers of the requests", ("headers.Authorization", "Bearer ${API_TOKEN}"))
