"""Time windows: WINDOW TUMBLING(…), (SIZE …), TUMBLE(…) in GROUP BY."""

from __future__ import annotations

from typing import TypeVar

from sqlglot import exp

from velostream.sql.grammar.settings import Properties
from velostream.sql.nodes import TimeWindow, WindowOption

OPTIONS: tuple[tuple[str, ...], ...] = (
    ("SIZE",),
    ("ADVANCE", "BY"),
    ("OFFSET",),
    ("MAX",),
    ("GRACE", "PERIOD"),
    ("RETENTION",),
)
"""The named arguments of a window."""

GROUP_WINDOWS: tuple[str, ...] = ("TUMBLE", "HOP", "SESSION", "CUMULATE", "TUMBLING", "HOPPING", "SLIDING")
"""Calls in GROUP BY that are windows."""

Item = TypeVar("Item")


class Windows(Properties):
    """Rules for time windows."""

    def read_time_window(self) -> TimeWindow:
        """`WINDOW name(arguments)` or `WINDOW name`."""
        start = self._index
        self.expect("WINDOW")
        name = self.read_name("a window such as TUMBLING(1m)")
        if not self.at("("):
            return self.node(TimeWindow(this=name, named=True, spelling="clause"), start)
        arguments, options = self._window_arguments()
        return self.node(self._window(name, arguments, options, "clause"), start)

    def group_window_ahead(self) -> bool:
        """True where an item of GROUP BY is a window."""
        return self.word in GROUP_WINDOWS and self.ahead("(", by=1)

    def read_group_window(self) -> TimeWindow:
        """`TUMBLE(ts, INTERVAL '1' MINUTE)` in GROUP BY. HOP has its advance before its size there: swapped here."""
        start = self._index
        name = self.read_name()
        arguments, options = self._window_arguments()
        if name.name.upper() == "HOP":
            arguments = _last_two_swapped(arguments)
        return self.node(self._window(name, arguments, options, "group"), start)

    def _window(
        self, name: exp.Identifier, arguments: list[exp.Expr], options: list[exp.Expr], spelling: str
    ) -> TimeWindow:
        window = TimeWindow(this=name, spelling=spelling)
        if arguments:
            window.set("expressions", arguments)
        if options:
            window.set("options", options)
        return window

    def _window_arguments(self) -> tuple[list[exp.Expr], list[exp.Expr]]:
        self.expect("(")
        arguments: list[exp.Expr] = []
        options: list[exp.Expr] = []
        while True:
            option = self._moved() if arguments or options else None
            option = option or self._option()
            if option is not None:
                options.append(option)
            elif options:
                self.unexpected("a named argument such as OFFSET 1h")
            else:
                self.refuse_negative()
                arguments.append(self.read_length() if self.length_ahead() else self.read_expression())
            if not self.accept(","):
                break
        self.expect(")")
        return arguments, options

    def _option(self) -> WindowOption | None:
        start = self._index
        for words in OPTIONS:
            if self.ahead(*words) and self.length_ahead(len(words)):
                self._advance(len(words))
                return self.node(WindowOption(this=" ".join(words), expression=self.read_length()), start)
        return None

    def _moved(self) -> WindowOption | None:
        """`OFFSET -1h`; as the first argument it would be a column, less something."""
        start = self._index
        if not self.ahead("OFFSET") or not self.shift_ahead(1):
            return None
        self._advance()
        return self.node(WindowOption(this="OFFSET", expression=self.read_shift()), start)


def _last_two_swapped(items: list[Item]) -> list[Item]:
    return [*items[:-2], *items[:-3:-1]] if len(items) > 1 else items
