"""What a function is: its signature as data, from which checking, help and the reference page come."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from velostream.types import Type

if TYPE_CHECKING:
    from velostream.functions.implementation import Implementation


class FunctionKind(Enum):
    """Where a function may stand, and who computes it."""

    SCALAR = "scalar"
    AGGREGATE = "aggregate"
    WINDOW = "window"
    TABLE = "table"


class Shape(Enum):
    """What types a parameter takes; which these are, is in `check.py`."""

    ANY = "any"
    ATOMIC = "plain value"
    CASTABLE = "number, text or truth value"
    NUMBER = "number"
    AMOUNT = "number or interval"
    MEASURE = "number, interval or time"
    PERCENTAGE = "number or array of numbers"
    INTEGER = "integer"
    WHOLE = "whole number"
    INT = "whole number up to INT"
    STRING = "string"
    TEXT = "text"
    BINARY = "binary"
    BYTES = "BINARY value"
    BOOLEAN = "boolean"
    CONDITION = "condition"
    TRUTH = "truth value, number or text"
    DATE = "date"
    TIME = "timestamp"
    INSTANT = "timestamp with a zone"
    CLOCK = "time of day"
    SPAN = "date, time or interval"
    STEP = "whole number, date or time"
    ARRAY = "array"
    ARRAYS = "array of arrays"
    ENTRIES = "array of structs of a key and a value"
    VECTOR = "array of FLOAT"
    MAP = "map"
    COLLECTION = "array or map"
    SEQUENCE = "string, binary or array"
    NESTED = "array, map or struct"
    STRUCT = "struct"
    INTERVAL = "interval"
    VARIANT = "variant"
    ORDERED = "sortable value"
    LAMBDA = "lambda"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument. A constant one must be known before anything runs; repeated ones come again, as a group."""

    name: str
    shape: Shape = Shape.ANY
    optional: bool = False
    repeated: bool = False
    constant: bool = False
    alike: bool = False
    """It must have a common type with the other such arguments."""
    inner: bool = False
    """It must have a common type with the elements of the first argument, or the keys where that is a map."""

    def __str__(self) -> str:
        return f"[{self.name}]" if self.optional else self.name


@dataclass(frozen=True, slots=True)
class ByLiteral:
    """A rule for a result type that depends on values too: those of literals, None for all other arguments."""

    rule: Callable[[tuple[Type, ...], tuple[object, ...]], Type]


Returns = Type | Callable[[tuple[Type, ...]], Type] | ByLiteral

_NAME = re.compile(r"([A-Za-z]\w*)?")
_PLACE = re.compile(r"\{(\d+|\d*\*|order)\}")


@dataclass(frozen=True, slots=True)
class Function:
    """A function as users call it.

    `alternatives` are other parameter lists under the same name. `lower` tells how `lowers` becomes Spark SQL.
    `accumulator` names the windowed accumulator of an aggregate; where it is empty, or for other kinds where `refused`
    says why, a stream cannot have the function. `merges` says that partial results combine in any order at little cost.
    `example` is a whole call; where `result` is given, running the example gives that text.
    """

    name: str
    kind: FunctionKind
    family: str
    parameters: tuple[Parameter, ...]
    returns: Returns
    doc: str
    example: str
    result: str | None = None
    aliases: tuple[str, ...] = ()
    lowers: str = ""
    accumulator: str = ""
    merges: bool = True
    deterministic: bool = True
    alternatives: tuple[tuple[Parameter, ...], ...] = ()
    refused: str = ""
    implementation: Implementation | None = None
    """What runs it, for a function that a user wrote in Python."""

    @property
    def parameter_lists(self) -> tuple[tuple[Parameter, ...], ...]:
        """All ways to call it."""
        return (self.parameters, *self.alternatives)

    @property
    def least(self) -> int:
        """How many arguments it needs."""
        return min(least(parameters) for parameters in self.parameter_lists)

    @property
    def most(self) -> int | None:
        """How many arguments it takes; None without bound."""
        counts = [most(parameters) for parameters in self.parameter_lists]
        return None if None in counts else max(count for count in counts if count is not None)

    @property
    def signature(self) -> str:
        """As help shows it: `SPLIT_PART(text, delimiter, part)`."""
        return _signature(self.name, self.parameters)

    @property
    def signatures(self) -> tuple[str, ...]:
        """The signature of every way to call it."""
        return tuple(_signature(self.name, parameters) for parameters in self.parameter_lists)

    def result_type(self, arguments: tuple[Type, ...], literals: tuple[object, ...] = ()) -> Type:
        """The type of a call with arguments of these types; a lambda's type is that of its body.

        `literals` are the values of those arguments that are literals, None for the others: ROUND(x, 2) and
        FROM_JSON(x, 'a INT') have types that only the values tell.
        """
        if isinstance(self.returns, ByLiteral):
            return self.returns.rule(arguments, literals or (None,) * len(arguments))
        return self.returns(arguments) if callable(self.returns) else self.returns

    def lower(self, arguments: Sequence[str], order: str = "_event_time") -> str:
        """The call as Spark SQL, from the Spark SQL of its arguments.

        `lowers` is empty for the same call under the same name, a name for another function of Spark, else templates,
        one per line: the first is taken whose last argument is the last one given. In a template `{0}` is the first
        argument, `{*}` all, `{1*}` all from the second on, and `{order}` what orders records: event time, source,
        partition, offset. A template without any argument stands for a call with any.
        """
        for template in self.lowers.split("\n"):
            if _NAME.fullmatch(template):
                return f"{template or self.name.lower()}({', '.join(arguments)})"
            if _takes(template, len(arguments)):
                return _PLACE.sub(lambda place: _fill(place[1], arguments, order), template)
        raise ValueError(f"no template of {self.name} takes {len(arguments)} arguments")


def least(parameters: tuple[Parameter, ...]) -> int:
    """How many arguments a parameter list needs."""
    return sum(1 for parameter in parameters if not parameter.optional and not parameter.repeated)


def most(parameters: tuple[Parameter, ...]) -> int | None:
    """How many arguments a parameter list takes; None without bound."""
    return None if any(parameter.repeated for parameter in parameters) else len(parameters)


def _signature(name: str, parameters: tuple[Parameter, ...]) -> str:
    shown = [str(parameter) for parameter in parameters]
    if most(parameters) is None:
        shown.append("…")
    return f"{name}({', '.join(shown)})"


def _takes(template: str, count: int) -> bool:
    places = {place for place in _PLACE.findall(template) if place != "order"}
    if any(place.endswith("*") for place in places):
        return count > max((int(place) for place in places if place.isdigit()), default=-1)
    return not places or max(map(int, places)) == count - 1


def _fill(place: str, arguments: Sequence[str], order: str) -> str:
    if place == "order":
        return order
    if place.endswith("*"):
        return ", ".join(arguments[int(place[:-1] or 0) :])
    return arguments[int(place)]
