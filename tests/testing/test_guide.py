"""The specifications of the guide can be read, and its schema knows the keys that reading knows."""

from pathlib import Path

from tests.project.modules import ROOT
from tests.project.pages import blocks

from velostream.testing.findings import check_case
from velostream.testing.keys import PARTS, names
from velostream.testing.reading import read_specs
from velostream.testing.schema import schema

GUIDE = ROOT / "docs" / "guides" / "testing.md"


def test_the_specifications_of_the_guide_can_be_used(tmp_path: Path) -> None:
    read = []
    for number, block in enumerate(blocks(GUIDE)):
        name = block.marked("file") or f"{number}.{block.language}"
        (tmp_path / name).write_text(block.body)
        if block.language == "yaml":
            read += read_specs(tmp_path / name)
    assert len(read) == 2
    answer, failures = check_case(read[0])
    assert answer.ok, answer.findings.errors
    assert not failures
    assert len(read[1].clocks) == 2


def test_the_schema_describes_every_key() -> None:
    parts = schema()["$defs"]
    for name, keys in PARTS.items():
        mapping = parts[name] if name != "input" else parts[name]["anyOf"][1]
        assert tuple(mapping["properties"]) == names(keys)
        assert all(key.doc for key in keys)
