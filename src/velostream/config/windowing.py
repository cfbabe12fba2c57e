"""Named windows (`windowing:` in YAML, or `windowing.NAME.size` as a key): `WINDOW performance_metrics` uses one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from velostream.config.kinds import Choice, Condition, Duration
from velostream.config.property import Property, Scope
from velostream.diagnostics import Findings
from velostream.positions import Span

if TYPE_CHECKING:
    from velostream.config.settings import Settings, Value

_JOB = (Scope.JOB,)
KINDS = ("tumbling", "sliding", "session", "cumulate")
_NEEDS = {"tumbling": ("size",), "sliding": ("size", "advance"), "session": ("gap",), "cumulate": ("size", "step")}
_TAKES = {
    "tumbling": ("size", "offset"),
    "sliding": ("size", "advance", "offset"),
    "session": ("gap", "max"),
    "cumulate": ("size", "step", "offset"),
}
TRIGGERS = {"watermark": "final", "changes": "changes"}
_LENGTHS = ("size", "advance", "step", "gap", "max", "offset")


@dataclass(frozen=True, slots=True)
class Trigger:
    """`watermark`, `changes`, or a SQL condition."""

    name: str = "trigger"

    def parse(self, text: str) -> object:
        """The word, or the text of the condition."""
        folded = text.strip().casefold()
        return folded if folded in TRIGGERS else Condition().parse(text)


WINDOW_SIZE = Property(
    "window.size",
    Duration(positive=True),
    "the size of named windows that do not state theirs; the presets set it",
    "5m",
    scopes=_JOB,
)

WINDOWING = (
    WINDOW_SIZE,
    Property(
        "windowing.*.type",
        Choice(KINDS, also=(("hopping", "sliding"), ("hop", "sliding"), ("tumble", "tumbling"))),
        "the kind of a named window",
        "sliding",
        scopes=_JOB,
    ),
    Property("windowing.*.size", Duration(positive=True), "its size", "15m", scopes=_JOB),
    Property("windowing.*.advance", Duration(positive=True), "of a sliding window: its advance", "1m", scopes=_JOB),
    Property("windowing.*.step", Duration(positive=True), "of a cumulating window: its step", "1m", scopes=_JOB),
    Property("windowing.*.gap", Duration(positive=True), "of a session: the gap that ends it", "30m", scopes=_JOB),
    Property(
        "windowing.*.max",
        Duration(positive=True),
        "of a session: its longest duration",
        "4h",
        aliases=("windowing.*.max_duration",),
        scopes=_JOB,
    ),
    Property("windowing.*.offset", Duration(), "what its bounds are shifted by", "15m", scopes=_JOB),
    Property("windowing.*.allowed_lateness", Duration(), "how long it is kept for late records", "2m", scopes=_JOB),
    Property(
        "windowing.*.trigger.primary",
        Trigger(),
        "what fires it: `watermark` when it has passed the end, `changes` at every change, or a condition on a record",
        "severity = 'critical'",
        scopes=_JOB,
    ),
    Property(
        "windowing.*.trigger.early_firing",
        Duration(positive=True),
        "fires before the end, this long after the last firing",
        "30s",
        aliases=("windowing.*.trigger.early_firing.interval",),
        scopes=_JOB,
    ),
    Property(
        "windowing.*.trigger.fallback",
        Duration(positive=True),
        "where a condition fires it: fires this long after the last firing though no record fulfilled it",
        "5s",
        aliases=("windowing.*.trigger.fallback.interval",),
        scopes=_JOB,
    ),
)

_SAME_AS = {
    "windowing.*.allowed_lateness": "allowed.lateness",
    "windowing.*.trigger.early_firing": "emit.early",
    "windowing.*.trigger.fallback": "emit.fallback",
}


@dataclass(frozen=True, slots=True)
class NamedWindow:
    """A window that has a name: its kind as SQL writes it, its lengths in microseconds, and what it sets for its job.

    `lengths` has `size`, `advance`, `step`, `gap`, `max` and `offset` as far as they are set. `values` are the
    properties `allowed.lateness`, `emit`, `emit.on`, `emit.early`, `emit.fallback` as far as the window sets them.
    """

    name: str
    kind: str
    lengths: Mapping[str, int]
    values: Mapping[str, Value] = field(default_factory=dict)
    span: Span | None = None
    """Where it is declared."""


def named_windows(job: Settings, findings: Findings) -> dict[str, NamedWindow]:
    """All windows that the job's settings name, by their names in small letters; wrong ones are findings."""
    written: dict[str, dict[str, Value]] = {}
    for declared in WINDOWING:
        if "*" in declared.name:
            for label, value in job.labelled(declared.name).items():
                written.setdefault(label.casefold(), {})[declared.name] = value
    windows = {}
    for name, values in written.items():
        kind = values.get("windowing.*.type")
        if kind is None:
            some = next(iter(values.values())).origin
            message = f"window '{name}' needs 'windowing.{name}.type'"
            findings.error("missing-property", message, some.span, hint=f"use one of {', '.join(KINDS)}")
            continue
        lengths = _lengths(name, kind, values, job, findings)
        if lengths is not None:
            windows[name] = NamedWindow(
                name, str(kind.value).upper(), lengths, _job_values(values, job), kind.origin.span
            )
    return windows


def _lengths(
    name: str, kind: Value, values: Mapping[str, Value], job: Settings, findings: Findings
) -> dict[str, int] | None:
    """The lengths of a window, or None where it lacks one or has one that its kind does not take."""
    word = str(kind.value)
    given = {length: values[key] for length in _LENGTHS if (key := f"windowing.*.{length}") in values}
    lengths = {length: int(str(value.value)) for length, value in given.items()}
    default = job.get("window.size")
    if "size" in _NEEDS[word] and isinstance(default, int):
        lengths.setdefault("size", default)
    missing = [length for length in _NEEDS[word] if length not in lengths]
    excess = [length for length in given if length not in _TAKES[word]]
    for length in missing:
        message = f"{word} window '{name}' needs 'windowing.{name}.{length}'"
        findings.error("missing-property", message, kind.origin.span, hint=f"add {length}: 5m")
    for length in excess:
        message = f"{word} window '{name}' has no {length} ({given[length].origin})"
        hint = f"a {word} window takes {', '.join(_TAKES[word])}"
        findings.error("conflicting-properties", message, given[length].origin.span, hint=hint)
    return None if missing or excess else lengths


def _job_values(values: Mapping[str, Value], job: Settings) -> dict[str, Value]:
    """What the window says about lateness and emission, as properties of the job."""
    found = {}
    for key, name in _SAME_AS.items():
        if key in values:
            found[name] = _renamed(values[key], name, job)
    trigger = values.get("windowing.*.trigger.primary")
    if trigger is not None and trigger.value in TRIGGERS:
        mode = TRIGGERS[str(trigger.value)]
        found["emit"] = replace(_renamed(trigger, "emit", job), text=mode, value=mode)
    elif trigger is not None:
        found["emit.on"] = _renamed(trigger, "emit.on", job)
    return found


def _renamed(value: Value, name: str, job: Settings) -> Value:
    declared = job.known.find(name)
    assert declared is not None
    return replace(value, declared=declared[0], key=name)
