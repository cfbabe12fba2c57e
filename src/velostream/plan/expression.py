"""An expression of the plan: a SQL tree over fields, its type, and the two texts of it, for people and for Spark."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b

from sqlglot import exp

from velostream.plan.header_calls import as_written
from velostream.plan.rewriting import Rule, rewritten
from velostream.plan.spark_text import spark_text, users_calls
from velostream.positions import Span
from velostream.types import BOOLEAN, Type

_LONGEST_NAME = 80
_KEPT_OF_NAME = 60
_PLAIN = re.compile(r"[\w$]+(\.[\w$]+)*")


@dataclass(frozen=True)
class Expression:
    """A scalar expression. Its columns are fields of the node's input, by their full names.

    Two expressions are equal where tree and type are, wherever they stand in the text.
    """

    tree: exp.Expr
    type: Type
    span: Span | None = field(default=None, compare=False)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that it reads, each once, in order. What a subquery reads of its own tables is not among them."""
        if self.is_field:
            return (self.tree.name,)
        parts = list(self.tree.walk())
        columns = [part for part in parts if isinstance(part, exp.Column) and not part.table]
        for query in (part for part in parts if isinstance(part, exp.Query)):
            # Deeper ones are bound by themselves: here their columns stand as they were written.
            own = {id(part) for part in query.find_all(exp.Column) if not part.meta.get("field")}
            columns = [part for part in columns if id(part) not in own]
        return tuple(dict.fromkeys(column.name for column in columns))

    @cached_property
    def has_subquery(self) -> bool:
        """True where a query stands in it."""
        return self.tree.find(exp.Query) is not None

    @cached_property
    def is_field(self) -> bool:
        """True where it is a field and nothing else."""
        return isinstance(self.tree, exp.Column) and not self.tree.table

    @property
    def is_constant(self) -> bool:
        """True where it reads nothing."""
        return not self.fields

    @property
    def spark(self) -> str:
        """The text that Spark is given."""
        return spark_text(self.tree)

    @property
    def calls(self) -> tuple[tuple[str, str], ...]:
        """The calls of users' functions: the name, and the text that asks Spark for value or error."""
        return users_calls(self.tree)

    @cached_property
    def name(self) -> str:
        """The name of a field that holds its value: the field itself, else its text, cut where it is long."""
        if self.is_field:
            return self.tree.name
        text = str(self)
        if len(text) <= _LONGEST_NAME:
            return text
        digest = blake2b(text.encode(), digest_size=4).hexdigest()
        return f"{text[:_KEPT_OF_NAME]}… {digest}"

    def __str__(self) -> str:
        return text_of(self.tree)

    def over(self, names: Mapping[str, str]) -> Expression:
        """The same with fields renamed."""
        return self.with_parts(lambda node: _renamed(node, names))

    def given(self, values: Mapping[str, Expression]) -> Expression:
        """The same with fields replaced by what they stand for."""

        if self.is_field:
            return replace(self, tree=values[self.name].tree.copy()) if self.name in values else self

        def replaced(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column) and not node.table and node.name in values:
                return values[node.name].tree.copy()
            return node

        return self.with_parts(replaced)

    def cast(self, kind: Type) -> Expression:
        """The same as another type."""
        if kind == self.type or not kind.is_known:
            return self
        tree = exp.Cast(this=self.tree.copy(), to=exp.DataType.build(str(kind), dialect="spark"))
        return replace(self, tree=tree, type=kind)

    def with_parts(self, rule: Rule) -> Expression:
        """The same with every node of the tree given to `rule`."""
        return replace(self, tree=rewritten(self.tree, rule))


def column(name: str) -> exp.Column:
    """The tree that reads a field."""
    return exp.Column(this=exp.Identifier(this=name, quoted=True))


def reads(name: str, kind: Type, span: Span | None = None) -> Expression:
    """The expression that is the field of that name."""
    return Expression(column(name), kind, span)


def all_of(conditions: list[Expression]) -> Expression:
    """The condition that holds where all of these do."""
    trees = [condition.tree.copy() for condition in conditions]
    tree = trees[0] if len(trees) == 1 else exp.and_(*trees, copy=False)
    return Expression(tree, BOOLEAN, conditions[0].span)


def parts_of(condition: Expression) -> list[Expression]:
    """The conditions that are joined by AND, each by itself."""
    tree = condition.tree
    while isinstance(tree, exp.Paren):
        tree = tree.this
    if isinstance(tree, exp.And):
        parts = [Expression(part, BOOLEAN, condition.span) for part in (tree.left, tree.right)]
        return [each for part in parts for each in parts_of(part)]
    return [Expression(tree, condition.type, condition.span)]


def text_of(tree: exp.Expr) -> str:
    """SQL as a user would write it: fields without quotes where they need none."""
    from velostream.sql.printing.text import print_sql

    return print_sql(rewritten(as_written(tree), _shown))


def _shown(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Paren) and not isinstance(node.this, exp.Query):
        inner: exp.Expr = node.this  # the printer puts parentheses where they are needed
        return inner.copy()
    if isinstance(node, exp.Column) and not node.table:
        return exp.Var(this=node.name)
    if isinstance(node, exp.Identifier) and node.args.get("quoted") and _PLAIN.fullmatch(node.name):
        return exp.Identifier(this=node.name, quoted=False)
    return node


def _renamed(node: exp.Expr, names: Mapping[str, str]) -> exp.Expr:
    if isinstance(node, exp.Column) and not node.table and node.name in names:
        return column(names[node.name])
    return node
