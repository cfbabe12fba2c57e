"""Names that the select list gives: HAVING, ORDER BY, GROUP BY and later items may use them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from velostream.sql.nodes import KeyItem
from velostream.validation.bound import BoundExpression
from velostream.validation.scope import Found, Scope


@dataclass(slots=True)
class Aliases:
    """The select list's expressions by alias (casefold), and in order."""

    by_name: dict[str, exp.Expr] = field(default_factory=dict)
    in_order: list[exp.Expr] = field(default_factory=list)

    @classmethod
    def of(cls, select: exp.Select) -> Aliases:
        """Those of a SELECT."""
        aliases = cls()
        for item in select.expressions:
            inner = item.this if isinstance(item, KeyItem) else item
            value = inner.this if isinstance(inner, exp.Alias) else inner
            aliases.in_order.append(value)
            if isinstance(inner, exp.Alias):
                aliases.by_name.setdefault(inner.alias.casefold(), value)
        return aliases

    def at_ordinal(self, node: exp.Expr) -> exp.Expr | None:
        """The item that `GROUP BY 1` or `ORDER BY 2` means."""
        if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
            position = int(node.name)
            if 1 <= position <= len(self.in_order):
                return self.in_order[position - 1]
        return None

    def refuse_ordinal(self, node: exp.Expr, clause: str, refuse: Callable[[str, str, exp.Expr, str], None]) -> None:
        """Refuses the number of an item that is not there."""
        is_number = isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal()
        if is_number and self.in_order and self.at_ordinal(node) is None:
            message = f"{clause} {node.name}: the select list has {len(self.in_order)} items"
            refuse("unknown-column", message, node, f"use a number from 1 to {len(self.in_order)}, or a name")

    def substituted(
        self,
        node: exp.Expr,
        scope: Scope,
        grouping: tuple[BoundExpression, ...],
        *,
        before: str = "",
        first: bool = False,
    ) -> exp.Expr:
        """A copy in which aliases stand for their expressions.

        A column of an input wins over an alias where it is grouped, or where nothing is; with `first` the alias wins.
        """
        holder = exp.Paren(this=node.copy())
        grouped = {column for expression in grouping for column in expression.fields}
        for column in list(holder.find_all(exp.Column)):
            name = column.name.casefold()
            if len(column.parts) != 1 or name not in self.by_name or name == before:
                continue
            if column.find_ancestor(exp.Query) is not None:
                continue
            found = scope.resolve(column.name)
            own = isinstance(found, Found) and not found.outer and (not grouping or found.field in grouped)
            if own and not first:
                continue
            value = exp.Paren(this=self.by_name[name].copy())
            value.meta.update(column.meta)
            column.replace(value)
        answer: exp.Expr = holder.this
        return answer
