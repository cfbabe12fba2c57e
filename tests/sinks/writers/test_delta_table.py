"""What is seen of a Delta table before Spark is asked; tests/delta has the rest, with real drivers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from velostream.errors import VeloError
from velostream.sinks.writers.batch import Shape
from velostream.sinks.writers.delta_table import open_table

NOBODY = cast("Any", None)


def test_a_file_in_the_place_of_a_table_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("")
    with pytest.raises(VeloError, match="which is a file") as refusal:
        open_table(NOBODY, "out", str(tmp_path / "log"), Shape())
    assert "name a folder" in refusal.value.hint


def test_a_type_that_delta_does_not_have_is_refused_with_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="Delta has no type for INTERVAL") as refusal:
        open_table(NOBODY, "out", str(tmp_path / "t"), Shape((("d", "INTERVAL DAY TO SECOND"),)))
    assert "CAST(d AS STRING)" in refusal.value.hint
