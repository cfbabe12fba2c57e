"""One term of an ORDER BY, wherever it stands."""

from __future__ import annotations

from dataclasses import dataclass

from velostream.plan.expression import Expression


@dataclass(frozen=True, slots=True)
class Order:
    """An expression and its direction."""

    expression: Expression
    descending: bool = False
    nulls_first: bool = True

    def __str__(self) -> str:
        words = [str(self.expression)]
        if self.descending:
            words.append("DESC")
        if self.nulls_first == self.descending:
            words.append("NULLS FIRST" if self.nulls_first else "NULLS LAST")
        return " ".join(words)
