"""Which value holds: that of the highest layer, read strictly; two in one layer, or none that is needed, are errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from velostream.config.elsewhere import instead
from velostream.config.environment import Environment
from velostream.config.job import JOB
from velostream.config.keys import fold, setting
from velostream.config.kinds import Names, Text
from velostream.config.origin import Entry, Origin
from velostream.config.owner import Owner
from velostream.config.property import Property, Scope
from velostream.config.routing import Portion
from velostream.config.settings import Settings, Value
from velostream.diagnostics import Findings
from velostream.errors import InvalidProperty, VeloError
from velostream.registry import did_you_mean, nearest


@dataclass(slots=True)
class _Candidates:
    """All that was written for one key, under its full name."""

    declared: Property
    key: str
    entries: list[tuple[str, Entry]] = field(default_factory=list)


class Settler:
    """Settles the values of one portion.

    With `doubtful`, something that was said about the owner could not be read, which is a finding already: what it
    seems to lack may stand there.
    """

    def __init__(
        self,
        portion: Portion,
        environment: Environment,
        findings: Findings,
        owner: Owner | None = None,
        *,
        doubtful: bool = False,
    ) -> None:
        self.portion = portion
        self.environment = environment
        self.findings = findings
        self.owner = owner
        self.doubtful = doubtful
        self.values: dict[str, _Candidates] = {}
        self.client: dict[str, _Candidates] = {}
        self.misused = False
        """Set where the declaration is of another kind altogether: what else is wrong follows from that."""

    def settle(self, job: Settings | None = None) -> Settings:
        """The settings that hold; what is wrong is a finding and left out."""
        for key, entry in self.portion.entries:
            self._sort(key, entry)
        for entry in self.environment.entries(self.portion.name, self.portion.known, self._labels()):
            self._sort(entry.key, entry)
        values = {found.key: value for found in self.values.values() if (value := self._read(found))}
        client = {found.key: value for found in self.client.values() if (value := self._read(found))}
        if self.owner is not None and self.owner.base is not None:
            values = _over(self._declared_before(self.owner.base.values), values)
            client = _over(self._declared_before(self.owner.base.client), client)
        return Settings(self.portion.name, self.portion.known, values, client, job)

    def check(self, settings: Settings) -> None:
        """Finds what is missing and what contradicts itself."""
        self._require(settings)
        for rule in settings.known.rules:
            broken = rule(settings)
            if broken is not None and not (self.doubtful and broken.code == "missing-property"):
                span = broken.value.origin.span if broken.value else None
                owner = f"{self.owner.scope.value} '{self.owner.name}': " if self.owner else ""
                self.findings.error(broken.code, owner + broken.message, span, hint=broken.hint)

    def _declared_before(self, base: Mapping[str, Value]) -> dict[str, Value]:
        """What the declaration says, as far as it means something here: a stream may be a source there, a sink here."""
        kept = {}
        for key, value in sorted(base.items(), key=lambda pair: pair[0] != "type"):
            found = self.portion.known.find(key)
            if found is None and self.portion.known.passes(key) is None and not value.declared.client:
                continue
            try:
                declared = found[0] if found else value.declared
                kept[key] = replace(value, declared=declared, value=declared.read(value.text, key))
            except VeloError as error:
                span = self.owner.span if self.owner else None
                if key == "type":
                    message = f"'{self.portion.name}' is a {value.text} and cannot be used as a {self._role()}"
                    self.findings.error(error.error_code, message, span, hint=error.hint)
                    self.misused = True
                elif not self.misused:
                    self.findings.refuse(error, span)
        return kept

    def _role(self) -> str:
        return self.owner.scope.value if self.owner is not None else "source or sink"

    def _sort(self, key: str, entry: Entry) -> None:
        known = self.portion.known
        found = known.find(key)
        if found is not None:
            declared, label = found
            name = declared.name.replace("*", label)
            table = self.client if declared.client else self.values
            table.setdefault(fold(name), _Candidates(declared, name)).entries.append((key, entry))
            return
        passed = known.passes(key)
        if passed is None:
            self._refuse_unknown(key, entry)
            return
        family, name = passed
        refusal = family.refusal(name)
        if refusal:
            message = f"property '{entry.key}' must not be set{_place(entry.origin)}: {refusal}"
            self.findings.error("invalid-property", message, entry.origin.span, hint="remove it")
            return
        declared = Property(name, Text(), family.doc, family.example[1], client=True)
        self.client.setdefault(fold(name), _Candidates(declared, name)).entries.append((key, entry))

    def _labels(self) -> dict[str, tuple[str, ...]]:
        """The names in use for each property with a `*`: of one group, what any of its properties names."""
        heads: dict[str, dict[str, None]] = {}
        for found in self.values.values():
            if "*" in found.declared.name:
                head = found.declared.name.split("*")[0]
                heads.setdefault(head, {})[found.key[len(head) :].split(".")[0]] = None
        starred = [declared.name for declared in self.portion.known.properties if "*" in declared.name]
        return {name: tuple(heads.get(name.split("*")[0], ())) for name in starred}

    def _read(self, found: _Candidates) -> Value | None:
        ranked = sorted(found.entries, key=lambda pair: -pair[1].origin.layer)
        key, entry = ranked[0]
        for other_key, other in ranked[1:]:
            if other.origin.layer is entry.origin.layer:
                self._refuse_twice(key, entry, other_key, other)
                break
        if entry.items and not isinstance(found.declared.kind, Names):
            error: VeloError = InvalidProperty(f"property '{entry.key}' takes one value, not a list")
        elif any("," in item for item in entry.items):
            error = InvalidProperty(f"property '{entry.key}': a member of the list has a comma in it")
        else:
            try:
                value = found.declared.read(entry.text, entry.key)
                return Value(found.declared, found.key, entry.text, value, entry.origin)
            except VeloError as refusal:
                error = refusal
        message = error.message + _place(entry.origin)
        self.findings.error(error.error_code, message, entry.origin.span, hint=error.hint)
        return None

    def _refuse_unknown(self, key: str, entry: Entry) -> None:
        if self.doubtful and all(fold(other) != "type" for other, _ in self.portion.entries):
            return
        owner = self.owner.scope.value if self.owner else "job"
        message = f"{owner} '{self.portion.name}' has no property '{key}'{_place(entry.origin)}"
        if JOB.find(key) is not None:
            hint = f"it is the job's: write '{key}' without the prefix"
        else:
            hint = instead(key) or did_you_mean(key, self.portion.known.keys) or _of_job(key)
            hint = hint or f"velo properties lists them: {', '.join(self.portion.known.keys[:8])}, …"
        self.findings.error("unknown-property", message, entry.origin.span, hint=hint)

    def _refuse_twice(self, key: str, entry: Entry, other_key: str, other: Entry) -> None:
        first, second = sorted((entry, other), key=lambda one: one.origin.span.start if one.origin.span else 0)
        names = f"'{first.key}' and '{second.key}'" if fold(key) != fold(other_key) else f"'{second.key}'"
        verb = "are the same property, given twice" if " and " in names else "is given twice"
        message = f"{names} {verb}: {first.origin} and {second.origin}"
        self.findings.error("conflicting-properties", message, second.origin.span, hint="keep one")

    def _require(self, settings: Settings) -> None:
        if self.owner is None or self.misused:
            return
        attempted = {found.declared.name for found in self.values.values()}
        for declared in settings.known.properties:
            if declared.required and declared.name not in attempted and declared.name not in settings:
                self._missing((declared.name,), declared)
        for group in settings.known.one_of:
            given = [value for name in group if (value := settings.find(name))]
            if len(given) > 1:
                names = " and ".join(f"'{self._full(value.key)}'" for value in given)
                message = f"{names} exclude each other"
                self.findings.error("conflicting-properties", message, given[-1].origin.span, hint="keep one")
            elif not given and not attempted.intersection(group):
                found = settings.known.find(group[0])
                assert found is not None
                self._missing(group, found[0])

    def _missing(self, names: tuple[str, ...], declared: Property) -> None:
        assert self.owner is not None
        if self.doubtful or (self.owner.base is not None and self.owner.scope is not Scope.SINK):
            return  # what a declaration lacks is said there, not once more by each that reads it
        needed = " or ".join(f"'{self._full(name)}'" for name in names)
        message = f"{self.owner.scope.value} '{self.owner.name}' needs {needed}: {declared.doc}"
        hint = f"add {setting(self._full(names[0]), declared.example)}"
        self.findings.error("missing-property", message, self.owner.span, hint=hint)

    def _full(self, key: str) -> str:
        return f"{self.portion.name}.{key}" if self.portion.name else key


def _of_job(key: str) -> str:
    """A hint for a setting of the job that was misspelt under the name of a source or sink."""
    close = nearest(key, JOB.keys)
    return f"did you mean '{close[0]}', which is the job's: write it without the prefix?" if close else ""


def _over(base: Mapping[str, Value], values: dict[str, Value]) -> dict[str, Value]:
    """What the declaration says and what the statement says: the higher layer, the statement where they are equal."""
    kept = {
        key: value for key, value in base.items() if key not in values or value.origin.layer > values[key].origin.layer
    }
    return {**values, **kept}


def _place(origin: Origin) -> str:
    return f" ({origin.place})" if origin.place else ""
