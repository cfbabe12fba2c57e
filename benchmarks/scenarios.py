"""The scenarios of `make bench`, and the comparisons between them."""

from __future__ import annotations

from benchmarks.datasets import partitioned, retained, sessions, trades
from benchmarks.joins import JOINS
from benchmarks.scenario import DUCKDB, MEMORY, ROCKSDB, VELO, Comparison, Scenario

_GROUPS = 5_000
_WINDOWED = "symbol, _window_start AS w, COUNT(*) AS n, SUM(quantity) AS total, AVG(price) AS mean"
_BATCH_WINDOWED = """SELECT symbol, time_bucket(INTERVAL 1 MINUTE, traded_at) AS w, count(*) AS n,
    sum(quantity) AS total, avg(price) AS mean FROM trades GROUP BY 1, 2"""
_FIVE = "symbol, COUNT(*) AS n, SUM(quantity) AS total, AVG(price) AS mean, MIN(price) AS least, MAX(price) AS most"
_BATCH_FIVE = """SELECT symbol, count(*) AS n, sum(quantity) AS total, avg(price) AS mean, min(price) AS least,
    max(price) AS most FROM trades GROUP BY 1"""
_SUMS = {"rows": "count(*)", "records": "sum(n)", "total": "sum(total)", "means": "sum(mean)"}
_RUNNING = {"rows": "count(*)", "counts": "sum(n)", "total": "sum(total)"}
_LAST = {"changed_rows": "count(*)", "counts": "sum(n)", "total": "sum(total)"}
_TUMBLING = f"SELECT {_WINDOWED} FROM trades GROUP BY symbol WINDOW TUMBLING(1m)"
_OUT_OF_ORDER = {"watermark.max_out_of_orderness": "5s"}
_BY_BATCH = {"emit.granularity": "batch"}
_KEYED = "SELECT symbol, COUNT(*) AS n, SUM(quantity) AS total FROM trades GROUP BY symbol EMIT CHANGES"


def _s3(name: str, title: str, **more: object) -> Scenario:
    whole: dict[str, object] = {
        "data": lambda n: trades(n, _GROUPS),
        "select": f"{_TUMBLING} EMIT FINAL",
        "peer": "tumbling",
        "batch": _BATCH_WINDOWED,
        "print_of": _SUMS,
        "batch_print": _SUMS,
        "source": _OUT_OF_ORDER,
    }
    return Scenario(name, title, **{**whole, **more})  # type: ignore[arg-type]


def _size(name: str, title: str, share: float) -> Scenario:
    """The same query over more or fewer batches of the same size."""
    batches = int(20 * share)
    data = lambda n: trades(int(n * share), _GROUPS, minutes=max(1, batches), batches=batches)  # noqa: E731
    return _s3(name, title, data=data, contestants=(VELO, ROCKSDB))


def _keys(name: str, title: str, divisor: int) -> Scenario:
    return Scenario(
        name,
        title,
        lambda n: retained(max(100, n // divisor)),
        _KEYED,
        "keyed",
        "SELECT symbol, count(*) AS n, sum(quantity) AS total FROM trades GROUP BY 1",
        _LAST,
        job=_BY_BATCH,
        contestants=(VELO, ROCKSDB, MEMORY),
    )


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "S0",
        "filter and expression, no state",
        lambda n: trades(n, _GROUPS),
        "SELECT symbol, price * quantity AS amount, traded_at FROM trades WHERE quantity > 50",
        "stateless",
        "SELECT symbol, price * quantity AS amount, traded_at FROM trades WHERE quantity > 50",
        {"rows": "count(*)", "amount": "sum(amount)"},
        {"rows": "count(*)", "amount": "sum(amount)"},
        aims={MEMORY: 0.95},
        contestants=(VELO, MEMORY, DUCKDB),
    ),
    Scenario(
        "S1",
        "row window: 10 keys, buffer 100, moving average",
        lambda n: trades(n, 10, disorder=0),
        """SELECT symbol, traded_at,
            AVG(price) OVER (ROWS WINDOW BUFFER 100 ROWS PARTITION BY symbol ORDER BY traded_at) AS mean
        FROM trades""",
        "moving",
        """SELECT symbol, traded_at, avg(price) OVER (PARTITION BY symbol ORDER BY traded_at
            ROWS BETWEEN 99 PRECEDING AND CURRENT ROW) AS mean FROM trades""",
        {"rows": "count(*)", "means": "sum(mean)"},
        {"rows": "count(*)", "means": "sum(mean)"},
    ),
    Scenario(
        "S2",
        "GROUP BY: 200 keys, 5 aggregates, a change per record",
        lambda n: trades(n // 4, 200),
        f"SELECT {_FIVE} FROM trades GROUP BY symbol EMIT CHANGES",
        "running_keys",
        """SELECT symbol, count(*) OVER w AS n, sum(quantity) OVER w AS total, avg(price) OVER w AS mean,
            min(price) OVER w AS least, max(price) OVER w AS most FROM trades
            WINDOW w AS (PARTITION BY symbol ORDER BY traded_at)""",
        {**_RUNNING, "means": "sum(mean)", "extremes": "sum(least) + sum(most)"},
        {"rows": "count(*)", "counts": "sum(n)"},
    ),
    Scenario(
        "S2b",
        "the same, the newest values of each batch",
        lambda n: trades(n, 200),
        f"SELECT {_FIVE} FROM trades GROUP BY symbol EMIT CHANGES",
        "keys",
        _BATCH_FIVE,
        {**_LAST, "extremes": "sum(least) + sum(most)"},
        job=_BY_BATCH,
    ),
    _s3("S3a", "tumbling 1 min, 5,000 groups per window, FINAL", floor=190_000, holds=True, aims={ROCKSDB: 2.0}),
    _s3(
        "S3w",
        "the same with four times the records, in as many micro-batches",
        data=lambda n: trades(4 * n, _GROUPS),
        aims={ROCKSDB: 2.0},
        contestants=(VELO, ROCKSDB, MEMORY),
    ),
    _s3(
        "S3d",
        "the same as S3w in two micro-batches, which the aim was taken from",
        data=lambda n: trades(4 * n, _GROUPS, batches=2),
        aims={ROCKSDB: 2.0},
        contestants=(VELO, ROCKSDB, MEMORY),
    ),
    _s3(
        "S3r",
        "the same, rows through Spark (scan.in_worker = never)",
        job={"scan.in_worker": "never"},
        aims={ROCKSDB: 1.0},
        contestants=(VELO, ROCKSDB, MEMORY),
    ),
    _s3(
        "S3k",
        "the same from Kafka (JSON) to Kafka (JSON)",
        data=lambda n: trades(n // 4, _GROUPS),
        aims={ROCKSDB: 1.0},
        contestants=(VELO, ROCKSDB),
        kafka=True,
    ),
    _s3(
        "S3b",
        "the same with CHANGES by record",
        data=lambda n: trades(n // 4, _GROUPS),
        select=f"{_TUMBLING} EMIT CHANGES",
        peer="running_windows",
        batch="""SELECT symbol, time_bucket(INTERVAL 1 MINUTE, traded_at) AS w, count(*) OVER o AS n,
            sum(quantity) OVER o AS total, avg(price) OVER o AS mean FROM trades
            WINDOW o AS (PARTITION BY symbol, time_bucket(INTERVAL 1 MINUTE, traded_at) ORDER BY traded_at)""",
        print_of={**_RUNNING, "means": "sum(mean)"},
        batch_print={"rows": "count(*)", "counts": "sum(n)"},
        floor=80_000,
    ),
    _s3(
        "S3c",
        "the same with CHANGES by batch",
        select=f"{_TUMBLING} EMIT CHANGES",
        peer="tumbling_changes",
        print_of=_LAST,
        batch_print={},
        job=_BY_BATCH,
    ),
    _s3(
        "S3p",
        "S3a with the partitions one after another",
        data=lambda n: partitioned(n, _GROUPS),
        source={**_OUT_OF_ORDER, "partition.by": "file"},
        delay="5 days",
        floor=190_000,
        holds=True,
    ),
    _s3(
        "S4",
        "sliding 15 min by 1 min, 500 keys",
        data=lambda n: trades(n // 4, 500, per_minute=20_000, minutes=30),
        select=f"SELECT {_WINDOWED} FROM trades GROUP BY symbol WINDOW SLIDING(15m, 1m) EMIT FINAL",
        peer="sliding",
        batch="""WITH panes AS (SELECT symbol, time_bucket(INTERVAL 1 MINUTE, traded_at) AS p, count(*) AS n,
                sum(quantity) AS total, sum(price) AS amount FROM trades GROUP BY 1, 2)
            SELECT symbol, p - INTERVAL 1 MINUTE * k AS w, sum(n) AS n, sum(total) AS total,
                sum(amount) / sum(n) AS mean
            FROM panes, range(15) AS shifted(k) GROUP BY 1, 2""",
        floor=40_000,
    ),
    _s3(
        "S5",
        "sessions, gap 30 min, a tenth merged by a record 6 hours behind",
        data=lambda n: sessions(n // 4),
        select=f"SELECT {_WINDOWED} FROM trades GROUP BY symbol WINDOW SESSION(30m) EMIT FINAL",
        peer="session",
        batch="""WITH begun AS (SELECT *, traded_at - lag(traded_at) OVER o >= INTERVAL 30 MINUTE AS b FROM trades
                WINDOW o AS (PARTITION BY symbol ORDER BY traded_at)),
            numbered AS (SELECT *, count(*) FILTER (b) OVER o AS session FROM begun
                WINDOW o AS (PARTITION BY symbol ORDER BY traded_at))
            SELECT symbol, min(traded_at) AS w, count(*) AS n, sum(quantity) AS total, avg(price) AS mean FROM numbered
            GROUP BY symbol, session""",
        source={"watermark.max_out_of_orderness": "8h"},
        delay="8 hours",
        floor=30_000,
        holds=True,
    ),
    _size("G1", "S3a with a quarter of the records", 0.25),
    _size("G10", "S3a with ten times those records", 2.5),
    _keys("K1", "10,000 records per batch, few keys retained", 400),
    _keys("K100", "10,000 records per batch, 100 times the keys retained", 4),
    *JOINS,
)

COMPARISONS: tuple[Comparison, ...] = (
    Comparison("batched", "partitions one after another / in order of time", "S3p", "S3a", "rate", least=0.9),
    Comparison("growth", "ten times the records / the rate of a tenth", "G10", "G1", "steady", least=0.95),
    Comparison("retained", "cost of a batch, 100 times the keys retained / few", "K100", "K1", "batch_ms", most=2.0),
)
