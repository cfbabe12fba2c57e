"""Which statements make rows that later ones correct, and what readers of such rows keep of them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from velostream.catalog.relation import Relation
from velostream.config.settings import Settings
from velostream.formats import FORMATS
from velostream.validation.bound import BoundQuery, BoundSelect, BoundSource, BoundSubquery, BoundUnion
from velostream.validation.walk import selects_of
from velostream.windows.assigners.base import longest
from velostream.windows.lateness import LateStrategy

_RANKINGS = ("ROW_NUMBER", "RANK", "DENSE_RANK")
_STEADY = "ROW_NUMBER"
"""The ranking of which a row that went out keeps its place, where it is by event time."""


def corrects(query: BoundQuery, settings: Settings) -> bool:
    """True where a row of a query may replace or withdraw an earlier one: what `revises` says of its plan."""
    return any(_corrects(select, settings) for select in selects_of(query))


def _corrects(select: BoundSelect, settings: Settings) -> bool:
    if any(isinstance(member, BoundSource) and _is_corrected(member.relation) for member in select.inputs):
        return True
    late = bool(settings.get("allowed.lateness"))
    if _is_ranked(select):
        return True
    if not select.aggregated:
        return select.row_windows and not select.buffers and late
    said = select.emission
    if said is not None and (
        said.mode == "CHANGES" or said.early or said.condition or said.fallback or said.every_count
    ):
        return True
    if select.window is None:
        return not select.bounded
    strategy = LateStrategy(settings.text("late.data.strategy"))
    return late or bool(select.window.grace) or strategy.processes or strategy is LateStrategy.UPDATE_PREVIOUS


def _is_ranked(select: BoundSelect) -> bool:
    """True where a better row takes the place of another: rankings that are not by event time, and shared ranks."""
    if not select.row_windows or select.buffers or select.windowed or select.bounded:
        return False
    overs = [window for item in select.items for window in item.expression.tree.find_all(exp.Window)]
    ranks = [over for over in overs if over.this.name.upper() in _RANKINGS]
    return any(over.this.name.upper() != _STEADY or not _is_by_time(over) for over in ranks)


def _is_by_time(over: exp.Window) -> bool:
    order = over.args.get("order")
    first = order.expressions[0] if order is not None else None
    return first is not None and not first.args.get("desc") and first.this.name.endswith("._event_time")


def _is_corrected(relation: Relation) -> bool:
    """True for streams of statements that correct them, and for changes of a database."""
    settings: Settings | None = relation.settings
    known = settings is not None and settings.known.find("format") is not None
    named = settings.get("format") if settings is not None and known else None
    form = FORMATS.get(str(named)) if named is not None else None
    return relation.revises or (relation.read_back is None and form is not None and form.changelog)


def newest_rows(query: BoundQuery | None, *, windowed: bool = False) -> Iterator[tuple[BoundSource, BoundSelect]]:
    """The streams that are read back with their corrections and whose newest rows nothing bounds but `state.ttl`, each
    with its SELECT. `windowed` says that all rows of the query go into windows that end."""
    if isinstance(query, BoundUnion):
        yield from newest_rows(query.left, windowed=windowed and not query.distinct)
        yield from newest_rows(query.right, windowed=windowed and not query.distinct)
    elif query is not None:
        ends = _goes_into_windows(query, windowed=windowed)
        for member in query.inputs:
            if isinstance(member, BoundSubquery):
                yield from newest_rows(member.query, windowed=ends)
            elif isinstance(member, BoundSource) and not ends and _is_newest(member.relation):
                yield member, query


def _is_newest(relation: Relation) -> bool:
    return relation.read_back is not None and relation.revises


def _goes_into_windows(select: BoundSelect, *, windowed: bool) -> bool:
    """True where the first that remembers rows of its inputs are windows by their event time, which end."""
    if select.windowed:
        return select.window is not None and select.window.time is None and longest(select.window.assigner) is not None
    timed = any(item.sets_event_time for item in select.items)
    return windowed and not (select.aggregated or select.distinct or select.row_windows or timed)
