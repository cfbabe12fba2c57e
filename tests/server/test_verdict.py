"""The verdict of a deployment: what it says of sources that somebody else would read from now on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.server.conftest import SQL

from velostream.errors import VeloError
from velostream.server.deploying import Wish, deploy, judged
from velostream.server.plane import Plane
from velostream.server.planning import planned
from velostream.server.verdict import judge

PLAIN = SQL.replace("'datagen_source'", "'file_source', 'orders.path' = 'in', 'orders.format' = 'jsonl'").replace(
    "SUM(amount) AS total FROM orders GROUP BY customer WINDOW TUMBLING(2s)", "amount FROM orders"
)
PLACED = PLAIN.replace("amount FROM", "amount, _offset FROM")


def sparks(state: Path) -> None:
    """Spark's own source has taken files for the job."""
    taken = state / "totals" / "spark" / "sources" / "source_orders"
    taken.mkdir(parents=True)
    (taken / "0").write_text("v1\n")


def test_files_that_spark_has_begun_to_read_stay_sparks(plane: Plane) -> None:
    first = deploy(plane.control, Wish("shop", PLAIN, "1"))
    wish = Wish("shop", PLACED, "2")
    assert judged(plane.control, wish).accepted
    sparks(plane.folders.state("shop", first.state))
    answer = judged(plane.control, wish)
    assert not answer.accepted
    told = "totals source orders: was read by Spark, would be read by Velostream: Spark's source has no _offset"
    assert f"lost  {told}" in str(answer.verdict)
    with pytest.raises(VeloError, match="does not fit the new version") as caught:
        deploy(plane.control, wish)
    assert caught.value.error_code == "state-mismatch"
    assert judged(plane.control, Wish("shop", PLACED, "2", fresh=True)).accepted


def test_files_that_velostream_has_begun_to_read_stay_its_own(tmp_path: Path) -> None:
    old, new = (planned(sql, "shop", tmp_path).plan for sql in (PLACED, PLAIN))
    assert judge(old, new, tmp_path / "state").compatible
