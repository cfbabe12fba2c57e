"""What names mean at one place of a query: the inputs' columns, system columns, and the query around it."""

from __future__ import annotations

from dataclasses import dataclass, field

from velostream.catalog import system_columns
from velostream.catalog.schema import Schema
from velostream.catalog.system_columns import SystemColumn
from velostream.registry import did_you_mean, nearest
from velostream.types import UNKNOWN, Type


@dataclass(frozen=True, slots=True)
class ScopeInput:
    """An input as names see it: its alias, its columns, and the system columns that its rows have."""

    alias: str
    schema: Schema
    record_columns: tuple[str, ...] = ()
    is_table: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """What a name means: the field, its type. `system` is the system column that it is, if any."""

    field: str
    type: Type
    alias: str = ""
    column: str = ""
    system: SystemColumn | None = None
    outer: bool = False


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a name means nothing: a code, a message, a hint."""

    code: str
    message: str
    hint: str = ""


@dataclass(slots=True)
class Scope:
    """The names of one SELECT. `windowed` once rows are those of a time window; `outer` is the query around it."""

    inputs: list[ScopeInput] = field(default_factory=list)
    outer: Scope | None = None
    windowed: bool = False
    window_columns: tuple[str, ...] = ()
    window_durations: tuple[tuple[int, ...], ...] = ()
    aliases: dict[str, str] = field(default_factory=dict)
    locals: list[dict[str, Type]] = field(default_factory=list)
    merged: dict[str, str] = field(default_factory=dict)
    """Columns of USING, which are one column: the name in small letters, and the input that gives it."""
    times: list[str] = field(default_factory=list)
    """The aliases whose event time a row has where an outer join left it without that of the primary input."""

    @property
    def primary(self) -> ScopeInput | None:
        """The input whose event time the rows have: the first stream, else the first input."""
        streams = [member for member in self.inputs if not member.is_table]
        return next(iter(streams or self.inputs), None)

    @property
    def is_open(self) -> bool:
        """True where some input's columns are known only when it runs."""
        return any(member.schema.is_open for member in self.inputs)

    def input_named(self, alias: str) -> ScopeInput | None:
        """The input of that alias in any letter case."""
        return next((member for member in self.inputs if member.alias.casefold() == alias.casefold()), None)

    def resolve(self, name: str, table: str = "") -> Found | Missing:
        """What `name` or `table.name` means here."""
        if not table:
            for names in reversed(self.locals):
                if name.casefold() in names:
                    return Found(name, names[name.casefold()], alias="<lambda>")
        answer = self._of_input(name, table) if table else self._bare(name)
        if isinstance(answer, Missing) and self.outer is not None:
            outside = self.outer.resolve(name, table)
            if isinstance(outside, Found):
                return Found(outside.field, outside.type, outside.alias, outside.column, outside.system, outer=True)
        return answer

    def _of_input(self, name: str, table: str) -> Found | Missing:
        member = self.input_named(table)
        if member is None:
            known = [other.alias for other in self.inputs]
            return Missing(
                "unknown-stream", f"'{table}' is not read by this query", did_you_mean(table, known, "inputs")
            )
        return self._in(member, name)

    def _in(self, member: ScopeInput, name: str) -> Found | Missing:
        column = member.schema.find(name)
        if column is not None:
            return Found(f"{member.alias}.{column.name}", column.type, member.alias, column.name)
        system = system_columns.find(name)
        if system is not None:
            return self._system(member, system, name)
        if member.schema.is_open:
            return Found(f"{member.alias}.{name}", UNKNOWN, member.alias, name)
        what = "table" if member.is_table else "stream"
        hint = did_you_mean(name, member.schema.names, "columns")
        return Missing("unknown-column", f"{what} '{member.alias}' has no column '{name}'", hint)

    def _bare(self, name: str) -> Found | Missing:
        holders = [member for member in self.inputs if member.schema.find(name)]
        if len(holders) > 1 and name.casefold() in self.merged:
            return self._of_input(name, self.merged[name.casefold()])
        if len(holders) > 1:
            owners = " or ".join(f"'{member.alias}.{name}'" for member in holders)
            return Missing("ambiguous-column", f"column '{name}' is in several inputs", f"write {owners}")
        if holders:
            return self._in(holders[0], name)
        system = system_columns.find(name)
        if system is not None and self.primary is not None:
            return self._system(self.primary, system, name)
        unsure = [member for member in self.inputs if member.schema.is_open]
        if unsure:
            return self._in(unsure[0], name)
        return self._unknown(name)

    def _system(self, member: ScopeInput, system: SystemColumn, name: str) -> Found | Missing:
        if system.category == system_columns.WINDOW:
            if self.windowed and system.name in self.window_columns:
                return Found(system.name, system.type, column=system.name, system=system)
            if system.name in member.record_columns:
                return Found(f"{member.alias}.{system.name}", system.type, member.alias, system.name, system)
            return self._without_window(member, system, name)
        if self.windowed and system.name == "_event_time":
            return Found("_event_time", system.type, column="_event_time", system=system)
        if system.name in member.record_columns:
            return Found(f"{member.alias}.{system.name}", system.type, member.alias, system.name, system)
        has = ", ".join(member.record_columns) or "none"
        return Missing("no-system-column", f"'{member.alias}' has no system column '{name}'", f"it has: {has}")

    def _without_window(self, member: ScopeInput, system: SystemColumn, name: str) -> Found | Missing:
        if member.schema.is_open and not system.name.startswith("_"):
            return Found(f"{member.alias}.{name}", UNKNOWN, member.alias, name)
        if system.name == "closed_by" and self.windowed:
            return Missing(
                "no-system-column", "'closed_by' exists on the rows of SESSION windows", "use WINDOW SESSION(30m)"
            )
        if not system.name.startswith("_"):
            return self._unknown(name)
        if self.windowed and "_window_start" not in self.window_columns:
            message = f"'{name}' does not exist here: groups without a window have no bounds"
            return Missing("no-system-column", message, "add WINDOW, for example WINDOW TUMBLING(1m)")
        if self.windowed:
            message = f"'{name}' does not exist here: no gaps are filled"
            return Missing("no-system-column", message, "set 'fill' = 'zero', 'forward' or 'linear'")
        place = "it exists on the rows of a time window: add WINDOW, and use it in SELECT, HAVING or ORDER BY"
        return Missing("no-system-column", f"'{name}' does not exist here: no window has been applied yet", place)

    def _unknown(self, name: str) -> Missing:
        if not self.inputs:
            return Missing("unknown-column", f"column '{name}' is unknown: there is no FROM", "add FROM")
        names = [column for member in self.inputs for column in member.schema.names]
        if len(self.inputs) == 1:
            member = self.inputs[0]
            what = "table" if member.is_table else "stream"
            message = f"{what} '{member.alias}' has no column '{name}'"
        else:
            message = f"none of {', '.join(repr(member.alias) for member in self.inputs)} has a column '{name}'"
        return Missing("unknown-column", message, did_you_mean(name, [*names, *self._spare(name)], "columns"))

    def _spare(self, name: str) -> list[str]:
        """The system columns that look like it; without their underscore those of the window, if there is one."""
        if name.startswith("_"):
            return [column for column in system_columns.SYSTEM_COLUMNS if nearest(name, [column])]
        bounds = ["window_start", "window_end"] if "_window_start" in self.window_columns else []
        return [bound for bound in bounds if nearest(name, [bound])]
