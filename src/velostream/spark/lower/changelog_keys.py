"""By which keys rows of a stream of changes may be replaced in sinks, and what cannot know them again."""

from __future__ import annotations

from collections.abc import Iterator

from velostream.errors import VeloError
from velostream.plan.nodes import Aggregate, Distinct, Node, Project, Scan, Sinks, TopN, Union
from velostream.plan.nodes.base import EMISSION, system_field
from velostream.plan.nodes.union import BRANCH
from velostream.sinks.base import WriteMode


def of_rankings(scan: Scan, reached: list[Node]) -> Iterator[VeloError]:
    """A row that goes from one partition of a ranking to another is taken back in one and comes in the other, in no
    order that whoever knows it without its partition could go by."""
    for place, ranked in enumerate(reached):
        if not isinstance(ranked, TopN) or ranked.known_by_partition:
            continue
        for node in reached[place + 1 :]:
            if node.keeps_state:
                message = f"rows of a ranking over the changes of '{scan.source}' cannot be grouped or ranked again yet"
                hint = "rank with ROW_NUMBER() = 1, or write the ranking to a sink"
                yield VeloError(message, hint=hint, code="unsupported")
                return


def of_unions(scan: Scan, reached: list[Node]) -> Iterator[VeloError]:
    """Rows of a side that are never taken back have no columns to say it by, so that no side has them."""
    for node in reached:
        if isinstance(node, Union) and not system_field(node, EMISSION):
            message = f"UNION of the changes of '{scan.source}' with rows that are never taken back cannot be run yet"
            hint = "write each side to a sink of its own, or group each before"
            yield VeloError(message, hint=hint, code="unsupported")


def of_keys(scan: Scan, reached: list[Node]) -> Iterator[VeloError]:
    """A sink that replaces rows by another key than that of the changes would keep rows whose key has changed."""
    if any(isinstance(node, Aggregate) for node in reached):
        return
    ranked = next((node for node in reversed(reached) if isinstance(node, TopN | Distinct)), None)
    union = next((node for node in reached if isinstance(node, Union)), None)
    for node in (each for each in reached if isinstance(each, Sinks)):
        for name, key in _upserts(node).items():
            if union is not None and ranked is None:
                if not _tells_sides(union, node, key):
                    yield _mistaken(name, key)
            elif set(key) != set(node.input.identity):
                yield _unlike(scan, ranked, name, key)


def _unlike(scan: Scan, ranked: Node | None, name: str, key: tuple[str, ...]) -> VeloError:
    """The error for a sink whose key is not that of the rows."""
    known = "the key of the message" if scan.key == ("_key",) else ", ".join(scan.key)
    hint = f"mark the same columns with PRIMARY KEY in CREATE STREAM {scan.source} and in the SELECT"
    if ranked is not None:
        known = ", ".join(dict.fromkeys(field.split(".")[-1] for field in ranked.identity))
        hint = f"mark {known} with PRIMARY KEY in the SELECT"
    message = f"'{name}' replaces rows by ({', '.join(key)}), those of '{scan.source}' are known by {known}"
    return VeloError(message, hint=hint, code="unsupported")


def _mistaken(name: str, key: tuple[str, ...]) -> VeloError:
    message = f"'{name}' replaces rows by ({', '.join(key)}), which a row of each side of UNION may have"
    told = "FROM (SELECT 'a' AS side, id, … UNION ALL SELECT 'b', id, …)"
    hint = f"tell the sides apart in the key: SELECT side PRIMARY KEY, id PRIMARY KEY, … {told}"
    return VeloError(message, hint=hint, code="unsupported")


def _tells_sides(union: Union, sinks: Sinks, key: tuple[str, ...]) -> bool:
    """True where a key is that of the rows of every side, and a text that is another one on each."""
    names, node = set(key), sinks.input
    while node is not union:
        if isinstance(node, Project):
            read = {each.name: each.expression.name for each in node.columns if each.is_renamed}
            names = {read.get(name, "") for name in names}
        [node] = node.children
    marks = set(union.marks)
    return bool(marks & names) and names - marks == {*union.identity} - {BRANCH} - marks


def _upserts(node: Sinks) -> dict[str, tuple[str, ...]]:
    """What the sinks replace rows by that do, by name."""
    return {target.name: target.identity for target in node.targets if target.writes is WriteMode.UPSERT}
