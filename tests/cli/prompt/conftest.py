"""A session with two streams and a table."""

from pathlib import Path

import pytest

from velostream.cli.inputs import Input
from velostream.cli.prompt.session import Session

DECLARED = """
CREATE STREAM trades (symbol STRING, price DECIMAL(12, 4), trade_time TIMESTAMP)
  WITH ('type' = 'file_source', 'path' = 'trades.csv', 'format' = 'csv', 'event.time.field' = 'trade_time');
CREATE TABLE instruments (symbol STRING PRIMARY KEY, sector STRING)
  WITH ('type' = 'file_source', 'path' = 'instruments.csv', 'format' = 'csv');
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(Input("app.sql", DECLARED, tmp_path))
