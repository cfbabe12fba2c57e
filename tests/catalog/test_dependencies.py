from hypothesis import given
from hypothesis import strategies as st

from velostream.catalog.dependencies import order


def test_what_is_read_comes_first() -> None:
    assert order({"c": ["b"], "b": ["a"], "a": []}).names == ("a", "b", "c")


def test_what_does_not_depend_keeps_its_order() -> None:
    assert order({"b": [], "a": [], "c": ["a"]}).names == ("b", "a", "c")


def test_a_circle_is_shown_along_its_names() -> None:
    answer = order({"a": ["b"], "b": ["c"], "c": ["a"]})
    assert answer.cycles == (("a", "b", "c", "a"),)


def test_a_statement_that_reads_itself_is_a_circle() -> None:
    assert order({"a": ["a"]}).cycles == (("a", "a"),)


def test_names_from_elsewhere_do_not_count() -> None:
    answer = order({"a": ["kafka"]})
    assert answer.names == ("a",)
    assert answer.cycles == ()


@given(st.lists(st.lists(st.integers(0, 11), max_size=4), min_size=1, max_size=12))
def test_without_circles_everything_comes_after_what_it_reads(reads: list[list[int]]) -> None:
    graph = {str(index): [str(other) for other in others if other < index] for index, others in enumerate(reads)}
    answer = order(graph)
    assert answer.cycles == ()
    assert sorted(answer.names) == sorted(graph)
    place = {name: rank for rank, name in enumerate(answer.names)}
    assert all(place[other] < place[name] for name, others in graph.items() for other in others)
