"""Expressions to text. Parentheses are added where a tree that was put together needs them: no meaning changes."""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp
from sqlglot.generators.spark import SparkGenerator

from velostream.sql import nodes, statements
from velostream.sql.nodes import Duration, FieldAccess

_UNARY = 12
_VALUE = 5
_NOT = 3
_TIGHTEST = 13

SIGNS: dict[type[exp.Expr], tuple[int, str]] = {
    exp.Or: (1, "OR"),
    exp.And: (2, "AND"),
    exp.EQ: (_VALUE, "="),
    exp.NullSafeEQ: (_VALUE, "<=>"),
    exp.NEQ: (_VALUE, "<>"),
    exp.LT: (_VALUE, "<"),
    exp.LTE: (_VALUE, "<="),
    exp.GT: (_VALUE, ">"),
    exp.GTE: (_VALUE, ">="),
    exp.BitwiseOr: (6, "|"),
    exp.BitwiseXor: (7, "^"),
    exp.BitwiseAnd: (8, "&"),
    exp.BitwiseLeftShift: (9, "<<"),
    exp.BitwiseRightShift: (9, ">>"),
    exp.Add: (10, "+"),
    exp.Sub: (10, "-"),
    exp.DPipe: (10, "||"),
    exp.Mul: (11, "*"),
    exp.Div: (11, "/"),
    exp.Mod: (11, "%"),
    exp.IntDiv: (11, "DIV"),
}
"""The operators between two operands: how tightly they bind, and their sign."""

LEVELS: dict[type[exp.Expr], int] = {
    **{kind: level for kind, (level, _) in SIGNS.items()},
    exp.Lambda: 0,
    exp.Alias: 0,
    exp.Not: _NOT,
    **dict.fromkeys((exp.Between, exp.In, exp.Is, exp.Like, exp.ILike, exp.RegexpLike, exp.Escape, exp.NullSafeNEQ), 4),
    exp.Exists: 4,
    exp.Neg: _UNARY,
    exp.BitwiseNot: _UNARY,
}
"""How tightly a node binds; what is not here binds most tightly."""

NODES: dict[str, type[exp.Expr]] = {
    kind.key: kind
    for module in (nodes, statements)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, exp.Expr) and kind.__module__ == module.__name__
}
"""The nodes of the dialect by the name that their printing method begins with."""


class Expressions(SparkGenerator):
    """Prints expressions."""

    TRANSFORMS: ClassVar = SparkGenerator.TRANSFORMS

    def __init_subclass__(cls, **settings: object) -> None:
        """Makes the printing methods of our classes win over Spark's rules, which rewrite more than we want."""
        super().__init_subclass__(**settings)
        rules = {kind: rule for kind, rule in SparkGenerator.TRANSFORMS.items() if kind not in SIGNS}
        rules.update(dict.fromkeys(SIGNS, lambda self, node: self.chain(node)))
        ours = [owner for owner in cls.__mro__ if owner.__module__.startswith(__name__.rpartition(".")[0])]
        for name in {name for owner in ours for name in vars(owner) if name.endswith("_sql")}:
            key = name.removesuffix("_sql")
            kind = NODES.get(key) or exp.EXPR_CLASSES[key]
            rules[kind] = lambda self, node, name=name: getattr(self, name)(node)
        cls.TRANSFORMS = rules

    def operand(self, node: exp.Expr, least: int) -> str:
        """A node as part of another one that binds as tightly as `least`."""
        text = self.sql(node)
        return f"({text})" if LEVELS.get(type(node), _TIGHTEST) < least else text

    def chain(self, node: exp.Expr) -> str:
        """Operators left to right; long chains do not recurse."""
        parts: list[str] = []
        while True:
            level, sign = SIGNS[type(node)]
            parts.append(self.operand(node.expression, level + 1))
            parts.append(f" {sign} ")
            left = node.this
            if type(left) not in SIGNS or LEVELS[type(left)] < level:
                parts.append(self.operand(left, level))
                return "".join(reversed(parts))
            node = left

    def not_sql(self, expression: exp.Not) -> str:
        """`x IS NOT NULL` and `x NOT IN (…)` rather than NOT in front."""
        inner = expression.this
        if isinstance(inner, (exp.Is, exp.In, exp.Between, exp.RegexpLike)) and not inner.args.get("negate"):
            return self._predicate(inner, "NOT ")
        return f"NOT {self.operand(inner, _NOT)}"

    def _predicate(self, node: exp.Expr, no: str) -> str:
        value = self.operand(node.this, _VALUE)
        if isinstance(node, exp.Is):
            return f"{value} IS {no}{self.sql(node, 'expression')}"
        if isinstance(node, exp.Between):
            low, high = self.operand(node.args["low"], _VALUE), self.operand(node.args["high"], _VALUE)
            return f"{value} {no}BETWEEN {low} AND {high}"
        if isinstance(node, exp.RegexpLike):
            return f"{value} {no}RLIKE {self.operand(node.expression, _VALUE + 1)}"
        if node.args.get("query"):
            return f"{value} {no}IN {self.sql(node, 'query')}"
        return f"{value} {no}IN ({self.listed(node.expressions)})"

    def is_sql(self, expression: exp.Is) -> str:
        """`x IS NULL`."""
        return self._predicate(expression, "NOT " if expression.args.get("negate") else "")

    def between_sql(self, expression: exp.Between) -> str:
        """`x BETWEEN a AND b`."""
        return self._predicate(expression, "")

    def in_sql(self, expression: exp.In) -> str:
        """`x IN (…)`."""
        return self._predicate(expression, "")

    def regexplike_sql(self, expression: exp.RegexpLike) -> str:
        """`x RLIKE p`."""
        return self._predicate(expression, "")

    def like_sql(self, expression: exp.Like) -> str:
        """`x LIKE p`."""
        return self._like(expression, "LIKE")

    def ilike_sql(self, expression: exp.ILike) -> str:
        """`x ILIKE p`."""
        return self._like(expression, "ILIKE")

    def _like(self, node: exp.Expr, word: str) -> str:
        no = "NOT " if node.args.get("negate") else ""
        return f"{self.operand(node.this, _VALUE)} {no}{word} {self.operand(node.expression, _VALUE + 1)}"

    def escape_sql(self, expression: exp.Escape) -> str:
        """`x LIKE p ESCAPE c`."""
        return f"{self.sql(expression, 'this')} ESCAPE {self.sql(expression, 'expression')}"

    def nullsafeneq_sql(self, expression: exp.NullSafeNEQ) -> str:
        """`a IS DISTINCT FROM b`."""
        return f"{self.operand(expression.this, _VALUE)} IS DISTINCT FROM {self.operand(expression.expression, _VALUE)}"

    def neg_sql(self, expression: exp.Neg) -> str:
        """`-x`; a second minus keeps its distance, for `--` is a comment."""
        inner = self.operand(expression.this, _UNARY)
        return f"- {inner}" if inner.startswith("-") else f"-{inner}"

    def bitwisenot_sql(self, expression: exp.BitwiseNot) -> str:
        """`~x`."""
        return f"~{self.operand(expression.this, _UNARY)}"

    def any_sql(self, expression: exp.Any) -> str:
        """`ANY (…)`."""
        return f"ANY {self._wrapped(expression.this)}"

    def all_sql(self, expression: exp.All) -> str:
        """`ALL (…)`."""
        return f"ALL {self._wrapped(expression.this)}"

    def exists_sql(self, expression: exp.Exists) -> str:
        """`EXISTS (…)`."""
        return f"EXISTS {self._wrapped(expression.this)}"

    def _wrapped(self, node: exp.Expr) -> str:
        text = self.sql(node)
        return text if isinstance(node, (exp.Subquery, exp.Tuple)) else f"({text})"

    def listed(self, nodes: list[exp.Expr]) -> str:
        """Nodes with commas between them."""
        return ", ".join(self.sql(node) for node in nodes)

    def bracket_sql(self, expression: exp.Bracket) -> str:
        """`a[i]`."""
        return f"{self.operand(expression.this, _TIGHTEST)}[{self.listed(expression.expressions)}]"

    def dot_sql(self, expression: exp.Dot) -> str:
        """`a.b`."""
        return f"{self.operand(expression.this, _TIGHTEST)}.{self.sql(expression, 'expression')}"

    def fieldaccess_sql(self, expression: FieldAccess) -> str:
        """`a->b`."""
        return f"{self.operand(expression.this, _TIGHTEST)}->{self.sql(expression, 'expression')}"

    def collate_sql(self, expression: exp.Collate) -> str:
        """`a COLLATE c`."""
        return f"{self.operand(expression.this, _TIGHTEST)} COLLATE {self.sql(expression, 'expression')}"

    def duration_sql(self, expression: Duration) -> str:
        """A length of time as it was written."""
        return str(expression.this)

    def interval_sql(self, expression: exp.Interval) -> str:
        """`INTERVAL '1' MINUTE`."""
        amount = self.sql(expression, "this")
        unit = self.sql(expression, "unit")
        return " ".join(part for part in ("INTERVAL", amount, unit) if part)

    def ordered_sql(self, expression: exp.Ordered) -> str:
        """`x DESC NULLS LAST`; what Spark does anyway is not said, unless it was."""
        descending, nulls_first = expression.args.get("desc"), bool(expression.args.get("nulls_first"))
        order = " DESC" if descending else " ASC" if descending is False else ""
        nulls = ""
        if expression.meta_get("nulls_written") or nulls_first != (not descending):
            nulls = " NULLS FIRST" if nulls_first else " NULLS LAST"
        return f"{self.sql(expression, 'this')}{order}{nulls}"

    def datatype_sql(self, expression: exp.DataType) -> str:
        """A type under Spark's name, with what it is made of."""
        kind, parts = expression.this, expression.expressions
        if isinstance(kind, exp.Interval):
            return self.sql(kind)
        name = "VOID" if kind is exp.DType.NULL else self.TYPE_MAPPING.get(kind, kind.value)
        if expression.args.get("nested"):
            return f"{name}<{self.listed(parts)}>"
        return f"{name}({self.listed(parts)})" if parts else str(name)

    def lambda_sql(self, expression: exp.Lambda, arrow_sep: str = "->", wrap: bool = True) -> str:
        """`x -> …`, `(x, y) -> …`."""
        names = self.listed(expression.expressions)
        names = names if len(expression.expressions) == 1 else f"({names})"
        return f"{names} {arrow_sep} {self.sql(expression, 'this')}"

    def trim_sql(self, expression: exp.Trim) -> str:
        """`TRIM(BOTH c FROM x)`."""
        position = expression.args.get("position") or ""
        characters = self.sql(expression, "expression")
        return f"TRIM({' '.join(part for part in (position, characters) if part)} FROM {self.sql(expression, 'this')})"

    def strposition_sql(self, expression: exp.StrPosition) -> str:
        """`POSITION(a IN b)`."""
        return f"POSITION({self.operand(expression.args['substr'], _VALUE)} IN {self.operand(expression.this, _VALUE)})"

    def substring_sql(self, expression: exp.Substring) -> str:
        """`SUBSTRING(x FROM a FOR b)`."""
        length = expression.args.get("length")
        tail = f" FOR {self.sql(length)}" if length is not None else ""
        return f"SUBSTRING({self.sql(expression, 'this')} FROM {self.sql(expression, 'start')}{tail})"

    def trycast_sql(self, expression: exp.TryCast) -> str:
        """`TRY_CAST(x AS t)`."""
        return f"TRY_CAST({self.sql(expression, 'this')} AS {self.sql(expression, 'to')})"

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        """`CAST(x AS t)`."""
        return f"CAST({self.sql(expression, 'this')} AS {self.sql(expression, 'to')})"
