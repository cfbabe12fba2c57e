"""Files that are whole or not there, whoever writes them at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from velostream.files import replace_text


def test_those_who_write_a_file_at_once_do_not_take_each_others_away(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "said.json"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: replace_text(file, str(number) * 1000), [1, 2, 3, 4] * 25))
    assert file.read_text() in [str(number) * 1000 for number in (1, 2, 3, 4)]
    assert [each.name for each in file.parent.iterdir()] == ["said.json"]
