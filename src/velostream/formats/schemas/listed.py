"""Columns as a list in YAML or JSON: `- {name: symbol, type: STRING, nullable: false}`, or `symbol: STRING`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from velostream import types
from velostream.errors import InvalidSchema, InvalidType
from velostream.formats.field import Field

if TYPE_CHECKING:
    import yaml
else:
    from velostream.lazy import lazy

    yaml = lazy("yaml")

_HINT = "write '- {name: symbol, type: STRING, nullable: false}' or 'symbol: STRING'"
_KEYS = {"name", "type", "nullable", "key", "doc", "description"}


def read_listed(text: str) -> tuple[Field, ...]:
    """The columns of a YAML or JSON text: a list, a mapping of names to types, or either under the key `columns`."""
    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidSchema(f"not YAML: {' '.join(str(error).split())}") from None
    if isinstance(found, dict) and set(found) in ({"columns"}, {"fields"}):
        found = next(iter(found.values()))
    if isinstance(found, dict) and found:
        fields = [_field({"name": name, "type": kind}) for name, kind in found.items()]
    elif isinstance(found, list) and found:
        fields = [_field(member) for member in found]
    else:
        raise InvalidSchema("there are no columns", hint=_HINT)
    names = [field.name.casefold() for field in fields]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidSchema(f"column '{twice}' is listed twice", hint="names are compared without letter case")
    return tuple(fields)


def _field(member: Any) -> Field:
    if not isinstance(member, dict) or not isinstance(member.get("name"), str) or set(member) - _KEYS:
        raise InvalidSchema(f"'{member}' is not a column", hint=_HINT)
    name, kind = member["name"], member.get("type")
    nullable, key = member.get("nullable", True), member.get("key", False)
    if not isinstance(kind, str) or not isinstance(nullable, bool) or not isinstance(key, bool):
        raise InvalidSchema(f"column '{name}' needs a type, and true or false for nullable and key", hint=_HINT)
    try:
        return Field(name, types.parse(kind), nullable and not key, key)
    except InvalidType as error:
        raise InvalidSchema(f"column '{name}': {error.message}", hint=error.hint) from None
