"""What binding a statement needs to know: relations, settings, functions, named windows; and where findings go."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from velostream.config.origin import Layer
from velostream.diagnostics import Findings
from velostream.errors import VeloError
from velostream.types import UNKNOWN
from velostream.validation.bound import BoundExpression, BoundQuery

if TYPE_CHECKING:
    from sqlglot import exp

    from velostream.catalog.relation import Relation
    from velostream.config.settings import Settings, Value
    from velostream.config.windowing import NamedWindow
    from velostream.functions.library import Library
    from velostream.positions import Span
    from velostream.validation.expressions import ExpressionBinder


@dataclass(slots=True)
class Context:
    """Everything outside of the statement's own text."""

    findings: Findings
    library: Library
    settings: Settings
    relations: Mapping[str, Relation]
    """By the name's casefold."""
    owner_settings: Mapping[str, Settings] = field(default_factory=dict)
    named_windows: Mapping[str, NamedWindow] = field(default_factory=dict)
    places: Mapping[Span, Span] = field(default_factory=dict)
    """Where the value of each setting of the statement stands."""
    refused: Collection[str] = ()
    """What could not be read for a reason that has been said."""
    positional: bool = False
    """True for INSERT: columns go by their place, so that two may have one name."""
    ctes: dict[str, BoundQuery] = field(default_factory=dict)

    def relation(self, name: str) -> Relation | None:
        """The relation of that name in any letter case."""
        return self.relations.get(name.casefold())

    def use_window(self, window: NamedWindow) -> None:
        """Lets a named window speak for the statement, where the statement itself says nothing."""
        own = {name: value for name, value in self.settings.values.items() if value.origin.layer >= Layer.STATEMENT}
        self.settings = replace(self.settings, values={**self.settings.values, **window.values, **own})

    def bind_text(self, value: Value, binder: ExpressionBinder) -> BoundExpression:
        """A condition that a property holds as text, bound at the property's place."""
        place = self.places.get(value.origin.span) if value.origin.span is not None else None
        if place is not None:
            place = replace(place, start=place.start + 1, column=place.column + 1)
        return self.bind_condition(value.text, place or value.origin.span, binder, f"'{value.key}'")

    def bind_condition(self, text: str, span: Span | None, binder: ExpressionBinder, what: str) -> BoundExpression:
        """A condition in a property or annotation: it must be true or false."""
        tree = self.parse_text(text, span)
        if tree is None:
            from sqlglot import exp as expressions

            return BoundExpression(expressions.Null(), UNKNOWN, span or binder.span(expressions.Null()))
        return binder.condition(tree, what)

    def parse_text(self, text: str, span: Span | None) -> exp.Expr | None:
        """An expression that is written as text; None, with a finding, where it is none."""
        from velostream.sql.parse import parse_expression

        try:
            return parse_expression(text, span)
        except VeloError as error:
            self.findings.refuse(error, span)
            return None
