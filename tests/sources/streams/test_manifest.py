"""Which files a source has taken: what is written is added to, and what was torn is written over."""

from __future__ import annotations

from pathlib import Path

from velostream.sources.streams.manifest import Manifest


def test_new_files_are_added_behind_what_is_there_and_a_torn_line_is_written_over(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(name)
    file, places = tmp_path / "below" / "files.jsonl", [str(tmp_path / name) for name in "abc"]
    manifest = Manifest(file)
    manifest.take(places[:1])
    whole = file.read_bytes()
    with file.open("ab") as out:
        out.write(b'{"path": "/torn')
    again = Manifest(file)
    assert [one.path for one in again.taken] == places[:1]
    again.take(places)
    assert file.read_bytes().startswith(whole)
    assert [one.path for one in Manifest(file).taken] == places
    again.take(places)
    assert Manifest(file).taken == again.taken
