"""One web server for the tests of this folder, as new for each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.http.serving import Web


@pytest.fixture(scope="session")
def one_web() -> Iterator[Web]:
    web = Web()
    yield web
    web.close()


@pytest.fixture
def web(one_web: Web) -> Web:
    one_web.state(answer="[]", log=[], failures=0, delay=0)
    return one_web
