"""One Spark for all tests of a run; a module that wants other settings takes a session of its own from it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.postgres.server import Database


os.environ.setdefault(
    "SPARK_SUBMIT_OPTS",
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m"
    " -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote",
)
"""Tests run many small jobs: to compile their code well costs the JVM more than it saves. Half of its time is saved so,
also in the processes that tests start. Compiling quickly, it would have place for 48 MB of code, which is full after
100 seconds: from then on nothing is compiled, and at last the JVM ends. To verify the classes of Spark's own jars takes
a tenth of every start."""


settings.register_profile("velostream", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("velostream")
"""How long an example takes says more of what else the machine does."""

LONGEST = (
    *("faults/test_kill.py", "page/test_running.py", "server/test_drivers.py", "faults/test_loading.py"),
    *("api/test_guide.py", "project/test_lint.py", "delta/test_delta.py"),
)
"""They take a minute or more: begun first, they end before the many short ones, and nobody waits for them alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Brings the longest tests to the front."""
    items.sort(key=lambda item: not item.path.as_posix().endswith(LONGEST))


def connector_jars() -> tuple[Path, ...]:
    """The jars of connectors; none where they cannot be had, and then the tests that need them are skipped."""
    from velostream.errors import VeloError
    from velostream.spark.jars import jars_of

    try:
        return jars_of(["kafka_source"])
    except VeloError:
        return ()


@pytest.fixture(scope="session")
def one_spark() -> Iterator[SparkSession]:
    from velostream.spark.session import spark_session

    session = spark_session("local[2]", jars=connector_jars())
    yield session
    session.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Database]:
    from tests.postgres.server import Database

    database = Database()
    yield database
    database.close()
