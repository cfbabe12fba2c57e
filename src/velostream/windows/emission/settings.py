"""The emission of a statement: one mode, what it adds before the close, and how rows relate to earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from velostream.errors import EmissionConflict
from velostream.windows.emission.base import Accumulation, Granularity
from velostream.windows.emission.changes import Changes
from velostream.windows.emission.early import Early
from velostream.windows.emission.every_rows import EveryRows
from velostream.windows.emission.final import Final
from velostream.windows.emission.when import When

if TYPE_CHECKING:
    import polars as pl
else:
    from velostream.lazy import lazy

    pl = lazy("polars")

Before = Early | When | EveryRows


@dataclass(frozen=True, slots=True)
class Emission:
    """Which rows go out, and when. Contradictions are refused here, whoever wrote them and however it was spelled."""

    mode: Final | Changes = field(default_factory=Final)
    before: tuple[Before, ...] = ()
    accumulation: Accumulation = Accumulation.ACCUMULATING

    def __post_init__(self) -> None:
        if isinstance(self.mode, Changes):
            self._refuse_with_changes()
        names = [rule.name for rule in self.before]
        for name in names:
            if names.count(name) > 1:
                raise EmissionConflict(f"EMIT {name} is given twice", hint="keep one")
        clocked = [rule for rule in self.before if not isinstance(rule, EveryRows) and rule.every is not None]
        if len(clocked) > 1:
            message = "early rows and a fallback both count the time since the last row"
            raise EmissionConflict(message, hint="keep emit.early or emit.fallback")

    def _refuse_with_changes(self) -> None:
        if self.before:
            message = f"EMIT CHANGES speaks on every change, so EMIT {self.before[0].name} adds nothing"
            raise EmissionConflict(message, hint="use EMIT FINAL with it, or leave it out")
        if self.accumulation is Accumulation.DISCARDING:
            message = "EMIT CHANGES gives the newest value of a group, which 'discarding' would forget"
            raise EmissionConflict(message, hint="use accumulating or retracting, or EMIT FINAL")

    @property
    def by_record(self) -> bool:
        """True where every record has its own row."""
        return isinstance(self.mode, Changes) and self.mode.granularity is Granularity.RECORD

    @property
    def needs_values(self) -> bool:
        """True where the groups that a micro-batch touches may have to speak before they close."""
        return self.mode.needs_values or any(rule.needs_values for rule in self.before)

    @property
    def interval(self) -> int | None:
        """How long after its last row a changed group is looked at again; None where no clock is asked."""
        for rule in self.before:
            if not isinstance(rule, EveryRows) and rule.every is not None:
                return rule.every
        return None

    @property
    def condition(self) -> str | None:
        """The boolean column that marks a critical record."""
        return next((rule.condition for rule in self.before if isinstance(rule, When)), None)

    def answer(self) -> pl.Expr:
        """The `_emission` of each candidate; NULL where it stays silent. The mode comes before what it adds."""
        return pl.coalesce(self.mode.answer(), *(rule.answer() for rule in self.before))


def emission(  # one argument for each property of the statement
    mode: str | None = None,
    *,
    windowed: bool = True,
    granularity: str | None = None,
    early: int | None = None,
    on: str | None = None,
    count: int | None = None,
    fallback: int | None = None,
    accumulation: str = "accumulating",
) -> Emission:
    """The emission that the properties of a statement mean; `mode` None is FINAL with a window, CHANGES without."""
    chosen = (mode or ("FINAL" if windowed else "CHANGES")).upper()
    if fallback is not None and on is None:
        raise EmissionConflict(
            "emit.fallback has no condition to fall back from", hint="add emit.on, or use emit.early"
        )
    if granularity is not None and chosen != "CHANGES":
        message = f"emit.granularity = '{granularity}' is for EMIT CHANGES, and this is EMIT {chosen}"
        raise EmissionConflict(message, hint="leave it out, or use EMIT CHANGES")
    before: list[Before] = []
    if on is not None:
        before.append(When(on, fallback))
    if early is not None:
        before.append(Early(early))
    if count is not None:
        before.append(EveryRows(count))
    modes: Final | Changes = Changes(Granularity(granularity or "record")) if chosen == "CHANGES" else Final()
    return Emission(modes, tuple(before), Accumulation(accumulation))
