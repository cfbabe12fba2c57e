"""What runs a function that a user wrote in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Form(Enum):
    """How it is called."""

    SCALAR = "once per row, with values"
    VECTORISED = "once per batch, with Arrow arrays"
    AGGREGATE = "as a class whose objects are the state of a group"
    TABLE = "once per row, giving rows"


@dataclass(frozen=True, slots=True)
class Implementation:
    """The callable, how it is called, and where it was found."""

    form: Form
    run: Callable[..., Any]
    origin: str = ""
