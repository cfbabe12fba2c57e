"""The words of the dialect: the few that are reserved, and the many that it adds without reserving them."""

from __future__ import annotations

RESERVED: frozenset[str] = frozenset(
    """
    ALL AND ANY AS BETWEEN BY CASE CREATE CROSS DISTINCT DIV ELSE END ESCAPE EXCEPT EXISTS FALSE FROM FULL GROUP HAVING
    ILIKE IN INNER INSERT INTERSECT INTO IS JOIN LATERAL LEFT LIKE LIMIT NATURAL NOT NULL ON OR ORDER OUTER REGEXP RIGHT
    RLIKE SELECT SOME THEN TRUE UNION USING VALUES WHEN WHERE WITH
    """.split()
)
"""Words that are a name only in backticks (or after a dot). All of them are SQL's own."""

ADDED: tuple[str, ...] = tuple(
    """
    ADVANCE AFTER ANALYZE BEGINNING BLUE_GREEN BUFFER CANARY CHANGES CUMULATE DELAY DEPLOY DESCRIPTOR EARLY EMIT EVERY
    EXPIRE EXPLAIN FALLBACK FINAL FLUSH FORCE FUNCTIONS GRACE HEADER HEADERS HOP HOPPING JOB JOBS KEY LIST MAX METRICS
    OF OFFSET PARTITIONS PAUSE PERIOD PRINT PROPERTIES QUERIES QUERY RECORD REPLACE RESUME RETENTION ROLLBACK ROLLING
    ROWS SCHEMA SESSION SHOW SIZE SLIDING START STATUS STOP STRATEGY STREAM STREAMS SYSTEM_TIME TABLE TABLES TOPICS
    TUMBLE TUMBLING VERSION VERSIONS VIEW WATERMARK WINDOW WITHIN
    """.split()
)
"""Words that mean something in some place of the dialect, and are good names for columns, aliases and streams everywhere."""

QUERY_STARTS: tuple[str, ...] = ("SELECT", "WITH", "(")
"""What a query begins with."""

STATEMENTS: tuple[str, ...] = (
    "SELECT",
    "WITH",
    "CREATE",
    "INSERT INTO",
    "DROP",
    "EXPLAIN",
    "DESCRIBE",
    "SHOW",
    "LIST",
    "START JOB",
    "STOP JOB",
    "PAUSE JOB",
    "RESUME JOB",
    "FLUSH JOB",
    "DEPLOY JOB",
    "ROLLBACK JOB",
    "SET",
    "PRINT",
)
"""What a statement begins with."""
