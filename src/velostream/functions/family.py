"""How a family of functions is written down: one call per function, its signature as text.

`SUBSTRING(text: string, start: integer, [length: integer])`; a name in brackets is optional, `values*` comes again and
again, `k!` must be a constant, those marked `=` must have a common type, one marked `~` must fit into the first, an
array or map. `| (…)` is another way to call the function. Without a shape a parameter takes anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from velostream.functions.base import Function, FunctionKind, Parameter, Returns, Shape

_PARAMETER = re.compile(r"(\[)?(\w+)([*!=~]*)(?:: (\w+))?(\])?(?:, |$)")
_SHAPES = {shape.name.lower(): shape for shape in Shape}


@dataclass(frozen=True, slots=True)
class Family:
    """Declares the functions of one family and kind."""

    name: str
    kind: FunctionKind = FunctionKind.SCALAR

    def __call__(
        self,
        signature: str,
        returns: Returns,
        doc: str,
        example: str,
        result: str | None = None,
        *,
        aliases: tuple[str, ...] = (),
        lowers: str = "",
        accumulator: str = "",
        merges: bool = True,
        deterministic: bool = True,
        refused: str = "",
    ) -> Function:
        """One function."""
        name, parameters = parse_signature(signature)
        return Function(
            name,
            self.kind,
            self.name,
            parameters[0],
            returns,
            doc,
            example,
            result,
            aliases,
            lowers,
            accumulator,
            merges,
            deterministic,
            parameters[1:],
            refused,
        )


def parse_signature(text: str) -> tuple[str, tuple[tuple[Parameter, ...], ...]]:
    """The name and the parameter lists that a text means."""
    name, *lists = text.replace(") | (", "(").removesuffix(")").split("(")
    if not lists or not name.isidentifier():
        raise ValueError(f"'{text}' is not a signature")
    return name, tuple(map(parse_parameters, lists))


@cache
def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """The parameters that a text means; a slip in it is a programming error."""
    parameters = []
    position = 0
    for match in _PARAMETER.finditer(text):
        opening, name, marks, shape, closing = match.groups()
        if match.start() != position or bool(opening) != bool(closing) or (shape and shape not in _SHAPES):
            raise ValueError(f"'{text}' is not a list of parameters at '{text[position:]}'")
        kind = _SHAPES[shape] if shape else Shape.ANY
        parameters.append(Parameter(name, kind, bool(opening), *(sign in marks for sign in "*!=~" if marks)))
        position = match.end()
    if position != len(text):
        raise ValueError(f"'{text}' is not a list of parameters at '{text[position:]}'")
    return tuple(parameters)
