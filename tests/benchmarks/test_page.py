"""The page and the plot of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from benchmarks.facts import facts
from benchmarks.page import write
from benchmarks.verdict import judged
from tests.benchmarks.test_verdict import S3A, lane


def run() -> dict[str, Any]:
    lanes = {"velostream": lane(2.0), "spark-rocksdb": lane(4.0), "spark-memory": {"failed": "no memory", "runs": []}}
    validated = [("wall time, ms", "median"), ("velo validate app.sql", "200")]
    known = facts(records=1000, runs=2, warm_ups=1, cores=2, profiled=False)
    scenarios = {"S3a": judged(S3A, lanes, [500, 500], 2)}
    return {**known, "scenarios": scenarios, "comparisons": {}, "validate": validated}


def test_results_stand_between_their_marks_and_the_rest_stays(tmp_path: Path) -> None:
    page = tmp_path / "benchmarks.md"
    page.write_text(
        "# Benchmarks\n\n<!-- results of make bench -->\n\nold\n\n<!-- end of results -->\n\n## Notes\n\nkept\n"
    )
    write(run(), tmp_path)
    write(run(), tmp_path)
    text = page.read_text()
    assert text.count("| S3a | velostream | 500 | 1 |") == 1
    assert "failed: no memory" in text
    assert "old" not in text
    assert text.endswith("<!-- end of results -->\n\n## Notes\n\nkept\n")


def test_the_plot_is_well_formed(tmp_path: Path) -> None:
    (tmp_path / "benchmarks.md").write_text("<!-- results of make bench -->\n<!-- end of results -->\n")
    write(run(), tmp_path)
    root = ElementTree.parse(tmp_path / "benchmarks.svg").getroot()
    assert root.tag.endswith("svg")
    assert any("spark-memory: failed" in (part.text or "") for part in root.iter())
