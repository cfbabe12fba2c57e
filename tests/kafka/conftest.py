"""The broker of the test run."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from tests.conftest import connector_jars
from tests.kafka.cluster import Cluster, shared


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    if not connector_jars():
        pytest.skip("the jars of Spark's Kafka connector cannot be had")
    base = tmp_path_factory.getbasetemp()
    with shared((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kafka") as found:
        yield found
