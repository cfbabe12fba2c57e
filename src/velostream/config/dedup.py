"""Deduplication (`dedup.*`): the first record of a key counts."""

from velostream.config.kinds import Duration, Names
from velostream.config.property import Property, Scope

DEDUP = (
    Property(
        "dedup.key",
        Names(),
        "columns that make a record a duplicate where an earlier one has the same; NULL is never a duplicate",
        "order_id",
        scopes=(Scope.SOURCE,),
    ),
    Property(
        "dedup.ttl",
        Duration(positive=True),
        "for how long, in event time, keys are remembered",
        "1h",
        scopes=(Scope.SOURCE,),
    ),
)
