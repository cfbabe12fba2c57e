"""The rows that the examples of aggregates and window functions run on, so that a reader can follow their results."""

COLUMNS = ("symbol STRING", "price DECIMAL(10,2)", "quantity INT", "is_buy BOOLEAN", "trade_time TIMESTAMP")

ROWS = (
    ("'AAPL'", "10.50", "3", "TRUE", "TIMESTAMP '2024-05-01 09:00:00'"),
    ("'AAPL'", "11.00", "1", "FALSE", "TIMESTAMP '2024-05-01 09:00:10'"),
    ("'MSFT'", "20.00", "2", "TRUE", "TIMESTAMP '2024-05-01 09:00:20'"),
    ("'AAPL'", "12.50", "NULL", "TRUE", "TIMESTAMP '2024-05-01 09:00:30'"),
)


def sample() -> str:
    """The rows as a SELECT that Spark can run."""
    names = ", ".join(column.split()[0] for column in COLUMNS)
    typed = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, kind in (column.split() for column in COLUMNS))
    values = ", ".join(f"({', '.join(row)})" for row in ROWS)
    return f"SELECT {typed} FROM VALUES {values} AS t({names})"
