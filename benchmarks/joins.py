"""The scenarios of joins: a stream with tables, small, large and three at once, and a stream with a stream."""

from __future__ import annotations

from benchmarks.datasets import trades
from benchmarks.references import SECTORS, Reference
from benchmarks.scenario import DUCKDB, MEMORY, ROCKSDB, VELO, Scenario

_SMALL, _LARGE = 50_000, 5_000_000
_ENRICHED = """SELECT t.symbol, t.price * i.lot AS amount, i.sector, t.traded_at
FROM trades t LEFT JOIN instruments i ON t.symbol = i.symbol"""
_THREE = """SELECT t.symbol, t.price * i.lot * f.fee * d.weight AS amount, i.sector, d.desk, t.traded_at
FROM trades t LEFT JOIN instruments i ON t.symbol = i.symbol
    LEFT JOIN fees f ON t.quantity = f.quantity LEFT JOIN desks d ON i.sector = d.sector"""
_NEAR = "q.traded_at BETWEEN t.traded_at - INTERVAL '5' SECONDS AND t.traded_at + INTERVAL '5' SECONDS"
_MET = "SELECT t.symbol AS symbol, t.price AS price, q.quantity AS quantity, t.traded_at AS at"
_PAIRED = f"{_MET} FROM trades t JOIN quotes q ON t.symbol = q.symbol AND {_NEAR}"
_AMOUNTS = {"rows": "count(*)", "enriched": "count(sector)", "amount": "sum(amount)"}
_PAIRS = {"rows": "count(*)", "prices": "sum(price)", "quantities": "sum(quantity)"}


def _instruments(name: str, title: str, rows: int, share: int, floor: int = 0) -> Scenario:
    """A stream whose keys are those of a table and a twentieth more, which find nothing."""
    return Scenario(
        name,
        title,
        lambda n: trades(n // share, rows * 20 // 19),
        _ENRICHED,
        "enriched",
        _ENRICHED,
        _AMOUNTS,
        _AMOUNTS,
        floor=floor,
        aims={MEMORY: 1.0},
        contestants=(VELO, MEMORY, DUCKDB),
        tables=(Reference("instruments", rows),),
    )


JOINS: tuple[Scenario, ...] = (
    _instruments("J1", "stream with a table of 50,000 rows", _SMALL, 1, floor=100_000),
    _instruments("J2", "stream with a table of 5,000,000 rows", _LARGE, 1),
    Scenario(
        "J3",
        "stream with three tables in one query",
        lambda n: trades(n, _SMALL * 20 // 19),
        _THREE,
        "three_tables",
        _THREE,
        _AMOUNTS,
        _AMOUNTS,
        floor=50_000,
        aims={MEMORY: 1.0},
        contestants=(VELO, MEMORY, DUCKDB),
        tables=(
            Reference("instruments", _SMALL),
            Reference("fees", 100, "quantity"),
            Reference("desks", SECTORS, "sector"),
        ),
    ),
    Scenario(
        "J4",
        "stream with a stream, within 5 s, a quarter as many keys as records of each side",
        lambda n: trades(n // 4, max(10, n // 16)),
        _PAIRED,
        "paired",
        _PAIRED,
        _PAIRS,
        _PAIRS,
        source={"watermark.max_out_of_orderness": "5s"},
        aims={ROCKSDB: 1.0},
        streams=("trades", "quotes"),
    ),
)
