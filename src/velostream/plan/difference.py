"""Difference: whether a new version of a job can go on with the state of the old one, and why not (E6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from velostream.durations import show
from velostream.plan.fingerprint import Data, state_of, without_fields
from velostream.plan.job import Job

_LENGTHS = ("size", "advance", "gap", "max", "step", "offset")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that changed in what a job keeps. One that is not compatible makes the old state useless."""

    place: str
    text: str
    compatible: bool

    def __str__(self) -> str:
        return f"{'kept' if self.compatible else 'lost'}  {self.place}: {self.text}"


def differences(old: Job, new: Job) -> list[Difference]:
    """All that changed between two versions of a job as far as state is concerned, in order of the plan."""
    return compare(state_of(old), state_of(new))


def compare(old: list[Data], new: list[Data]) -> list[Difference]:
    """The same for descriptions of state, such as a checkpoint holds."""
    before, after = ({each["place"]: each for each in without_fields(state)} for state in (old, new))
    found: list[Difference] = []
    for place in dict.fromkeys((*before, *after)):
        if place not in after:
            found.append(Difference(place, "is no longer there: its state would be dropped", compatible=False))
        elif place not in before:
            found.append(Difference(place, "is new: it would begin without the past", compatible=False))
        else:
            found += _node(place, before[place], after[place])
    return found


def compatible(old: Job, new: Job) -> bool:
    """True where the new version can start from the old one's state."""
    return all(each.compatible for each in differences(old, new))


def report(old: Job, new: Job) -> str:
    """The differences as text, one per line; a single line where there are none."""
    found = differences(old, new)
    return "\n".join(map(str, found)) if found else "kept  state: nothing about it changed"


def _node(place: str, old: Data, new: Data) -> list[Difference]:
    found: list[Difference] = []
    for name in dict.fromkeys((*old, *new)):
        one, other = old.get(name), new.get(name)
        if one == other:
            continue
        if name == "aggregates":
            found += _aggregates(place, one or {}, other or {})
        elif name == "columns":
            found += _columns(place, one or {}, other or {})
        else:
            shown = {"keys": _keys, "window": _window}.get(name, _shown)
            found.append(Difference(place, f"{name}: {shown(one)} → {shown(other)}", compatible=False))
    return found


def _aggregates(place: str, old: Data, new: Data) -> list[Difference]:
    found = []
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            found.append(Difference(place, f"{name} is no longer computed", compatible=True))
        elif name not in old:
            found.append(Difference(place, f"{name} is new: open windows have it from now on", compatible=True))
        elif old[name] != new[name]:
            text = f"{name}: {_call(old[name])} → {_call(new[name])}"
            found.append(Difference(place, text, compatible=False))
    return found


def _columns(place: str, old: Data, new: Data) -> list[Difference]:
    """Rows that are held keep their columns: one that goes is left out, one that comes is missing in them."""
    found = []
    for side in dict.fromkeys((*old, *new)):
        before, after = old.get(side, {}), new.get(side, {})
        for name in dict.fromkeys((*before, *after)):
            if name not in after:
                found.append(Difference(place, f"{name} is no longer held", compatible=True))
            elif name not in before:
                found.append(Difference(place, f"{name} is new: rows held so far do not have it", compatible=False))
            elif before[name] != after[name]:
                text = f"{name}: {before[name]['type']} → {after[name]['type']}"
                found.append(Difference(place, text, compatible=False))
    return found


def _call(call: Data) -> str:
    return f"{call['type']} of {', '.join(call['arguments']) or 'rows'}"


def _keys(keys: Any) -> str:
    return ", ".join(f"{each['key']} {each['type']}" for each in keys or []) or "none"


def _window(window: Any) -> str:
    if not window:
        return "none"
    lengths = [f"{name} {show(window[name])}" for name in _LENGTHS if window.get(name)]
    return f"{window['kind']}({', '.join(lengths)}) on {window['time']}"


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
