"""How to reach a database."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream.config.kinds import Text
from velostream.config.property import Property
from velostream.config.secrets import masked
from velostream.errors import InvalidProperty

_URL = re.compile(r"(postgres(ql)?|jdbc:[a-z0-9]+):(//)?[^\s]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DatabaseUrl:
    """`postgresql://host:5432/database`, or a JDBC address."""

    name: str = "URL"

    def parse(self, text: str) -> object:
        """The text."""
        if not _URL.fullmatch(text.strip()):
            shown = masked("url", text)
            hint = "write postgresql://host:5432/database or jdbc:mysql://host:3306/database"
            raise InvalidProperty(f"'{shown}' is not the address of a database", hint=hint)
        return text.strip()


DATABASE = (
    Property("url", DatabaseUrl(), "the database", "postgresql://localhost:5432/shop", required=True),
    Property("username", Text(), "who logs in", "velo", aliases=("user",)),
    Property("password", Text(), "with which password", "${DB_PASSWORD}", secret=True),
    Property(
        "driver", Text("class"), "the JDBC driver's class, where it is not PostgreSQL", "com.mysql.cj.jdbc.Driver"
    ),
)
