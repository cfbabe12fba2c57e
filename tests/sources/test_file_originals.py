"""Records of files once more, by the number of their file and their index in it."""

from pathlib import Path

import pytest

from velostream.plan import plan
from velostream.sources.streams.file_originals import records_at
from velostream.sources.streams.manifest import Manifest
from velostream.sources.streams.reading import manifest_of
from velostream.validation import validate


@pytest.mark.parametrize(
    ("form", "lines", "first", "second"),
    [
        ("jsonl", ['{"k":  "a"}', "", '{"k": "b"}'], '{"k":  "a"}', '{"k": "b"}'),
        ("csv", ["k", '"a"', "b"], '"a"', "b"),
        ("json", ['[{"k":  "a"},', ' {"k": "b"}]'], '{"k":  "a"}', '{"k": "b"}'),
    ],
)
def test_records_are_found_where_it_can_be_told_in_which_file_they_are(
    tmp_path: Path, form: str, lines: list[str], first: str, second: str
) -> None:
    text = f"CREATE STREAM s (k STRING) WITH ('type' = 'file_source', 'path' = '*.{form}', 'format' = '{form}');"
    answer = validate(text + "SELECT k FROM s", "test.sql", variables={}, folder=tmp_path)
    [job] = plan(answer.bound, answer.library).jobs
    [scan] = job.scans
    assert records_at(scan, tmp_path, [(0, 0)]) == [None], "nothing has been taken yet"
    paths = [tmp_path / f"{name}.{form}" for name in "xy"]
    for path in paths:
        path.write_text("\n".join(lines) + "\n")
    taken = Manifest(manifest_of(scan, tmp_path))
    taken.take([str(paths[0])])
    assert records_at(scan, tmp_path, [(None, 1), (0, 0), (0, 7)]) == [second, first, None]
    taken.take([str(paths[1])])
    assert records_at(scan, tmp_path, [(None, 1), (1, 1)]) == [None, second], "of two files it must be said which"
    paths[1].unlink()
    assert records_at(scan, tmp_path, [(1, 1), (0, 1)]) == [None, second]
