"""Where two versions of a job stand is compared source by source, and either can come as far as both have read."""

from __future__ import annotations

import json
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from velostream.errors import VeloError
from velostream.sources.streams.manifest import Taken
from velostream.sources.streams.positions import Standing
from velostream.sources.streams.spark_files import FileList

WHOLE = (1 << 62, 0)


def standing(home: Path, offset: Any) -> Standing:
    return Standing("source_orders", offset, home)


def meet(one: Standing, other: Standing) -> tuple[Standing, Standing]:
    """First the one comes to the other, then the other to the one, as two versions do."""
    for _ in range(2):
        if one.is_behind(other):
            one = standing(one.home, json.loads(json.dumps(one.joined(other))))
        one, other = other, one
    return one, other


def rows_until(value: str | None, *, whole: bool = False) -> dict[str, Any]:
    """An offset of a database."""
    return {"value": value, "rows": 3, "whole": whole, "ended": False}


@pytest.mark.parametrize(
    ("own", "other", "met"),
    [
        ({"arrived": 7, "start": "1"}, {"arrived": 9, "start": "1"}, {"": 9}),
        ({"t": {"0": 5, "1": 9}}, {"t": {"0": 8, "1": 2}, "u": {"0": 1}}, {"t/0": 8, "t/1": 9, "u/0": 1}),
        ({"t": {"0": 5}}, None, {"t/0": 5}),
        (rows_until("9"), rows_until("10"), {"": (False, Decimal(10), "")}),
        (rows_until(None), rows_until("-3"), {"": (False, Decimal(-3), "")}),
        (
            rows_until("2026-01-01 00:00:09+00"),
            rows_until("2026-01-01 00:00:09.5+00"),
            {"": (False, 0, "2026-01-01 00:00:09.5+00")},
        ),
        (rows_until(None), rows_until(None, whole=True), {"": (True, 0, "")}),
        (None, None, {}),
    ],
)
def test_versions_meet_where_all_is_read_that_either_has_read(tmp_path: Path, own: Any, other: Any, met: Any) -> None:
    for first, second in ((own, other), (other, own)):
        one, two = meet(standing(tmp_path, first), standing(tmp_path, second))
        assert dict(one.vector) == dict(two.vector) == met


def test_an_offset_of_an_unknown_form_is_refused_by_the_name_of_its_source(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="where source 'orders' stands cannot be compared"):
        assert standing(tmp_path, {"page": 3}).vector


def took(home: Path, *names: str) -> None:
    """Files that a version has noticed, in order."""
    lines = [json.dumps(asdict(Taken(name, 10, 1, "m"))) + "\n" for name in names]
    (home / "sources").mkdir(parents=True)
    (home / "sources" / "orders.jsonl").write_text("".join(lines))


def until(files: int, **grown: list[int]) -> dict[str, Any]:
    told = {name.removeprefix("n"): upto for name, upto in grown.items()}
    return {"files": files, "known": files, "ends": False, "grown": told, "clock": 5}


def test_files_that_versions_noticed_in_another_order_are_read_once_by_each(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    took(old, "a", "c", "b", "d")
    took(new, "a", "b", "e", "d")
    one, two = meet(standing(old, until(2)), standing(new, until(3)))
    assert dict(one.vector) == dict(two.vector) == dict.fromkeys(["a", "b", "c", "e"], WHOLE)
    assert [each.path for each in standing(old, None).manifest.taken] == ["a", "c", "b", "e", "d"]
    assert [each.path for each in standing(new, None).manifest.taken] == ["a", "b", "e", "c", "d"]


def test_of_files_that_grow_versions_meet_at_the_same_byte(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    took(old, "a", "b")
    took(new, "b", "a")
    one, two = meet(standing(old, until(2, n0=[50, 5], n1=[10, 1])), standing(new, until(1, n0=[30, 3])))
    assert dict(one.vector) == dict(two.vector) == {"a": (50, 5), "b": (30, 3)}
    assert {str(each.home.name): each.offset["grown"] for each in (one, two)} == {
        "old": {"0": [50, 5], "1": [30, 3]},
        "new": {"0": [30, 3], "1": [50, 5]},
    }


def found(home: Path, *batches: list[str]) -> FileList:
    """What Spark's own source of files found, look by look."""
    folder = home / "spark" / "sources" / "source_orders"
    folder.mkdir(parents=True)
    for number, names in enumerate(batches):
        lines = [json.dumps({"path": name, "timestamp": 7, "batchId": number}) for name in names]
        (folder / str(number)).write_text("\n".join(["v1", *lines]))
    return FileList(folder)


def test_spark_is_told_of_files_that_only_the_other_version_took_and_finds_the_others_again(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    found(old, ["a"], ["c"])
    ahead = found(new, ["a"], ["b", "d"], ["e"])
    one, two = meet(standing(old, {"logOffset": 1}), standing(new, {"logOffset": 1}))
    assert dict(one.vector) == dict(two.vector) == dict.fromkeys("abcd", 1)
    assert (one.offset, two.offset) == ({"logOffset": 2}, {"logOffset": 2})
    assert "e" not in ahead.upto(99)


def test_every_tenth_part_of_sparks_list_has_all_files(tmp_path: Path) -> None:
    files = found(tmp_path, *(["f" + str(number)] for number in range(9)))
    assert files.add(8, {"g": 7}) == 9
    compact = files.folder / "9.compact"
    assert [json.loads(line)["batchId"] for line in compact.read_text().splitlines()[1:]] == list(range(10))
    assert files.add(9, {"h": 7, "f3": 7}) == 10
    assert len((files.folder / "10").read_text().splitlines()) == 2
    assert len(files.upto(10)) == 11


def test_a_list_that_spark_gathers_otherwise_is_refused(tmp_path: Path) -> None:
    files = found(tmp_path, ["a"])
    (files.folder / "0").rename(files.folder / "0.compact")
    with pytest.raises(VeloError, match="gathered otherwise than every 10 times"):
        files.upto(0)
