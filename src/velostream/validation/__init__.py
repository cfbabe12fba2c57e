"""Checking: names and types are bound, then rules look for what cannot work."""

from velostream.validation.validate import Validated, validate

__all__ = ["Validated", "validate"]
