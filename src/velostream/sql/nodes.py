"""The nodes that the dialect adds to sqlglot's tree inside a query: windows, emission, keys, locations, row buffers."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp


class StreamSelect(exp.Select):
    """A SELECT with the clauses of a stream.

    `time_window`: TimeWindow; `emits`: list of Emit; `sinks`: list of exp.Table (this = Identifier or Location);
    `settings`: Settings; `partition_by`: list of expressions (ksqlDB's PARTITION BY).
    `sinks` and `settings` belong to a statement's outermost query, and the parser moves them to the statement.
    """

    arg_types: ClassVar = {
        **exp.Select.arg_types,
        "time_window": False,
        "emits": False,
        "sinks": False,
        "settings": False,
        "partition_by": False,
    }


class Duration(exp.Expression):
    """A length of time: `this` is the text as written, `micros` its length as an int."""

    arg_types: ClassVar = {"this": True, "micros": True}

    @property
    def micros(self) -> int:
        """Its length in microseconds."""
        return int(self.args["micros"])


class TimeWindow(exp.Expression):
    """`WINDOW name(args)` in any spelling.

    `this`: Identifier with the name as written (TUMBLING, HOP, or that of a named window); `expressions`: positional
    arguments, each a Duration or an expression (time column, session key); `options`: list of WindowOption;
    `named`: True for `WINDOW name` without parentheses; `spelling`: 'clause' | 'group' (TUMBLE(…) in GROUP BY) |
    'table' (FROM TABLE(TUMBLE(…))).
    """

    arg_types: ClassVar = {"this": True, "expressions": False, "options": False, "named": False, "spelling": False}


class WindowOption(exp.Expression):
    """A named argument of a window: `this` is the word in upper case (SIZE, ADVANCE BY, OFFSET, MAX, GRACE PERIOD,
    RETENTION), `expression` a Duration."""

    arg_types: ClassVar = {"this": True, "expression": True}


class Emit(exp.Expression):
    """One EMIT clause.

    `this`: CHANGES | FINAL | ON WATERMARK | WHEN | EARLY | EVERY; `condition` (WHEN); `interval`: Duration
    (EARLY EVERY); `fallback`: Duration (WHEN … FALLBACK EVERY); `rows`: number literal (EVERY n ROWS).
    """

    arg_types: ClassVar = {"this": True, "condition": False, "interval": False, "fallback": False, "rows": False}


class KeyItem(exp.Expression):
    """A select item marked PRIMARY KEY: `this` is the item, an Alias where it has one."""

    arg_types: ClassVar = {"this": True}

    @property
    def alias_or_name(self) -> str:
        """The name of the output column."""
        return str(self.this.alias_or_name)

    @property
    def output_name(self) -> str:
        """The name of the output column."""
        return str(self.this.output_name)


class Location(exp.Expression):
    """A source or sink by its address, `'kafka://host:9092/topic'`: `this` is the text. It is the `this` of a Table."""

    arg_types: ClassVar = {"this": True}

    @property
    def name(self) -> str:
        """The address."""
        return str(self.this)


class Setting(exp.Expression):
    """One `'key' = 'value'` of WITH: `this` and `expression` are Literals, or names where written bare."""

    arg_types: ClassVar = {"this": True, "expression": True}

    @property
    def property_name(self) -> str:
        """The key; one with dots that is written bare is a chain of names."""
        return ".".join(part.name for part in self.this.flatten()) if isinstance(self.this, exp.Dot) else self.this.name


class Settings(exp.Expression):
    """`WITH ('key' = 'value', …)`: `expressions` is a list of Setting."""

    arg_types: ClassVar = {"expressions": False}


class StreamTable(exp.Table):
    """A source in FROM with `watermark`: WatermarkDelay (Spark's `FROM s WATERMARK ts DELAY OF d`)."""

    arg_types: ClassVar = {**exp.Table.arg_types, "watermark": False}


class WatermarkDelay(exp.Expression):
    """`WATERMARK column DELAY OF d` after a source: `this` is the column, `expression` the Duration."""

    arg_types: ClassVar = {"this": True, "expression": True}


class StreamJoin(exp.Join):
    """A join with `within`: one or two Durations (`WITHIN d`, `WITHIN (before, after)`), and `grace`: Duration."""

    arg_types: ClassVar = {**exp.Join.arg_types, "within": False, "grace": False}


class RowBuffer(exp.Expression):
    """`ROWS WINDOW BUFFER n ROWS …`: `this` a number, `expire` a Duration, `emit` EVERY RECORD | ON BUFFER FULL."""

    arg_types: ClassVar = {"this": True, "expire": False, "emit": False}


class RowWindow(exp.Window):
    """`agg OVER (…)` with a `buffer`: RowBuffer."""

    arg_types: ClassVar = {**exp.Window.arg_types, "buffer": True}


class FieldAccess(exp.Expression):
    """ksqlDB's `a->b`: field `expression` (Identifier) of the struct `this`."""

    arg_types: ClassVar = {"this": True, "expression": True}


class WatermarkFor(exp.Expression):
    """Flink's `WATERMARK FOR ts AS ts - INTERVAL '5' SECOND` in a column list: `this` an Identifier, `expression`."""

    arg_types: ClassVar = {"this": True, "expression": True}
