"""When rows go out. A new rule is one file and one line here; `EMIT <name>` finds it."""

from velostream.windows.emission.base import Accumulation, EmissionParameter, Granularity, Rule
from velostream.windows.emission.changes import Changes
from velostream.windows.emission.early import Early
from velostream.windows.emission.every_rows import EveryRows
from velostream.windows.emission.final import Final
from velostream.windows.emission.settings import Emission, emission
from velostream.windows.emission.when import When

MEMBERS: tuple[type[Rule], ...] = (
    Final,
    Changes,
    Early,
    When,
    EveryRows,
)

EMISSIONS: dict[str, type[Rule]] = {word: member for member in MEMBERS for word in (member.name, *member.aliases)}

__all__ = [
    "EMISSIONS",
    "Accumulation",
    "Changes",
    "Early",
    "Emission",
    "EmissionParameter",
    "EveryRows",
    "Final",
    "Granularity",
    "Rule",
    "When",
    "emission",
]
