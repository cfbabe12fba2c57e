"""Every node of a plan has a box of its own in pictures."""

from velostream.api.boxes import KNOWN, Box
from velostream.api.picture import Placed, svg
from velostream.plan.explain.node_data import DATA


def test_every_node_that_explain_knows_has_a_box() -> None:
    assert {kind.__name__ for kind in DATA.known} == KNOWN


def test_inputs_stand_above_and_sinks_side_by_side_without_overlap() -> None:
    sink = {"connector": "file_sink", "place": {}, "writes": "appends", "guarantee": "exactly once"}
    scans = [{"node": "Values", "rows": [[]], "inputs": []} for _ in range(2)]
    union = {"node": "Union", "sides": 2, "inputs": scans}
    tree = {"node": "Sinks", "sinks": [{**sink, "name": "a<b"}, {**sink, "name": "c"}], "inputs": [union]}
    drawn = svg(tree, "job x")
    assert drawn.count("<rect") == 5
    assert "a&lt;b" in drawn
    assert drawn.count("<path") == 4


def test_a_box_is_as_high_as_its_lines() -> None:
    assert Placed(Box("x", ("1", "2"))).height - Placed(Box("x", ("1",))).height == 16
