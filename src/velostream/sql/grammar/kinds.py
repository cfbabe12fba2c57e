"""Types as they are written in CAST and in column lists: Spark's, with the names that Flink and ksqlDB users type."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from velostream.registry import did_you_mean
from velostream.sql.grammar.aliases import Aliases
from velostream.sql.grammar.number import number

TYPES: dict[str, exp.DType] = {
    "BOOLEAN": exp.DType.BOOLEAN,
    "BOOL": exp.DType.BOOLEAN,
    "TINYINT": exp.DType.TINYINT,
    "BYTE": exp.DType.TINYINT,
    "SMALLINT": exp.DType.SMALLINT,
    "SHORT": exp.DType.SMALLINT,
    "INT": exp.DType.INT,
    "INTEGER": exp.DType.INT,
    "BIGINT": exp.DType.BIGINT,
    "LONG": exp.DType.BIGINT,
    "FLOAT": exp.DType.FLOAT,
    "REAL": exp.DType.FLOAT,
    "DOUBLE": exp.DType.DOUBLE,
    "DECIMAL": exp.DType.DECIMAL,
    "DEC": exp.DType.DECIMAL,
    "NUMERIC": exp.DType.DECIMAL,
    "STRING": exp.DType.TEXT,
    "TEXT": exp.DType.TEXT,
    "VARCHAR": exp.DType.VARCHAR,
    "CHAR": exp.DType.CHAR,
    "BINARY": exp.DType.BINARY,
    "BYTES": exp.DType.BINARY,
    "VARBINARY": exp.DType.BINARY,
    "DATE": exp.DType.DATE,
    "TIMESTAMP": exp.DType.TIMESTAMPTZ,
    "DATETIME": exp.DType.TIMESTAMPTZ,
    "TIMESTAMPTZ": exp.DType.TIMESTAMPTZ,
    "TIMESTAMP_LTZ": exp.DType.TIMESTAMPLTZ,
    "TIMESTAMP_NTZ": exp.DType.TIMESTAMPNTZ,
    "VARIANT": exp.DType.VARIANT,
    "VOID": exp.DType.NULL,
    "ARRAY": exp.DType.ARRAY,
    "MAP": exp.DType.MAP,
    "STRUCT": exp.DType.STRUCT,
    "ROW": exp.DType.STRUCT,
    "INTERVAL": exp.DType.INTERVAL,
}
"""The types by name. TIMESTAMP is Spark's: a point in time (sqlglot calls it TIMESTAMPTZ)."""

_SIZED = {
    "DECIMAL": 2,
    "DEC": 2,
    "NUMERIC": 2,
    "VARCHAR": 1,
    "CHAR": 1,
    "BINARY": 1,
    "VARBINARY": 1,
    "TIMESTAMP": 1,
    "TIMESTAMP_LTZ": 1,
    "TIMESTAMP_NTZ": 1,
}
_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


class Kinds(Aliases):
    """Rules for types."""

    def read_type(self) -> exp.DataType:
        """A type, nested ones too."""
        start, name = self._index, self.word
        if self.kind_ahead() is not TokenType.VAR:
            self.unexpected("a type")
        if name not in TYPES:
            hint = (
                did_you_mean(name, TYPES) or "use a Spark SQL type such as BIGINT, STRING, DECIMAL(10,2), ARRAY<STRING>"
            )
            self.refuse(f"'{self._tokens[start].text}' is not a type", hint=hint, code="invalid-type")
        self._advance()
        self.deeper()
        if name in ("ARRAY", "MAP"):
            kind = self._nested(name)
        elif name in ("STRUCT", "ROW"):
            kind = self._struct()
        elif name == "INTERVAL":
            kind = self._interval()
        else:
            kind = self._plain(name)
        self.shallower()
        return self.node(kind, start)

    def _plain(self, name: str) -> exp.DataType:
        if name == "DOUBLE":
            self.accept("PRECISION")
        sizes = self._sizes(_SIZED[name]) if name in _SIZED and self.at("(") else []
        kind = TYPES[name]
        if name == "TIMESTAMP" and self.accept("WITH", "LOCAL", "TIME", "ZONE"):
            kind = exp.DType.TIMESTAMPLTZ
        elif name == "TIMESTAMP" and self.accept("WITHOUT", "TIME", "ZONE"):
            kind = exp.DType.TIMESTAMPNTZ
        return (
            exp.DataType(this=kind, expressions=sizes, nested=False) if sizes else exp.DataType(this=kind, nested=False)
        )

    def _sizes(self, most: int) -> list[exp.Expr]:
        self.expect("(")
        sizes: list[exp.Expr] = []
        while True:
            start = self._index
            if self.kind_ahead() is not TokenType.NUMBER or not self._tokens[start].text.isdecimal():
                self.unexpected("a number")
            literal = self.node(number(self.take_name().text), start)
            sizes.append(self.node(exp.DataTypeParam(this=literal), start))
            if len(sizes) == most or not self.accept(","):
                break
        self.expect(")")
        return sizes

    def _nested(self, name: str) -> exp.DataType:
        self.expect("<")
        parts: list[exp.Expr] = [self.read_type()]
        if name == "MAP":
            self.expect(",")
            parts.append(self.read_type())
        self.expect(">")
        return exp.DataType(this=TYPES[name], expressions=parts, nested=True)

    def _struct(self) -> exp.DataType:
        closing = ">" if self.accept("<") else ")" if self.accept("(") else self.unexpected()
        fields: list[exp.Expr] = []
        while True:
            start = self._index
            name = self.read_name("a field")
            self.accept(":")
            fields.append(self.node(exp.ColumnDef(this=name, kind=self.read_type()), start))
            if not self.accept(","):
                break
        self.expect(closing)
        return exp.DataType(this=exp.DType.STRUCT, expressions=fields, nested=True)

    def _interval(self) -> exp.DataType:
        if self.word not in _FIELDS:
            return exp.DataType(this=exp.DType.INTERVAL)
        unit: exp.Expr = self._field()
        if self.accept("TO"):
            unit = exp.IntervalSpan(this=unit, expression=self._field())
        interval = exp.Interval()
        interval.set("unit", unit)
        return exp.DataType(this=interval)

    def _field(self) -> exp.Var:
        if self.word not in _FIELDS:
            self.unexpected(*_FIELDS)
        start = self._index
        self._advance()
        return self.node(exp.Var(this=self._words[start]), start)
