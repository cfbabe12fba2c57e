"""Avro files that are none."""

from pathlib import Path

import pyarrow as pa
import pytest

from velostream.errors import VeloError
from velostream.sources.streams.avro import avro_batches, avro_columns


def test_a_file_that_is_no_avro_is_named_by_whoever_opens_it(tmp_path: Path) -> None:
    (tmp_path / "a.avro").write_text('{"k": 1}\n')
    for opened in (avro_columns, lambda path: list(avro_batches(path, ["k"], pa.schema([("k", pa.int64())])))):
        with pytest.raises(VeloError, match="is not an Avro file, or is cut") as raised:
            opened(str(tmp_path / "a.avro"))
        assert raised.value.error_code == "source-unreadable"
