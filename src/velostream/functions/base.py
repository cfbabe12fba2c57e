"""What a function is: its signature as data, from which checking, help and the reference page come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from velostream.types import Type


class FunctionKind(Enum):
    """Where a function may stand, and who computes it."""

    SCALAR = "scalar"
    AGGREGATE = "aggregate"
    WINDOW = "window"
    TABLE = "table"


class Shape(Enum):
    """What types a parameter takes."""

    ANY = "any"
    NUMBER = "number"
    INTEGER = "integer"
    STRING = "string"
    BINARY = "binary"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "timestamp"
    ARRAY = "array"
    MAP = "map"
    STRUCT = "struct"
    INTERVAL = "interval"
    ORDERED = "ordered"
    LAMBDA = "lambda"


Returns = Type | Callable[[tuple[Type, ...]], Type]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument."""

    name: str
    shape: Shape = Shape.ANY
    optional: bool = False
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function as users call it.

    `lowers` is how it becomes Spark SQL: empty means the same call under the same name, a name means another function
    of Spark, a text with `{0}`, `{1}` is a template. `accumulator` names the windowed accumulator of an aggregate.
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

    @property
    def least(self) -> int:
        """How many arguments it needs."""
        return sum(1 for parameter in self.parameters if not parameter.optional and not parameter.repeated)

    @property
    def most(self) -> int | None:
        """How many arguments it takes; None without bound."""
        return None if any(parameter.repeated for parameter in self.parameters) else len(self.parameters)

    @property
    def signature(self) -> str:
        """As help shows it: `SPLIT_PART(text, delimiter, part)`."""
        shown = [f"[{p.name}]" if p.optional else f"{p.name}, …" if p.repeated else p.name for p in self.parameters]
        return f"{self.name}({', '.join(shown)})"

    def result_type(self, arguments: tuple[Type, ...]) -> Type:
        """The type of a call with arguments of these types."""
        return self.returns(arguments) if callable(self.returns) else self.returns
