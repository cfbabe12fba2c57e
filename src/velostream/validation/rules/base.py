"""What a rule is: a function that looks at a bound statement and says what cannot work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from velostream.diagnostics import Findings
from velostream.validation.bound import BoundStatement

if TYPE_CHECKING:
    from velostream.functions.library import Library


@dataclass(frozen=True, slots=True)
class Look:
    """What a rule may look at beside the statement."""

    findings: Findings
    library: Library
    statements: Mapping[str, BoundStatement]


Rule = Callable[[BoundStatement, Look], None]
