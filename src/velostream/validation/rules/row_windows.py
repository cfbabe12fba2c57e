"""OVER on a stream: order by event time, no following rows, ranks within bounds; or a time window, or a BUFFER."""

from __future__ import annotations

import math

from sqlglot import exp

from velostream.functions.base import FunctionKind
from velostream.sql.nodes import RowWindow
from velostream.sql.spans import span_of
from velostream.validation.bound import BoundSelect, BoundStatement, BoundSubquery
from velostream.validation.joins import conjuncts
from velostream.validation.rules.base import Look
from velostream.validation.walk import selects_of, streams

NEED_ALL_ROWS = ("PERCENT_RANK", "CUME_DIST", "NTILE")
_UNSTEADY = ("SESSION", "CUMULATE")
"""Windows that do not close in the order in which they begin."""
_RANKS = ("ROW_NUMBER", "RANK", "DENSE_RANK")
_BOUNDS = ("_window_start", "_window_end")


def check(statement: BoundStatement, look: Look) -> None:
    """Refuses row windows whose result a stream can never be sure of."""
    ranked = _limited_ranks(statement)
    for select in selects_of(statement.query):
        if not streams(select):
            continue
        for item in select.items:
            for window in item.expression.tree.find_all(exp.Window):
                _window(window, select, look, limited=(id(select), item.name.casefold()) in ranked)


def _limited_ranks(statement: BoundStatement) -> set[tuple[int, str]]:
    """Columns of subqueries that an outer WHERE limits, as in `rn <= 3`: deduplication and top-N."""
    found = set()
    for select in selects_of(statement.query):
        if select.where is None:
            continue
        limited = {field for part in conjuncts(select.where.tree) for field in _limits(part)}
        for member in select.inputs:
            if isinstance(member, BoundSubquery) and isinstance(member.query, BoundSelect):
                for item in member.query.items:
                    if f"{member.alias}.{item.name}" in limited:
                        found.add((id(member.query), item.name.casefold()))
    return found


def _limits(part: exp.Expr) -> list[str]:
    if isinstance(part, (exp.EQ, exp.LTE, exp.LT)) and isinstance(part.this, exp.Column):
        return [part.this.name] if isinstance(part.expression, exp.Literal) else []
    return []


def _window(window: exp.Window, select: BoundSelect, look: Look, *, limited: bool) -> None:
    name = _function(window)
    function = look.library.find(name)
    if function is not None and function.kind not in (FunctionKind.AGGREGATE, FunctionKind.WINDOW):
        message = f"{name} is neither an aggregate nor a window function, so it cannot have OVER"
        look.findings.error("row-window", message, span_of(window), hint="remove OVER (…)")
        return
    if _backwards(window):
        message = f"the frame of {name} ends before it begins"
        look.findings.error("row-window", message, span_of(window.args["spec"]), hint="put the earlier bound first")
        return
    if isinstance(window, RowWindow):
        _buffer(window, name, look)
        return
    if select.window is not None and not select.bounded:
        _from_window_to_window(window, name, look, steady=select.window.assigner.name not in _UNSTEADY)
        return
    if select.aggregated or select.bounded or window.args.get("alias") is not None:
        return
    if name in NEED_ALL_ROWS or _follows(window):
        what = f"{name} needs" if name in NEED_ALL_ROWS else "a frame with following rows needs"
        hint = "add a WINDOW, or OVER (ROWS WINDOW BUFFER 100 ROWS …)"
        look.findings.error("row-window", f"{what} all rows, and a stream never has them", span_of(window), hint=hint)
    elif not _by_event_time(window, select) and not (limited and name in _RANKS):
        hint = "ORDER BY _event_time; for a top-N filter ROW_NUMBER() in an outer query: WHERE rn <= 3"
        look.findings.error("row-window", f"{name} on a stream goes by event time", span_of(window), hint=hint)


def _backwards(window: exp.Window) -> bool:
    """True for `BETWEEN CURRENT ROW AND 5 PRECEDING`. Bounds of time on one side of the row are compared later."""
    spec = window.args.get("spec")
    return spec is not None and _place(spec, "start") > _place(spec, "end")


def _place(spec: exp.Expr, bound: str) -> float:
    """Where a bound is, from the row on."""
    value, side = spec.args.get(bound), str(spec.args.get(f"{bound}_side") or "").upper()
    if not side:
        return 0
    away = math.inf if value == "UNBOUNDED" else 1.0
    if isinstance(value, exp.Literal) and not value.is_string:
        away = float(value.name)
    return -away if side == "PRECEDING" else away


def goes_on(window: exp.Window) -> bool:
    """True where an OVER of a select with a time window goes from one window to the next, so that it has no end."""
    spec = window.args.get("spec")
    ahead = spec is not None and str(spec.args.get("end_side") or "").upper() == "FOLLOWING"
    return _time_of(window) is not None and not ahead and _function(window) not in NEED_ALL_ROWS


def _time_of(window: exp.Window) -> exp.Expr | None:
    """The first term of an order by the time of windows; None where that or a partition keeps to one window."""
    order = window.args.get("order")
    bounds = [key.name.split(".")[-1] for key in window.args.get("partition_by") or [] if isinstance(key, exp.Column)]
    first = order.expressions[0] if order is not None else None
    if first is None or not isinstance(first.this, exp.Column) or set(_BOUNDS) & set(bounds):
        return None
    return first if first.this.name.split(".")[-1] in (*_BOUNDS, "_event_time") else None


def _from_window_to_window(window: exp.Window, name: str, look: Look, *, steady: bool) -> None:
    """Over the groups of one window any order goes; from one window to the next only that in which they close."""
    first = _time_of(window)
    if first is None:
        return
    closing = ("_window_end", "_event_time", *(("_window_start",) if steady else ()))
    if first.args.get("desc") or first.this.name.split(".")[-1] not in closing:
        message = f"{name} from window to window goes in the order in which they close"
        hint = "ORDER BY _window_end; within each window PARTITION BY _window_start"
        look.findings.error("row-window", message, span_of(window), hint=hint)


def _buffer(window: RowWindow, name: str, look: Look) -> None:
    size = window.args["buffer"].this
    if not size.name.isdecimal() or int(size.name) < 1:
        message = f"BUFFER takes a number of rows, not '{size.name}'"
        look.findings.error("row-window", message, span_of(window), hint="BUFFER 100 ROWS")
        return
    expires = window.args["buffer"].args.get("expire")
    if expires is not None and expires.micros <= 0:
        message = f"EXPIRE AFTER {expires.this} keeps nothing"
        look.findings.error("row-window", message, span_of(expires), hint="give a time such as 1h, or leave it out")
    reach = _reach(window, name)
    if reach >= int(size.name):
        message = f"the buffer holds {size.name} rows, and {name} looks {reach} rows away"
        look.findings.error("row-window", message, span_of(window), hint=f"BUFFER {reach + 1} ROWS")


def _reach(window: exp.Window, name: str) -> int:
    """How many rows behind the current one the window looks."""
    inner = window.this
    if name in ("LAG", "LEAD") and isinstance(inner, exp.Anonymous):
        offset = inner.expressions[1].name if len(inner.expressions) > 1 else "1"
        return int(offset) if offset.isdecimal() else 0
    spec = window.args.get("spec")
    starts = [spec.args.get(side) for side in ("start", "end")] if spec is not None else []
    return max(
        [int(start.name) for start in starts if isinstance(start, exp.Literal) and start.name.isdecimal()] or [0]
    )


def _function(window: exp.Window) -> str:
    inner = window.this
    while isinstance(inner, (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)):
        inner = inner.this
    return str(inner.this).upper() if isinstance(inner, exp.Anonymous) else inner.key.upper()


def _follows(window: exp.Window) -> bool:
    spec = window.args.get("spec")
    sides = (spec.args.get("start_side"), spec.args.get("end_side")) if spec is not None else ()
    return any(str(side).upper() == "FOLLOWING" for side in sides)


def _by_event_time(window: exp.Window, select: BoundSelect) -> bool:
    order = window.args.get("order")
    if order is None:
        return False
    first = order.expressions[0]
    tree = first.this
    if first.args.get("desc") or not isinstance(tree, exp.Column):
        return False
    return tree.name.endswith("._event_time") or tree.name in _event_columns(select)


def _event_columns(select: BoundSelect) -> set[str]:
    from velostream.validation.join_binding import event_times

    return {f"{alias}.{column}" for alias, column in event_times(list(select.inputs)).items()}
