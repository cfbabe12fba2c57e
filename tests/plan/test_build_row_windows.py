import pytest
from tests.plan.asking import found, job

from velostream.plan.nodes import Buffer, Frame, RowCall, RowWindows

OVER = "PARTITION BY symbol ORDER BY _event_time"


def nodes(items: str) -> list[RowWindows]:
    return [node for node in found(job(f"SELECT {items} FROM trades").root, RowWindows) if isinstance(node, RowWindows)]


def only(item: str) -> RowCall:
    [node] = nodes(f"{item} AS x")
    [call] = node.calls
    return call


def test_calls_that_share_a_partition_and_an_order_are_one_node() -> None:
    [node] = nodes(f"LAG(price) OVER ({OVER}) AS a, SUM(price) OVER ({OVER}) AS b, id")
    assert [call.function for call in node.calls] == ["LAG", "SUM"]
    assert [str(key) for key in node.partition] == ["trades.symbol"]


def test_another_partition_is_another_node() -> None:
    found_nodes = nodes(f"LAG(price) OVER ({OVER}) AS a, LAG(price) OVER (PARTITION BY id ORDER BY _event_time) AS b")
    assert [[str(key) for key in node.partition] for node in found_nodes] == [["trades.id"], ["trades.symbol"]]


def test_two_frames_of_one_call_are_told_apart() -> None:
    [node] = nodes(
        f"SUM(price) OVER ({OVER} ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS a, "
        f"SUM(price) OVER ({OVER} ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) AS b"
    )
    assert len({call.name for call in node.calls}) == 2
    assert [call.frame for call in node.calls] == [Frame("ROWS", -2, 0), Frame("ROWS", -5, 0)]


def test_the_same_call_is_computed_once() -> None:
    [node] = nodes(f"LAG(price) OVER ({OVER}) AS a, LAG(price) OVER ({OVER}) + 1 AS b")
    assert len(node.calls) == 1


@pytest.mark.parametrize(
    ("spec", "frame"),
    [
        ("", Frame("RANGE", None, 0)),
        ("ROWS UNBOUNDED PRECEDING", Frame("ROWS", None, 0)),
        ("ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING", Frame("ROWS", -3, -1)),
        (
            "RANGE BETWEEN INTERVAL 5 MINUTES PRECEDING AND CURRENT ROW",
            Frame("RANGE", -300_000_000, 0),
        ),
    ],
)
def test_frames_are_numbers(spec: str, frame: Frame) -> None:
    assert only(f"SUM(price) OVER ({OVER} {spec})").frame == frame


def test_frames_say_themselves() -> None:
    assert str(Frame("ROWS", -3, None)) == "ROWS BETWEEN 3 PRECEDING AND UNBOUNDED FOLLOWING"
    assert str(Frame("ROWS", None, 2)) == "ROWS BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING"
    assert Frame("ROWS", 0, 2).looks_ahead
    assert not Frame("ROWS", -2, 0).looks_ahead


def test_a_buffer_bounds_memory_and_time() -> None:
    [node] = nodes(
        "AVG(price) OVER (ROWS WINDOW BUFFER 100 ROWS PARTITION BY symbol EXPIRE AFTER 1h EMIT ON BUFFER FULL) AS a"
    )
    assert node.buffer == Buffer(100, 3_600_000_000, "ON BUFFER FULL")
    assert node.calls[0].frame == Frame("ROWS", -99, 0)


def test_parameters_and_filters_of_calls_are_kept() -> None:
    assert only(f"NTH_VALUE(price, 2) OVER ({OVER})").function == "NTH_VALUE"
    filtered = only(f"COUNT(*) FILTER (WHERE price > 1) OVER ({OVER})")
    assert str(filtered.where) == "trades.price > 1"
