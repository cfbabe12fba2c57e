"""What can go wrong: the tree of exceptions. Each carries a stable code, a hint, and where there is one a position."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import Any, ClassVar

from velostream.codes import CODES, Domain
from velostream.positions import Span

NOTE = "velostream: "
"""How the line begins by which a traceback, which is all that comes back from a worker, tells code, hint and place."""
EXIT_CODES = {Domain.USER: 2, Domain.EXTERNAL: 3, Domain.INTERNAL: 70}


def unusable(error: OSError) -> VeloError:
    """A file or folder that the system did not let us use, as an error of ours."""
    message = f"'{error.filename}' cannot be used: {error.strerror or error}"
    return VeloError(message, hint="see to the path, its rights and the room on the disk", code="file-unusable")


class VeloError(Exception):
    """The root: one line that names the thing, a hint that can be acted on, a code that never changes."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str, *, hint: str = "", span: Span | None = None, code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.span = span
        self.error_code = code or self.code
        if self.error_code not in CODES:
            raise ValueError(f"error code '{self.error_code}' is not declared in velostream/codes.py")
        said = {"code": self.error_code, "hint": hint, "span": astuple(span) if span is not None else None}
        self.add_note(NOTE + json.dumps(said))

    @property
    def domain(self) -> Domain:
        """Whose fault it is: the user's, something outside, or ours."""
        return CODES[self.error_code].domain

    @property
    def exit_code(self) -> int:
        """What a command exits with."""
        return EXIT_CODES[self.domain]

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.message, self.hint, self.span, self.error_code)


def placed(error: VeloError, span: Span | None) -> VeloError:
    """An error with a position, where it has none of its own."""
    if error.span is not None:
        return error
    return _rebuild(type(error), error.message, error.hint, span, error.error_code)


def _rebuild(kind: type[VeloError], message: str, hint: str, span: Span | None, code: str) -> VeloError:
    return kind(message, hint=hint, span=span, code=code)


class InvalidDuration(VeloError):
    """A length of time that cannot be read."""

    code = "invalid-duration"


class InvalidSize(VeloError):
    """An amount of bytes that cannot be read."""

    code = "invalid-size"


class InvalidType(VeloError):
    """A type that Spark does not have."""

    code = "invalid-type"


class InvalidWindow(VeloError):
    """A window that cannot work: no size, gaps, a step that does not divide."""

    code = "invalid-window"


class EmissionConflict(VeloError):
    """Ways of emission that exclude each other."""

    code = "emit-conflict"


class InvalidProperty(VeloError):
    """A property's value that its type refuses."""

    code = "invalid-property"


class InvalidConfig(VeloError):
    """A configuration file that cannot be used."""

    code = "invalid-config"


class InvalidSchema(VeloError):
    """A schema file or a list of columns that cannot be used."""

    code = "invalid-schema"


class InvalidFunction(VeloError):
    """A Python function that cannot be declared or loaded."""

    code = "invalid-function"


class SyntaxRefused(VeloError):
    """Text that is not a statement of the dialect."""

    code = "syntax"


class InvalidPlan(VeloError):
    """A plan node that refuses to exist."""

    code = "invalid-plan"


class NotFound(VeloError):
    """A file that is not there."""

    code = "file-not-found"
