"""Variables in values: `${NAME}`, `${NAME:default}`, `${FIRST|SECOND:default}`; `$${` is a plain `${`.

What a variable holds is never looked at again: a value cannot smuggle in another variable. Defaults may hold variables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from velostream.errors import InvalidConfig

_NAMES = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\|[A-Za-z_][A-Za-z0-9_]*)*")
_HINT = "write ${NAME}, ${NAME:default} or ${FIRST|SECOND:default}; $${ stands for a plain ${"


def substitute(text: str, variables: Mapping[str, str]) -> str:
    """The text with its variables put in. A variable that is set to nothing counts as set."""
    result, position = _until(text, 0, variables, inside=False)
    assert position == len(text)
    return result


def _until(text: str, position: int, variables: Mapping[str, str], *, inside: bool) -> tuple[str, int]:
    """Text with variables put in, up to the end, or inside a default up to its closing brace."""
    parts: list[str] = []
    while position < len(text):
        if text.startswith("$${", position):
            parts.append("${")
            position += 3
        elif text.startswith("${", position):
            value, position = _variable(text, position, variables)
            parts.append(value)
        elif inside and text[position] == "}":
            return "".join(parts), position
        else:
            parts.append(text[position])
            position += 1
    return "".join(parts), position


def _variable(text: str, start: int, variables: Mapping[str, str]) -> tuple[str, int]:
    names = _NAMES.match(text, start + 2)
    end = names.end() if names else start + 2
    if names is None or text[end : end + 1] not in (":", "}"):
        raise InvalidConfig(f"'{text[start:]}' does not name a variable", hint=_HINT)
    value = next((variables[name] for name in names[0].split("|") if name in variables), None)
    if text[end] == "}":
        if value is None:
            raise _missing(names[0])
        return value, end + 1
    # Only a default that is needed may complain about variables of its own.
    default, end = _until(text, end + 1, variables if value is None else _AnyName(), inside=True)
    if end == len(text):
        raise InvalidConfig(f"'{text[start:]}' is not closed", hint=_HINT)
    return (default if value is None else value), end + 1


class _AnyName(dict[str, str]):
    """Knows every variable, for a default that is not needed."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return ""


def _missing(names: str) -> InvalidConfig:
    shown = " or ".join(f"'{name}'" for name in names.split("|"))
    first = names.split("|")[0]
    hint = f"set it, or give a default: ${{{names}:default}}"
    subject = "variable" if first == names else "none of the variables"
    verb = "is not set" if first == names else "is set"
    return InvalidConfig(f"{subject} {shown} {verb}", hint=hint, code="missing-variable")
