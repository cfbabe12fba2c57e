"""What building a statement's plan needs to know: the statement, the functions, and the streams planned before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from velostream.plan.job import Definition
from velostream.validation.bound import BoundStatement

if TYPE_CHECKING:
    from velostream.functions.library import Library


@dataclass(frozen=True, slots=True)
class Building:
    """A statement being planned. `definitions` are the streams of the statements before it."""

    statement: BoundStatement
    library: Library
    definitions: Mapping[str, Definition] = field(default_factory=dict)

    @property
    def settings(self) -> Any:
        """The job's settings."""
        return self.statement.settings

    def owner_settings(self, name: str, otherwise: Any = None) -> Any:
        """The settings of a source, table or sink as this statement sees it."""
        folded = {key.casefold(): value for key, value in self.statement.owner_settings.items()}
        return folded.get(name.casefold(), otherwise)


def value_of(settings: Any, name: str, otherwise: Any = None) -> Any:
    """What is in force for a property; `otherwise` where there are no settings or nothing is set."""
    if settings is None:
        return otherwise
    try:
        value = settings.get(name)
    except KeyError:
        return otherwise
    return otherwise if value is None else value
