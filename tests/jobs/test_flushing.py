"""A flush reaches all nodes that hear commands in one micro-batch, however these come to hear of it."""

from typing import Any

from velostream.jobs.flushing import Flush


def said(stage: int, *, ready: bool = False, flush: bool = False) -> dict[str, Any]:
    return {"stage": stage, "ready": ready, "flush": flush}


def test_one_node_is_told_at_once() -> None:
    given: list[dict[str, bool]] = []
    flush = Flush(frozenset({1}), lambda **facts: given.append(facts))
    flush.begin()
    assert given == [{"flush": True}]
    flush.hear([said(1)])
    assert not flush.done
    flush.hear([said(1, flush=True), said(2, flush=True)])
    assert flush.done


def test_several_are_told_once_the_last_has_answered() -> None:
    given: list[dict[str, bool]] = []
    flush = Flush(frozenset({1, 3}), lambda **facts: given.append(facts))
    flush.begin()
    flush.hear([said(1), said(2), said(3, ready=True)])
    assert given == [{"ready": True}]
    flush.hear([said(1, ready=True), said(2, ready=True), said(3)])
    assert given == [{"ready": True}, {"flush": True}]
    flush.hear([said(1), said(2), said(3)])
    assert not flush.done
    flush.hear([said(1, flush=True), said(3, flush=True)])
    assert (flush.done, len(given)) == (True, 2)
