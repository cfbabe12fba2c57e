"""The values that only annotations take: names of metrics, labels, buckets, percentages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from velostream.config.property import Names, Number
from velostream.errors import InvalidProperty


@dataclass(frozen=True, slots=True)
class Matching:
    """A text of a certain form."""

    pattern: str
    name: str
    rule: str

    def parse(self, text: str) -> object:
        """The text itself."""
        if not re.fullmatch(self.pattern, text):
            raise InvalidProperty(f"'{text}' is not a {self.name}", hint=self.rule)
        return text


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers that grow, separated by commas, with or without brackets."""

    name: str = "list of numbers"

    def parse(self, text: str) -> object:
        """The numbers as a tuple."""
        inside = text.strip().removeprefix("[").removesuffix("]")
        try:
            numbers = tuple(float(part) for part in inside.split(","))
        except ValueError:
            raise InvalidProperty(f"'{text}' is not a list of numbers", hint="for example 0.1, 0.5, 1, 5") from None
        if any(later <= earlier for earlier, later in pairwise(numbers)):
            raise InvalidProperty(f"the numbers of '{text}' do not grow", hint="for example 0.1, 0.5, 1, 5")
        return numbers


@dataclass(frozen=True, slots=True)
class Percent:
    """A number from 0 to 100, with or without %."""

    name: str = "percentage"

    def parse(self, text: str) -> object:
        """The number."""
        return Number(0, 100).parse(text.strip().removesuffix("%").strip())


@dataclass(frozen=True, slots=True)
class Labels:
    """Names of columns that may be labels of a metric."""

    name: str = "list of labels"

    def parse(self, text: str) -> object:
        """The names as a tuple."""
        names = Names().parse(text.strip().removeprefix("[").removesuffix("]"))
        assert isinstance(names, tuple)
        for label in names:
            if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", label) or label.startswith("__"):
                rule = "letters, digits and _, not a digit first and not __ first"
                raise InvalidProperty(f"'{label}' cannot be a label", hint=rule)
        return names
