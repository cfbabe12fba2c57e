"""The guide to the Python API: its blocks are run in their order, as one program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.project.modules import ROOT
from tests.project.pages import blocks

import velostream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GUIDE = ROOT / "docs" / "guides" / "python-api.md"


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the guide."""
    for block in blocks(GUIDE):
        name = block.marked("file")
        if name:
            (tmp_path / name).write_text(block.body)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*, server: bool, names: dict[str, Any]) -> int:
    wanted = [
        block
        for block in blocks(GUIDE)
        if block.language == "python" and (block.marked("server") is not None) == server
    ]
    for block in wanted:
        exec(compile("\n" * block.line + block.body, str(GUIDE), "exec"), names)
    return len(wanted)


def test_what_it_does_in_this_process_works(
    one_spark: SparkSession, there: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(server=False, names={"__name__": "__main__"}) == 9
    printed = capsys.readouterr().out
    assert "did you mean 'price'?" in printed
    assert "MSFT 410.0000" in printed
    assert "Scan trades" in printed


def test_what_it_does_with_a_server_works(url: str, there: Path) -> None:
    assert run(server=True, names={"velostream": velostream, "url": url}) == 1
