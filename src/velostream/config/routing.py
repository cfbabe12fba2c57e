"""Whose key it is: by its prefix, by being the job's, or because a statement has one source only."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from velostream.config.elsewhere import instead
from velostream.config.environment import Environment
from velostream.config.job import JOB
from velostream.config.keys import fold
from velostream.config.origin import Entry, Layer
from velostream.config.owner import Look, Owner
from velostream.config.property import Known, Scope
from velostream.diagnostics import Findings
from velostream.registry import did_you_mean


@dataclass(slots=True)
class Portion:
    """What one owner gets: the keys that it may have, and entries, each with its key without the prefix."""

    name: str
    known: Known
    entries: list[tuple[str, Entry]] = field(default_factory=list)


class Router:
    """Gives every entry of a statement to the job or to an owner."""

    def __init__(self, owners: Iterable[Owner], environment: Environment, elsewhere: Collection[str]) -> None:
        self.owners = {owner.name.casefold(): owner for owner in owners}
        self.environment = environment
        self.elsewhere = {name.casefold() for name in elsewhere}
        sources = [owner for owner in self.owners.values() if owner.scope is Scope.SOURCE]
        self.sources = sources or list(self.owners.values())
        """Who may be meant by a key without a prefix that the job does not know."""

    def route(self, entries: Iterable[Entry], findings: Findings) -> tuple[Portion, dict[str, Portion]]:
        """The portion of the job, and of each owner by its name in small letters."""
        entries = list(entries)
        job = Portion("", JOB)
        portions = {name: Portion(owner.name, self._known(owner, entries)) for name, owner in self.owners.items()}
        strangers: list[Entry] = []
        for entry in entries:
            name, rest = self._split(entry.key)
            portion = portions.get(name)
            mine = portion is not None and _knows(portion.known, rest)
            if mine and _knows(JOB, entry.key):
                self._refuse_double(entry, name, findings)
            elif portion is not None and (mine or not _knows(JOB, entry.key)):
                if mine or not self._is_said_elsewhere(entry, self.owners[name]):
                    portion.entries.append((rest, entry))
            elif _knows(JOB, entry.key):
                job.entries.append((entry.key, entry))
            elif not self._is_elsewhere(entry):
                strangers.append(entry)
        self._place(strangers, portions, findings)
        return job, portions

    def _split(self, key: str) -> tuple[str, str]:
        """The owner's name in small letters and the rest; of two owners that fit, the longer name."""
        folded = key.strip().casefold()
        fitting = [name for name in self.owners if folded.startswith(f"{name}.")]
        if not fitting:
            return "", key
        name = max(fitting, key=len)
        return name, key.strip()[len(name) + 1 :]

    def _known(self, owner: Owner, entries: list[Entry]) -> Known:
        return owner.choose(self._look(owner, entries))

    def _look(self, owner: Owner, entries: list[Entry]) -> Look:
        """How `choose` sees what the owner is given, before it is known which keys there are."""
        alone = self.sources == [owner]

        def look(*keys: str) -> str:
            wanted = {fold(key) for key in keys}
            found: list[tuple[int, str]] = []
            for entry in entries:
                name, rest = self._split(entry.key)
                if (name == owner.name.casefold() or (alone and not name)) and fold(rest) in wanted:
                    found.append((entry.origin.layer, entry.text))
            for key in keys:
                text = self.environment.find(owner.name, key)
                if text is not None:
                    found.append((Layer.ENVIRONMENT, text))
            if not found and owner.base is not None:
                found = [(0, value.text) for value in owner.base if fold(value.declared.name) in wanted]
            return max(found, key=lambda pair: pair[0])[1] if found else ""

        return look

    def _is_elsewhere(self, entry: Entry) -> bool:
        """True for what SET, YAML or the command line say about a source or sink of another statement."""
        prefix = entry.key.strip().split(".", 1)[0].casefold()
        return entry.origin.layer is not Layer.STATEMENT and prefix in self.elsewhere and prefix not in self.owners

    @staticmethod
    def _is_said_elsewhere(entry: Entry, owner: Owner) -> bool:
        """True for what SET, YAML or the command line say about another role of what is declared elsewhere."""
        declared_elsewhere = owner.scope is Scope.STREAM or owner.base is not None
        return declared_elsewhere and entry.origin.layer not in (Layer.STATEMENT, Layer.OWN_CONFIG)

    def _refuse_double(self, entry: Entry, name: str, findings: Findings) -> None:
        message = f"property '{entry.key}' could be the job's or that of '{self.owners[name].name}'"
        findings.error("ambiguous-property", message, entry.origin.span, hint=f"rename '{self.owners[name].name}'")

    def _place(self, strangers: list[Entry], portions: dict[str, Portion], findings: Findings) -> None:
        """Keys without an owner's prefix that the job does not know: the only source's, or an error."""
        refused = self._refuse_unread(strangers, findings)
        for entry in strangers:
            if entry in refused:
                continue
            able = [portion for portion in portions.values() if _knows(portion.known, entry.key)]
            candidates = [portions[owner.name.casefold()] for owner in self.sources]
            if len(candidates) == 1 and candidates[0] in able:
                candidates[0].entries.append((entry.key, entry))
            elif len(candidates) > 1 and any(portion in able for portion in candidates):
                prefixed = " or ".join(f"'{portion.name}.{entry.key}'" for portion in candidates if portion in able)
                message = f"property '{entry.key}' could belong to several sources"
                findings.error("ambiguous-property", message, entry.origin.span, hint=f"write {prefixed}")
            else:
                self._refuse_unknown(entry, able, portions, findings)

    def _refuse_unread(self, strangers: list[Entry], findings: Findings) -> list[Entry]:
        """One finding for all properties of something that has a type and that the statement does not name."""
        refused: list[Entry] = []
        for entry in strangers:
            name, _, rest = entry.key.strip().rpartition(".")
            if not name or fold(rest) not in ("type", "connector"):
                continue
            refused += [one for one in strangers if one.key.strip().casefold().startswith(f"{name.casefold()}.")]
            close = did_you_mean(name, [owner.name for owner in self.owners.values()])
            if fold(entry.text).endswith("sink"):
                message = f"nothing is written to '{name}', which has properties"
                findings.error(
                    "unused-sink", message, entry.origin.span, hint=close or f"write INTO {name}, or remove them"
                )
            else:
                message = f"the statement does not read '{name}', which has properties"
                hint = close or f"read FROM {name}, or remove them"
                findings.error("unknown-property", message, entry.origin.span, hint=hint)
        return refused

    def _refuse_unknown(
        self, entry: Entry, able: list[Portion], portions: dict[str, Portion], findings: Findings
    ) -> None:
        if able:
            hint = "write " + " or ".join(f"'{portion.name}.{entry.key}'" for portion in able)
        else:
            owned = [f"{portion.name}.{key}" for portion in portions.values() for key in portion.known.keys]
            loose = [key for owner in self.sources[:1] for key in portions[owner.name.casefold()].known.keys]
            hint = instead(entry.key) or did_you_mean(entry.key, [*JOB.keys, *loose, *owned])
        findings.error(
            "unknown-property", f"no property is named '{entry.key}'{_place(entry)}", entry.origin.span, hint=hint
        )


def _knows(known: Known, key: str) -> bool:
    return known.find(key) is not None or known.passes(key) is not None


def _place(entry: Entry) -> str:
    return f" ({entry.origin.place})" if entry.origin.place else ""
