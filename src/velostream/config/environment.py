"""Settings from the environment: `VELO_` and the key in capitals, `_` for every dot: `VELO_TRADES_WATERMARK_SCOPE`.

Two underscores are as good as one (`VELO_TRADES__TOPIC`). Keys of the job have no owner: `VELO_ALLOWED_LATENESS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from velostream.config.keys import fold
from velostream.config.origin import Entry, Layer, Origin
from velostream.config.property import Known

PREFIX = "VELO_"
OTHERS = ("VELO_FUZZ", "VELO_TOKEN", "VELO_URL")
"""Variables of the program itself, which are not settings of a job."""


class Environment:
    """The variables of a process, and which of them were settings of something."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.variables = variables
        self.used: set[str] = set()
        self._settings: dict[str, str] = {}
        for name in variables:
            if name.startswith(PREFIX) and name not in OTHERS:
                self._settings[fold(name[len(PREFIX) :])] = name

    def find(self, owner: str, key: str) -> str | None:
        """The text that the environment gives to a key of an owner (of the job: an empty name)."""
        name = self._settings.get(fold(f"{owner}.{key}" if owner else key))
        return None if name is None else self.variables[name]

    def entries(self, owner: str, known: Known, labels: Mapping[str, tuple[str, ...]]) -> list[Entry]:
        """All that the environment gives to an owner. `labels`: the names in use for each property with a `*`."""
        found = []
        for declared in known.properties:
            for spelling in declared.spellings:
                names = [spelling]
                if "*" in spelling:
                    names = [spelling.replace("*", label) for label in labels.get(declared.name, ())]
                found += [entry for name in names for entry in self._entry(owner, name)]
        for family in known.families:
            start = fold(f"{owner}.{family.prefix}" if owner else family.prefix)
            for folded in self._settings:
                key = family.prefix + folded[len(start) :].replace("_", ".")
                if folded.startswith(start) and folded != start and known.find(key) is None:
                    found += self._entry(owner, key)
        return found

    def unused(self) -> list[str]:
        """The variables that look like settings and that nothing asked for; to be called after all statements."""
        return sorted(name for name in self.variables if name.startswith(PREFIX) and name not in (*OTHERS, *self.used))

    def _entry(self, owner: str, key: str) -> list[Entry]:
        name = self._settings.get(fold(f"{owner}.{key}" if owner else key))
        if name is None:
            return []
        self.used.add(name)
        return [Entry(key, self.variables[name], Origin(Layer.ENVIRONMENT, name))]
