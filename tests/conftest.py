"""One Spark for all tests of a run; a module that wants other settings takes a session of its own from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.postgres.server import Database


@pytest.fixture(scope="session")
def one_spark() -> Iterator[SparkSession]:
    from velostream.spark.session import spark_session

    session = spark_session("local[2]")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Database]:
    from tests.postgres.server import Database

    database = Database()
    yield database
    database.close()
