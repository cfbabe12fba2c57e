"""Rewriting of SQL trees from the leaves up, so that what a rule puts in place of a node holds rewritten parts."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

Rule = Callable[[exp.Expr], exp.Expr]


def rewritten(tree: exp.Expr, rule: Rule) -> exp.Expr:
    """A copy in which every node stands as `rule` answers; a rule answers with the node itself to leave it."""
    holder = exp.Paren(this=tree.copy())
    for node in reversed(list(holder.this.walk())):
        answer = rule(node)
        if answer is not node:
            node.replace(answer)
    result: exp.Expr = holder.this
    return result.pop()
