"""From bound statements to plans, as written."""

from velostream.plan.build.application import build

__all__ = ["build"]
