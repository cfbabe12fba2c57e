"""Dead letters in a topic: the message as it came, once."""

from pathlib import Path
from typing import Any

import pytest
from tests.kafka.cluster import Cluster
from tests.sinks.test_letter_stores import check, some

from velostream.errors import VeloError
from velostream.sinks.letters import store_of


def test_letters_are_messages_with_the_headers_that_came_and_one_more(cluster: Cluster, tmp_path: Path) -> None:
    topic = cluster.topic("dead")
    store: Any = store_of(f"kafka://{cluster.address}/{topic}", "job", tmp_path, tmp_path)
    check(store)
    fresh: Any = store_of(f"kafka://{cluster.address}/{topic}", "job", tmp_path, tmp_path)
    fresh.write("query-one", 1, some())
    assert len(list(fresh.read())) == 3
    with pytest.raises(VeloError, match="one by one"):
        fresh.purge({next(fresh.read())["id"]})
    assert fresh.purge({one["id"] for one in fresh.read()}) == 3
    assert list(fresh.read()) == []
