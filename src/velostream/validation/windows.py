"""WINDOW: the words of the clause become the settings of a window type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from velostream.config.windowing import NamedWindow
from velostream.diagnostics import Findings
from velostream.errors import VeloError
from velostream.registry import did_you_mean
from velostream.sql.nodes import Duration, TimeWindow
from velostream.sql.printing.text import print_sql
from velostream.sql.spans import span_of
from velostream.validation.bound import BoundExpression, BoundWindow
from velostream.validation.lateness import refuse_two_latenesses
from velostream.windows.assigners import ASSIGNERS
from velostream.windows.assigners.base import ParameterKind, WindowParameter

if TYPE_CHECKING:
    from velostream.validation.context import Context
    from velostream.validation.expressions import ExpressionBinder


def bind_window(node: TimeWindow, binder: ExpressionBinder, context: Context) -> BoundWindow | None:
    """The window that a clause means; None, with findings, where it means none."""
    if node.args.get("named"):
        return _named(node, context)
    kind = ASSIGNERS.get(node.name.upper())
    if kind is None:
        names = [*ASSIGNERS, *context.named_windows]
        hint = did_you_mean(node.name, names) or "use TUMBLING, SLIDING, SESSION or CUMULATE"
        context.findings.error("unknown-window", f"there is no window '{node.name}'", span_of(node.this), hint=hint)
        return None
    values = _arguments(node, kind, context)
    if values is None:
        return None
    try:
        settings = {name: value.micros for name, value in values.items() if isinstance(value, Duration)}
        assigner = kind(**{name: micros for name, micros in settings.items() if _builds(kind, name)})
    except VeloError as error:
        context.findings.refuse(error, span_of(node))
        return None
    refuse_two_latenesses(node, settings.get("grace"), context)
    time, key = values.get("time"), values.get("key")
    return BoundWindow(
        assigner,
        _time(time, binder, context) if time is not None else None,
        span_of(node),
        key=binder.bind(key) if key is not None else None,
        grace=settings.get("grace"),
        retention=settings.get("retention"),
    )


def _builds(kind: Any, name: str) -> bool:
    return any(parameter.name == name and parameter.builds for parameter in kind.parameters)


def _named(node: TimeWindow, context: Context) -> BoundWindow | None:
    """A window that the settings name; what it says about lateness and emission holds for the statement."""
    named = context.named_windows.get(node.name.casefold())
    if named is not None:
        try:
            assigner = ASSIGNERS[named.kind](**named.lengths)
        except VeloError:  # It has been said where the window is declared.
            return None
        context.use_window(named)
        return BoundWindow(assigner, None, span_of(node))
    if any(key.casefold().startswith(f"windowing.{node.name.casefold()}.") for key in context.settings.values):
        return None  # What it lacks has been said where it is declared.
    hint = did_you_mean(node.name, context.named_windows, "named windows")
    if node.name.upper() in ASSIGNERS:
        hint = f"a {node.name.upper()} window needs its size: {_usage(ASSIGNERS[node.name.upper()])}"
    message = f"there is no window named '{node.name}'"
    context.findings.error(
        "unknown-window", message, span_of(node.this), hint=hint or "declare it under windowing: in YAML"
    )
    return None


def check_named(windows: Mapping[str, NamedWindow], findings: Findings) -> None:
    """Refuses windows with lengths that cannot work where they are declared, whether a statement uses them or not."""
    for window in windows.values():
        try:
            ASSIGNERS[window.kind](**window.lengths)
        except VeloError as error:
            message = f"window '{window.name}': {error.message}"
            findings.error(error.error_code, message, window.span, hint=error.hint)


def _arguments(node: TimeWindow, kind: Any, context: Context) -> dict[str, exp.Expr] | None:
    """The arguments by parameter name: words first, then what stands without a word, in order."""
    values: dict[str, exp.Expr] = {}
    fine = True
    for option in node.args.get("options") or []:
        word = str(option.this).upper()
        parameter = next((p for p in kind.parameters if word in p.words), None)
        if parameter is None or parameter.name in values:
            problem = "is given twice" if parameter else "is not an argument"
            message = f"{word} {problem} of a {kind.name} window"
            context.findings.error("invalid-window", message, span_of(option), hint=_usage(kind))
            fine = False
        else:
            values[parameter.name] = option.expression
    open_parameters = [p for p in kind.parameters if p.positional and p.name not in values]
    for argument in node.expressions:
        parameter = _next_parameter(open_parameters, argument)
        if parameter is None:
            message = f"a {kind.name} window has no place for '{print_sql(argument)}'"
            context.findings.error("invalid-window", message, span_of(argument), hint=_usage(kind))
            fine = False
            continue
        open_parameters = open_parameters[open_parameters.index(parameter) + 1 :]
        values[parameter.name] = argument
    missing = [p.name for p in kind.parameters if p.required and p.name not in values]
    if missing and fine:
        message = f"a {kind.name} window needs its {' and '.join(missing)}"
        context.findings.error("invalid-window", message, span_of(node), hint=_usage(kind))
    return values if fine and not missing else None


def _next_parameter(parameters: list[WindowParameter], argument: exp.Expr) -> WindowParameter | None:
    wanted = ParameterKind.DURATION if isinstance(argument, Duration) else ParameterKind.COLUMN
    return next((parameter for parameter in parameters if parameter.kind is wanted), None)


def _usage(kind: Any) -> str:
    example = {"TUMBLING": "1m", "SLIDING": "15m, 1m", "SESSION": "30m", "CUMULATE": "1m, 1h"}.get(kind.name, "…")
    shown = [f"[{p.name}]" if not p.required else p.name for p in kind.parameters if p.positional]
    return f"write {kind.name}({', '.join(shown)}), for example {kind.name}({example})"


def _time(node: exp.Expr, binder: ExpressionBinder, context: Context) -> BoundExpression:
    bound = binder.bind(node)
    if bound.type.is_known and not bound.type.is_time:
        message = f"a window goes by time, but this is {bound.type}"
        hint = "use a TIMESTAMP column, or set event.time.field and leave the column out"
        if bound.type.is_integral:
            hint = "for epoch numbers set 'event.time.field' and 'event.time.format' = 'epoch_millis'"
        context.findings.error("window-time", message, bound.span, hint=hint)
    return bound
