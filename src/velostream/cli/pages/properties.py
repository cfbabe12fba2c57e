"""The page of properties."""

from __future__ import annotations

from collections.abc import Iterator

from velostream.catalog.properties import groups
from velostream.cli.pages import markdown
from velostream.cli.properties import takes
from velostream.config.keys import setting
from velostream.config.property import Family, Property

_INTRO = (
    "All that can be set, by group; `velo properties PREFIX` shows it in the terminal.",
    "[Settings](../concepts/settings.md) says where values come from and whose key is whose. Letter case, and whether",
    "words are joined by `.`, `_` or `-`, make no difference. *Of* says who may have it: a property of the job and a",
    "source holds for all sources of the job that do not set it.",
)


def page() -> str:
    """Properties by group."""
    members = groups()
    index = (" · ".join(f"[{group.title}](#{_anchor(group.title)})" for group in members),)
    parts: list[list[str] | tuple[str, ...]] = [_INTRO, index]
    for group in members:
        parts.append((f"## {group.title}",))
        if group.doc:
            parts.append((f"{group.doc[:1].upper()}{group.doc[1:]}.",))
        if group.properties:
            heads = ("property", "takes", "does", "example", "of")
            parts.append(markdown.table(heads, map(_row, group.properties)))
        parts += [tuple(_family(family)) for family in group.families]
    return markdown.page("Properties", *parts)


def _row(declared: Property) -> tuple[str, ...]:
    also = f" Also {', '.join(map(markdown.code, declared.aliases))}." if declared.aliases else ""
    scopes = ", ".join(scope.value for scope in declared.scopes)
    example = markdown.code(declared.example)
    return markdown.code(declared.name), takes(declared), f"{declared.doc}.{also}", example, scopes


def _family(family: Family) -> Iterator[str]:
    key, value = family.example
    yield f"{markdown.code(family.prefix + '*')}: {family.doc}. For example {markdown.code(setting(key, value))}."
    for name, reason in family.refused:
        yield f"Not {markdown.code(name)}: {reason}."


def _anchor(title: str) -> str:
    return title.casefold().replace(" ", "-")
