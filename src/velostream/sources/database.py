"""A database as a source: all rows of a table or query, then what is new by a column that only grows."""

from __future__ import annotations

from velostream.config.connections.database import DATABASE
from velostream.config.connections.waiting import waiting
from velostream.config.kinds import Duration, Integer, Text
from velostream.config.property import Property
from velostream.config.rule import Needs
from velostream.config.settings import Settings
from velostream.sources.base import Extent, Source


def _extent(settings: Settings) -> Extent:
    """Without a column that tells what is new, there is nothing to go on with."""
    return Extent.EITHER if "incremental.column" in settings else Extent.BOUNDED


DATABASE_SOURCE = Source(
    name="database_source",
    doc="a table or query of PostgreSQL or another database",
    options=(
        *DATABASE,
        Property("table", Text(), "the table", "public.orders", aliases=("table-name",)),
        Property("query", Text("SQL"), "a query instead of a table", "SELECT id, total FROM orders WHERE total > 0"),
        Property(
            "incremental.column",
            Text("column"),
            "a time or an id that only grows: rows beyond the largest one seen are new",
            "updated_at",
        ),
        Property("poll.interval", Duration(positive=True), "how often to ask for new rows", "10s", default="10s"),
        Property(
            "fetch.size",
            Integer(least=1),
            "how many rows are fetched at a time",
            "10_000",
            default="10_000",
            aliases=("scan.fetch-size",),
        ),
        *waiting("database"),
    ),
    extent=_extent,
    one_of=(("table", "query"),),
    rules=(Needs("poll.interval", "incremental.column", written=True),),
    aliases=("database", "jdbc", "postgres", "postgresql"),
    columns=("_partition", "_offset"),
)
