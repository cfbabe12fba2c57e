"""Values out of a document's mappings, of the kind that a key takes, or an error at their place."""

from __future__ import annotations

from typing import Any

from velostream.testing.document import Items, Table


def text(own: Table, key: str) -> str:
    """A text; empty without the key."""
    value = own.get(key)
    if value is None and key not in own:
        return ""
    if isinstance(value, Table | Items) or value is None:
        raise own.refuse(key, f"'{key}' is a text", f"write {key}: …")
    return flag_or_text(value)


def flag_or_text(value: Any) -> str:
    """A scalar as the text that a setting takes."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def texts(own: Table, key: str) -> tuple[str, ...]:
    """A list of texts; empty without the key."""
    value = own.get(key)
    if value is None and key not in own:
        return ()
    if not isinstance(value, Items) or any(isinstance(member, Table | Items) for member in value):
        raise own.refuse(key, f"'{key}' is a list of texts", f"write {key}: [a, b]")
    return tuple(flag_or_text(member) for member in value)


def table(own: Table, key: str) -> Table:
    """A mapping; empty without the key."""
    value = own.get(key)
    if value is None and key not in own:
        return Table(own.place)
    if not isinstance(value, Table):
        raise own.refuse(key, f"'{key}' is a mapping", f"write {key}: {{name: value}}")
    return value


def flag(own: Table, key: str) -> bool:
    """True or false; false without the key."""
    value = own.get(key, False)
    if not isinstance(value, bool):
        raise own.refuse(key, f"'{key}' is true or false", f"write {key}: true")
    return value


def integer(own: Table, key: str, *, least: int = 0) -> int | None:
    """A whole number; None without the key."""
    value = own.get(key)
    if value is None and key not in own:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise own.refuse(key, f"'{key}' is a whole number of at least {least}", f"write {key}: {max(least, 1)}")
    return value


def rows(own: Table, key: str) -> Items | None:
    """A list of mappings; None without the key."""
    value = own.get(key)
    if value is None and key not in own:
        return None
    if not isinstance(value, Items):
        raise own.refuse(key, f"'{key}' is a list of rows", "write - {column: value}")
    return rows_of(value)


def rows_of(value: Items) -> Items:
    """The list itself, whose members are mappings, or an error."""
    for member, place in zip(value, value.places, strict=True):
        if not isinstance(member, Table):
            raise place.refuse("a row is a mapping of columns to values", "write {column: value}")
    return value
