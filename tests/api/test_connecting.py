"""What a connection does before Spark is needed: opening, declaring, checking, explaining, registering."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

import velostream
from velostream.api import Local
from velostream.api.findings import InvalidSql
from velostream.errors import VeloError

DECLARED = """
CREATE STREAM trades (symbol STRING, price DECIMAL(12, 4), at TIMESTAMP)
  WITH ('type' = 'file_source', 'path' = 'trades.csv', 'format' = 'csv', 'event.time.field' = 'at');
CREATE TABLE instruments (symbol STRING PRIMARY KEY, sector STRING)
  WITH ('type' = 'file_source', 'path' = 'instruments.csv', 'format' = 'csv');
"""
HEAVY = ("pyspark", "py4j", "polars", "pyarrow", "pandas")


@pytest.fixture
def velo() -> Local:
    opened = velostream.connect()
    opened.sql(DECLARED)
    return opened


def test_importing_the_package_loads_nothing_and_checking_loads_nothing_heavy() -> None:
    program = f"""
import json, sys, velostream
first = sorted(sys.modules)
velo = velostream.connect()
velo.validate({DECLARED!r}).check()
print(json.dumps([first, sorted(sys.modules)]))
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    first, checked = json.loads(said)
    assert [name for name in first if name.startswith("velostream.")] == []
    assert [name for name in HEAVY if name in checked] == []


def test_what_is_declared_holds(velo: Local) -> None:
    assert velo.sql("SHOW STREAMS").rows() == [
        {"name": "trades", "from": "file_source", "columns": "symbol, price, at"}
    ]
    assert velo.sql("DESCRIBE instruments").rows()[0] == {"column": "symbol", "type": "STRING", "about": "key"}
    assert velo.sql("DROP TABLE instruments").message == "'instruments' is dropped"
    assert len(velo.sql("SHOW TABLES")) == 0


def test_findings_are_shown_at_their_places_and_raised_by_what_would_run(velo: Local) -> None:
    found = velo.validate("SELECT pirce FROM trades")
    assert not found
    assert "<python>:1:8" in str(found)
    assert "did you mean 'price'?" in found._repr_html_().replace("&#x27;", "'")
    with pytest.raises(InvalidSql, match="no column 'pirce'") as refusal:
        velo.sql("SELECT pirce FROM trades")
    assert refusal.value.error_code == "unknown-column"
    assert "^^^^^" in str(refusal.value)


def test_a_file_is_checked_by_itself(velo: Local, tmp_path: Path) -> None:
    file = tmp_path / "app.sql"
    file.write_text(DECLARED + "SELECT symbol FROM trades;")
    found = velo.validate(file)
    assert (found.ok, found.statements) == (True, 3)
    file.write_text("SELECT symbol FROM nowhere;")
    assert "app.sql:1" in str(velo.validate(str(file)))
    with pytest.raises(InvalidSql, match="nowhere"):
        velostream.connect(app=file)


def test_a_plan_is_text_data_and_a_picture(velo: Local) -> None:
    query = """SELECT t.symbol, sector, SUM(price) AS total FROM trades t JOIN instruments i ON t.symbol = i.symbol
               GROUP BY t.symbol, sector WINDOW TUMBLING(2s)"""
    plan = velo.explain(query)
    assert "in TUMBLING(2s)" in str(plan)
    bundle = plan._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "image/svg+xml"}
    for said in ("trades", "instruments", "TUMBLING(2s)", "EMIT FINAL", "t.symbol = i.symbol"):
        assert said in bundle["image/svg+xml"]
    assert velo.sql(f"EXPLAIN {query}").columns == ["plan"]


def test_the_plan_of_a_file_has_all_of_its_jobs_or_one(tmp_path: Path) -> None:
    file = tmp_path / "app.sql"
    file.write_text(DECLARED + "-- @name: first\nSELECT symbol FROM trades;\n-- @name: second\nSELECT at FROM trades;")
    velo = velostream.connect(app=file)
    assert [job["name"] for job in velo.explain().jobs] == ["first", "second"]
    assert [job["name"] for job in velo.explain(statement="second").jobs] == ["second"]
    with pytest.raises(VeloError, match="the plan has 2 jobs"):
        velo.explain().svg()


def test_functions_of_a_program_are_known_to_sql_and_may_be_changed(velo: Local) -> None:
    @velo.register
    def twice(value: float) -> float:
        """Two times a value."""
        return 2 * value

    assert twice(2.0) == 4.0
    assert velo.validate("SELECT TWICE(price) AS more FROM trades").ok
    velo.register(twice)

    def net(gross: Decimal) -> Decimal:
        return gross

    with pytest.raises(VeloError, match="nobody says what 'net' returns"):
        velo.register(net)
    velo.register(net, "DECIMAL(12,4)")
    assert velo.sql("SHOW FUNCTIONS LIKE 'net'").rows()[0]["family"] == "python"

    def upper(text: str) -> str:
        return text

    with pytest.raises(VeloError, match="two functions are named 'UPPER'"):
        velo.register(upper)


def test_statements_about_jobs_lead_to_a_server_and_options_to_their_place(velo: Local) -> None:
    with pytest.raises(VeloError, match="answered by a job server"):
        velo.sql("STOP JOB totals")
    with pytest.raises(VeloError, match="'token' says nothing"):
        velostream.connect(token="x")  # type: ignore[call-overload]
    with pytest.raises(VeloError, match="'app' says nothing"):
        velostream.connect("http://127.0.0.1:9", app="x.sql")  # type: ignore[call-overload]
    with pytest.raises(VeloError, match="which application"):
        velo.run()
    with pytest.raises(VeloError, match="no job 'x' was deployed here"):
        velo.job("x")


def test_a_column_is_followed_to_where_it_comes_from(velo: Local) -> None:
    query = """SELECT t.symbol, i.sector, MAX(t.price) AS high FROM trades t JOIN instruments i ON t.symbol = i.symbol
        GROUP BY t.symbol, i.sector WINDOW TUMBLING(1m) INTO out WITH ('out.type' = 'memory_sink')"""
    lineage = velo.lineage(query)
    assert lineage.origins("OUT", "high") == ["trades.price"]
    assert "out.sector comes from instruments.sector" in str(lineage)
    assert "<td" in lineage._repr_html_()
    with pytest.raises(VeloError, match="'out' has no column 'hihg'") as refusal:
        lineage.origins("out", "hihg")
    assert "high" in refusal.value.hint
    with pytest.raises(VeloError, match="nothing here is named 'nowhere'"):
        lineage.origins("nowhere", "high")


@pytest.mark.parametrize("text", ["", "  ;; ", "-- nothing yet"])
def test_a_text_without_a_statement_is_refused_as_that_whatever_was_said_before(velo: Local, text: str) -> None:
    with pytest.raises(VeloError, match="no statement in the text") as refusal:
        velo.sql(text)
    assert refusal.value.error_code == "empty"
    with pytest.raises(InvalidSql):
        velo.sql("'")
