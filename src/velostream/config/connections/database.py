"""How to reach a database."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream.config.kinds import Text
from velostream.config.property import Property
from velostream.config.secrets import masked
from velostream.config.settings import Settings
from velostream.errors import InvalidProperty, VeloError
from velostream.postgres import Server

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


def server_of(name: str, settings: Settings) -> Server:
    """The server that a source or sink names; one that is not PostgreSQL is refused."""
    given = settings.value("url")
    assert given is not None
    url = str(given.value).removeprefix("jdbc:")
    if not url.casefold().startswith("postgres"):
        message = f"'{name}' is at '{given.shown}', and only PostgreSQL can be run"
        hint = "write postgresql://host:5432/database"
        raise VeloError(message, hint=hint, span=given.origin.span, code="unsupported")
    driver = settings.find("driver")
    if driver is not None:
        message = f"'{name}' needs no JDBC driver: PostgreSQL is spoken to without one"
        raise VeloError(message, hint="remove 'driver'", span=driver.origin.span, code="unsupported")
    return Server(url, str(settings.get("username") or ""), str(settings.get("password") or ""), given.shown)
