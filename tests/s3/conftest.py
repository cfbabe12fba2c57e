"""One store for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.s3.server import ObjectStore


@pytest.fixture(scope="session")
def s3() -> Iterator[ObjectStore]:
    store = ObjectStore()
    yield store
    store.close()
