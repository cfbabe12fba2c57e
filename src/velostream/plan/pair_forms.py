"""Conditions over two rows as the operator of a join computes them: like plan.forms, with sums, products and quotients.

What fails in Spark, a sum that is too large or a division by zero, is known here too: of such a pair Spark is asked
after the join, and says what it is. Random tests prove both equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from sqlglot import exp

from velostream.plan.expression import Expression
from velostream.plan.fields import Fields
from velostream.plan.forms import ARITHMETIC, COMPARED, TRUTH, Form
from velostream.types import Type

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_PLAIN = {"STRING": "text", "DOUBLE": "double", "BOOLEAN": "truth", "TIMESTAMP": "time", "DATE": "day"}
_COMPARED = COMPARED | {exp.NullSafeEQ: "same"}
_MAY_FAIL = ("whole", "/", "whole abs")


class _Value(NamedTuple):
    """A form, the family of its values, and how many bits a whole number has."""

    form: Form
    family: str
    bits: int = 0


def pair_form(expression: Expression, fields: Fields, known: Mapping[str, Form]) -> Form | None:
    """The condition as data, with fields replaced by what they stand for; None where it may differ."""
    made = _Pairs(fields, known).value(expression.tree)
    return made.form if made is not None and made.family == "truth" else None


def may_fail(form: Form) -> bool:
    """True where Spark may have to be asked what a pair is."""
    return form[0] in _MAY_FAIL or any(isinstance(part, tuple) and may_fail(part) for part in form[1:])


class _Pairs:
    """What each part of a condition is."""

    def __init__(self, fields: Fields, known: Mapping[str, Form]) -> None:
        self.fields = fields
        self.known = known

    def value(self, node: exp.Expr) -> _Value | None:
        """A part as data; None where only Spark knows."""
        if isinstance(node, exp.Paren):
            return self.value(node.this)
        if isinstance(node, exp.Column):
            return None if node.table else self._column(node.name)
        if isinstance(node, exp.Literal):
            return _literal(node)
        if isinstance(node, exp.Boolean):
            return _Value(("value", bool(node.this)), "truth")
        make = next((made for kinds, made in self._makers() if isinstance(node, kinds)), None)
        if make is None:
            return None
        parts = [self.value(part) for part in _parts(node)]
        found = [part for part in parts if part is not None]
        return make(node, found) if found and len(found) == len(parts) else None

    def _makers(
        self,
    ) -> tuple[tuple[tuple[type[exp.Expr], ...], Callable[[exp.Expr, list[_Value]], _Value | None]], ...]:
        return (
            (tuple(TRUTH), _truth),
            ((exp.Not,), _not),
            ((exp.Is,), _null),
            (tuple(_COMPARED), _compared),
            ((exp.Between,), _between),
            ((exp.In,), _listed),
            ((*ARITHMETIC, exp.Div), _arithmetic),
            ((exp.Neg,), _negative),
            ((exp.Anonymous,), _call),
            ((exp.DPipe,), _concatenated),
        )

    def _column(self, name: str) -> _Value | None:
        kind = self.fields.of(name).type
        family, bits = _family(kind)
        return _Value(self.known.get(name, ("column", name)), family, bits) if family else None


def _parts(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Is):
        return [node.this] if isinstance(node.expression, exp.Null) else [node]
    if isinstance(node, exp.In):
        return [] if node.args.get("query") or node.args.get("unnest") else [node.this, *node.expressions]
    return list(node.iter_expressions())


def _family(kind: Type) -> tuple[str, int]:
    if kind.name in _BITS:
        return "whole", _BITS[kind.name]
    if kind.name == "DECIMAL":
        return str(kind), 0
    return _PLAIN.get(kind.name, ""), 0


def _literal(node: exp.Literal) -> _Value | None:
    if node.is_string:
        return _Value(("value", node.name), "text")
    if not node.name.isdecimal():
        return _Value(("number", node.name), "number")
    number = int(node.name)
    bits = 32 if number < 1 << 31 else 64
    return _Value(("value", number), "whole", bits) if number < 1 << 63 else None


def _truth(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    fits = all(part.family == "truth" for part in parts)
    return _Value((TRUTH[type(node)], *(part.form for part in parts)), "truth") if fits else None


def _not(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    return _Value(("not", parts[0].form), "truth") if parts[0].family == "truth" else None


def _null(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    return _Value(("null", parts[0].form), "truth")


def _alike(parts: list[_Value]) -> list[Form] | None:
    """The values in one type, without any that Spark would cast otherwise."""
    families = {part.family for part in parts}
    if len(families) == 1 and "number" not in families:
        return [part.form for part in parts]
    if "double" in families and families <= {"double", "whole", "number"}:
        return [part.form if part.family == "double" else ("double", part.form) for part in parts]
    return None


def _compared(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    forms = _alike(parts)
    return None if forms is None else _Value((_COMPARED[type(node)], *forms), "truth")


def _between(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    """Each bound is compared by itself, as Spark does."""
    low, high = _alike(parts[:2]), _alike([parts[0], parts[2]])
    if low is None or high is None:
        return None
    return _Value(("and", (">=", *low), ("<=", *high)), "truth")


def _listed(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    forms = _alike(parts)
    return None if forms is None else _Value(("in", *forms), "truth")


def _arithmetic(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    families = {part.family for part in parts}
    forms = [part.form for part in parts]
    if isinstance(node, exp.Div):
        return _Value(("/", *forms), "double") if families in ({"whole"}, {"double"}, {"double", "whole"}) else None
    word = ARITHMETIC[type(node)]
    if families == {"whole"}:
        bits = max(part.bits for part in parts)
        return _Value(("whole", word, bits, *forms), "whole", bits)
    doubles = "double" in families and families <= {"double", "whole", "number"}
    return _Value((word, *forms), "double") if doubles else None


def _negative(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    [part] = parts
    if part.form[0] == "number":
        return _Value(("number", f"-{part.form[1]}"), part.family)
    if part.family == "double":
        return _Value(("*", part.form, ("value", -1)), "double")
    if part.family != "whole":
        return None
    if part.form[0] == "value":
        return _Value(("value", -part.form[1]), "whole", part.bits)
    return _Value(("whole", "-", part.bits, ("value", 0), part.form), "whole", part.bits)


def _call(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    name = str(node.this).upper()
    if name == "ABS" and len(parts) == 1 and parts[0].family in ("whole", "double"):
        [part] = parts
        form = ("abs", part.form) if part.family == "double" else ("whole abs", part.bits, part.form)
        return _Value(form, part.family, part.bits)
    if name == "COALESCE":
        families = {part.family for part in parts}
        alike = len(families) == 1 and families != {"number"} and len({part.bits for part in parts}) == 1
        first = parts[0]
        return _Value(("first", *(part.form for part in parts)), first.family, first.bits) if alike else None
    return _concatenated(node, parts) if name == "CONCAT" else None


def _concatenated(node: exp.Expr, parts: list[_Value]) -> _Value | None:
    fits = all(part.family == "text" for part in parts)
    return _Value(("joined", *(part.form for part in parts)), "text") if fits else None
