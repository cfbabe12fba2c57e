"""The Spark session of a test run: one for all cases, begun by the first that runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Session = Callable[[], "SparkSession"]
"""Asked for a session by the first case that runs; cases that are only checked need none."""


def session_at(master: str) -> Session:
    """The session at a master."""

    @cache
    def session() -> SparkSession:
        from velostream.spark.session import spark_session

        return spark_session(master)

    return session
