"""Velostream: streaming SQL on Apache Spark, with event time done right.

import velostream

velo = velostream.connect()
velo.sql("SELECT 1 AS one").pandas()
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from velostream.api import connect as connect

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """`connect`, loaded when it is first asked for: checking a file needs nothing of it."""
    if name == "connect":
        from velostream.api import connect

        return connect
    raise AttributeError(f"module 'velostream' has no attribute '{name}'")
