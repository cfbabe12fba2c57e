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
    ids = {one["id"] for one in fresh.read()}
    other: Any = store_of(f"kafka://{cluster.address}/{topic}", "other", tmp_path, tmp_path)
    other.write("query-two", 0, some())
    with pytest.raises(VeloError, match="not of this job"):
        fresh.purge(ids)
    assert (len(list(fresh.read())), len(list(other.read()))) == (3, 2), "those of another job are not taken along"
    alone: Any = store_of(f"kafka://{cluster.address}/{cluster.topic('alone')}", "job", tmp_path, tmp_path)
    alone.write("query-one", 0, some())
    assert alone.purge({one["id"] for one in alone.read()}) == 2
    assert list(alone.read()) == []
    nowhere: Any = store_of(f"kafka://{cluster.address}/{topic}-nowhere", "job", tmp_path, tmp_path)
    assert list(nowhere.read()) == []
