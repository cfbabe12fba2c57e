"""Questions and applications in this process, on one Spark."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import velostream
from velostream.errors import VeloError
from velostream.jobs.holding import held

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DECLARED = """
CREATE STREAM trades (symbol STRING, price DECIMAL(12, 4), at TIMESTAMP)
  WITH ('type' = 'file_source', 'path' = '{folder}/trades.csv', 'format' = 'csv', 'event.time.field' = 'at');
CREATE TABLE instruments (symbol STRING PRIMARY KEY, sector STRING)
  WITH ('type' = 'file_source', 'path' = '{folder}/instruments.csv', 'format' = 'csv');
CREATE STREAM ticks (customer STRING, amount BIGINT, at TIMESTAMP)
  WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
"""
APP = """-- SQL Application: shop
CREATE STREAM ticks (customer STRING, amount BIGINT, at TIMESTAMP)
  WITH ('type' = 'datagen_source', 'event.time.field' = 'at');
-- @name: copied
SELECT customer, amount FROM ticks INTO copies WITH ('copies.type' = 'memory_sink');
"""


def until(reached: Callable[[], object], seconds: float = 120.0) -> None:
    ends = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < ends, "it did not come about in time"
        time.sleep(0.1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = ["A,1,2026-01-01T00:00:00Z", "B,2,2026-01-01T00:00:01Z", "A,3,2026-01-01T00:00:02Z"]
    (tmp_path / "trades.csv").write_text("symbol,price,at\n" + "\n".join(rows) + "\n")
    (tmp_path / "instruments.csv").write_text("symbol,sector\nA,tech\nB,food\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_questions_are_answered_as_frames_rows_and_streams(
    one_spark: SparkSession, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with velostream.connect(master="local[2]") as velo:
        velo.sql(DECLARED.format(folder=folder))

        @velo.register
        def twice(value: int) -> int:
            return 2 * value

        # Over a stream that ends: typed rows, in whichever frame is wanted, and a report that adds up
        result = velo.sql("SELECT symbol, price, TWICE(CAST(price AS BIGINT)) AS more, at FROM trades")
        first = {"symbol": "A", "price": Decimal("1.0000"), "more": 2, "at": datetime(2026, 1, 1, tzinfo=UTC)}
        assert result.rows()[0] == first
        assert list(result.pandas()["more"]) == [2, 4, 6]
        assert result.polars()["symbol"].to_list() == ["A", "B", "A"]
        assert str(result.arrow().schema.field("price").type) == "decimal128(12, 4)"
        assert result.spark().count() == 3
        assert result.report["jobs"][0]["records"]["in_results"] == 3
        assert "(3 rows)" in repr(result)
        assert result._repr_html_().count("<tr>") == 4

        # Records that cannot be in it are said
        fewer = velo.sql("SELECT 1 / CAST(price - 2 AS INT) AS part FROM trades")
        assert fewer.dead_lettered == {"bad_value": 1}
        assert repr(fewer).endswith("(2 rows; dead letters: 1 bad_value)")
        assert any("1 bad_value" in record.getMessage() for record in caplog.records)

        # Over tables: loaded for the question, and by key
        assert len(velo.sql("SELECT * FROM instruments WHERE sector = 'food'")) == 1
        assert velo.lookup("instruments", "A") == {"symbol": "A", "sector": "tech"}
        assert velo.lookup("INSTRUMENTS", "nobody") is None
        with pytest.raises(VeloError, match="is not a key of table 'instruments'"):
            velo.lookup("instruments", "A", "B")

        # Over a stream that does not end: as they come, until somebody stops
        with pytest.raises(VeloError, match="has no end"):
            velo.sql("SELECT * FROM ticks")
        with velo.follow("SELECT customer, amount FROM ticks") as stream:
            assert set(next(stream)) == {"customer", "amount"}
            assert len(stream.take(5)) == 5
            assert stream.running
        assert not stream.running
        assert stream.take().columns == ["customer", "amount"]


def test_an_application_runs_in_the_background_and_does_what_it_is_told(one_spark: SparkSession, folder: Path) -> None:
    file = folder / "shop.sql"
    file.write_text(APP)
    with velostream.connect(app=file, master="local[2]") as velo:
        app = velo.deploy()
        until(lambda: app.runner.jobs and app.job("copied").status().read > 0)
        job = velo.job("copied")
        assert (app.state, job.state) == ("running", "running")
        with pytest.raises(VeloError, match="runs already"):
            velo.deploy()
        with velostream.connect(app=file) as other, pytest.raises(VeloError, match="another application of this pro"):
            other.run(duration="1s")
        assert job.pause().state == "paused"
        assert app.state == "paused"
        read = job.status().read
        assert job.resume().state == "running"
        until(lambda: job.status().read > read)
        assert "copied" in velo.jobs()._repr_html_()
        assert "<svg" in job.plan().svg()
        app.stop()
        assert app.state == "stopped"
        with held(app.runner.checkpoint):  # which is free again
            pass
        with pytest.raises(VeloError, match="'shop' is stopped"):
            job.pause()
        assert len(app.result("copies")) == app.report()["jobs"][0]["records"]["in_results"] > 0
        with pytest.raises(VeloError, match="no sink in memory 'elsewhere'"):
            app.result("elsewhere")
