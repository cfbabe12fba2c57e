"""Flink's windows over a source: `TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), …))`, with positions or names, with or without
TABLE(…)."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from velostream.registry import did_you_mean
from velostream.sql.grammar.windows import Windows
from velostream.sql.nodes import Duration, TimeWindow, WindowOption

LENGTHS: dict[str, tuple[str, ...]] = {
    "TUMBLE": ("SIZE",),
    "HOP": ("SLIDE", "SIZE"),
    "CUMULATE": ("STEP", "SIZE"),
    "SESSION": ("GAP",),
}
"""The lengths that a window of Flink takes, in its order; one more is its offset."""


@dataclass
class _Given:
    """What stands in the parentheses of a window."""

    source: exp.Identifier | None = None
    keys: list[exp.Expr] = field(default_factory=list)
    time: exp.Expr | None = None
    lengths: dict[str, Duration] = field(default_factory=dict)


class TableWindows(Windows):
    """Rules for windows over a source."""

    def table_window_ahead(self) -> bool:
        """True where a source is one of Flink's windows."""
        by = 2 if self.ahead("TABLE", "(") else 0
        if not self.ahead("(", by=by + 1):
            return False
        named = by or self._words[self._index + by] in LENGTHS
        return bool(named) and (self.ahead("TABLE", by=by + 2) or self.ahead("=>", by=by + 3))

    def read_table_window(self) -> tuple[exp.Identifier, TimeWindow]:
        """The source of the window, and the window."""
        start = self._index
        wrapped = self.accept("TABLE")
        if wrapped:
            self.expect("(")
        at = self._index
        name = self.read_name("a window such as TUMBLE")
        kind = name.name.upper()
        if kind not in LENGTHS:
            message, hint = f"'{name.name}' is not a window that TABLE(…) takes", "use TUMBLE, HOP, CUMULATE or SESSION"
            self.refuse(message, hint=hint, span=self.here(at))
        self.expect("(")
        given = self._named(kind) if self.ahead("=>", by=1) else self._positional(kind)
        self._complete(name.name, kind, given)
        self.expect(")")
        if wrapped:
            self.expect(")")
        assert given.source is not None
        return given.source, self.node(_window(name, given), start)

    def _positional(self, kind: str) -> _Given:
        given = _Given()
        self._data(given)
        self.expect(",")
        given.time = self._descriptor()
        for word in (*LENGTHS[kind], "OFFSET"):
            if not self.accept(","):
                break
            given.lengths[word] = self.read_shift() if word == "OFFSET" else self.read_length()
        return given

    def _named(self, kind: str) -> _Given:
        """`DATA => TABLE s, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' MINUTE`, in any order."""
        given, met = _Given(), set[str]()
        names = ("DATA", "TIMECOL", *LENGTHS[kind], "OFFSET")
        while True:
            word = self.word
            if word not in names:
                if self.at_end or not self.ahead("=>", by=1):
                    self.unexpected("a named argument such as SIZE => INTERVAL '1' MINUTE")
                hint = did_you_mean(word, names, f"{kind} takes")
                self.refuse(f"{kind} has no argument '{self._curr.text}'", hint=hint)
            if word in met:
                self.refuse(f"{word} is given twice", hint="keep one of them")
            met.add(word)
            self._advance()
            self.expect("=>")
            if word == "DATA":
                self._data(given)
            elif word == "TIMECOL":
                given.time = self._descriptor()
            else:
                given.lengths[word] = self.read_shift() if word == "OFFSET" else self.read_length()
            if not self.accept(","):
                return given

    def _complete(self, name: str, kind: str, given: _Given) -> None:
        missing = [word for word in LENGTHS[kind] if word not in given.lengths]
        if given.source is None:
            self.refuse(f"{name} does not say of which source", hint="write DATA => TABLE source")
        if given.time is None:
            self.refuse(f"{name} does not say by which time", hint="write TIMECOL => DESCRIPTOR(column)")
        if missing or self.at(","):
            count = len(LENGTHS[kind])
            message = f"{name} takes {count} length{'s' if count > 1 else ''} of time and an optional offset"
            self.refuse(message, hint=f"{', '.join(LENGTHS[kind])}; write for example INTERVAL '1' MINUTE")

    def _data(self, given: _Given) -> None:
        """`TABLE s [PARTITION BY k, …]`: the source, and the keys of a session."""
        self.expect("TABLE")
        given.source = self.read_name("a source")
        if not self.accept("PARTITION", "BY"):
            return
        given.keys.append(self.read_column())
        while self.at(",") and not self.ahead("DESCRIPTOR", "(", by=1) and not self.ahead("=>", by=2):
            self._advance()
            given.keys.append(self.read_column())

    def _descriptor(self) -> exp.Expr:
        self.expect("DESCRIPTOR")
        self.expect("(")
        column = self.read_column()
        self.expect(")")
        return column


def _window(name: exp.Identifier, given: _Given) -> TimeWindow:
    """Its arguments in our order: the time, the size, the advance, the keys."""
    ordered = [given.lengths[word] for word in LENGTHS[name.name.upper()]]
    window = TimeWindow(this=name, spelling="table")
    window.set("expressions", [given.time, *(ordered[::-1] if name.name.upper() == "HOP" else ordered), *given.keys])
    if "OFFSET" in given.lengths:
        window.set("options", [WindowOption(this="OFFSET", expression=given.lengths["OFFSET"])])
    return window
