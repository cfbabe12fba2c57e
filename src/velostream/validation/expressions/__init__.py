"""Binding of expressions: every column becomes a field, every node gets a type, every call is checked."""

from velostream.validation.expressions.binder import ExpressionBinder

__all__ = ["ExpressionBinder"]
