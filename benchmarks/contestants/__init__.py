"""Who races: Velostream, hand-written PySpark with two kinds of state, DuckDB in batch."""
