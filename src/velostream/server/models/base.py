"""What all answers have in common: pages of items, and problems."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

T = TypeVar("T")


def moment(seconds: float) -> datetime:
    """Seconds since 1970 as a time."""
    return datetime.fromtimestamp(seconds, UTC)


def moment_if(seconds: float | None) -> datetime | None:
    """The same, where there is one."""
    return None if not seconds else moment(seconds)


def _shown(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Moment = Annotated[datetime, PlainSerializer(_shown, return_type=str)]
"""A time, in UTC with a Z."""


class Model(BaseModel):
    """The root of all shapes: what is unknown is refused."""

    model_config = ConfigDict(extra="forbid")


class Page(Model, Generic[T]):
    """Some of a list: `total` says how long it is, `offset` where this part begins."""

    items: list[T]
    total: int
    offset: int
    limit: int


def page(items: list[T], offset: int, limit: int) -> Page[T]:
    """A part of a list."""
    return Page[T](items=items[offset : offset + limit], total=len(items), offset=offset, limit=limit)


class Finding(Model):
    """One finding of validation. Lines and columns count from 1; 0 where there is no place."""

    severity: str = Field(examples=["error"])
    code: str
    message: str
    hint: str = ""
    statement: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


class Problem(Model):
    """An error (RFC 9457, application/problem+json), with the code that `velo` shows too."""

    type: str = Field(examples=["urn:velostream:error:unknown-job"])
    title: str
    status: int
    detail: str
    code: str
    hint: str = ""
    instance: str = ""
    findings: list[Finding] = Field(default_factory=list)
