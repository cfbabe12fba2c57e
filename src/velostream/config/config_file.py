"""Configuration files: YAML with `extends`, the circle detected, and variables from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from velostream.config.flatten import Leaf, flatten
from velostream.config.keys import fold
from velostream.config.origin import Entry, Layer, Origin
from velostream.config.variables import substitute
from velostream.diagnostics import Findings
from velostream.errors import InvalidConfig, VeloError
from velostream.positions import Span
from velostream.registry import did_you_mean

_EXTENDS = re.compile(r"extends([.\[].*)?")


@dataclass(frozen=True, slots=True)
class _Placed:
    """A value and the file it stands in, as messages show it."""

    leaf: Leaf
    file: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.leaf.line}"


@dataclass(slots=True)
class ConfigFiles:
    """Reads configuration files relative to a folder, each once however many statements name it."""

    folder: Path
    variables: Mapping[str, str]
    _read: dict[Path, list[_Placed]] = field(default_factory=dict)

    def entries(self, name: str, layer: Layer, findings: Findings, span: Span | None) -> list[Entry]:
        """The entries of a file and all that it extends; whatever is wrong goes to `findings`, at `span`."""
        try:
            values = self._merged(self.folder / name, (), name)
        except VeloError as error:
            findings.refuse(error, span)
            return []
        found = []
        for value in values:
            try:
                text = substitute(value.leaf.text, self.variables)
            except VeloError as error:
                findings.error(error.error_code, f"{value.place}: {error.message}", span, hint=error.hint)
                continue
            found.append(Entry(value.leaf.key, text, Origin(layer, value.place, span)))
        return found

    def _merged(self, path: Path, above: tuple[Path, ...], named: str) -> list[_Placed]:
        """The values of a file after those that it extends; a later one replaces an earlier one of its key."""
        real = Path(os.path.normpath(path))
        if real in above:
            circle = " → ".join(self._shown(step) for step in (*above[above.index(real) :], real))
            raise InvalidConfig(f"configuration files extend each other in a circle: {circle}", hint="break the circle")
        if real not in self._read:
            self._read[real] = self._values(real, named)
        merged: list[_Placed] = []
        own = []
        for value in self._read[real]:
            if _EXTENDS.fullmatch(value.leaf.key):
                parent = self._parent(value)
                merged = _override(merged, self._merged(real.parent / parent, (*above, real), parent))
            else:
                own.append(value)
        return _override(merged, own)

    def _parent(self, value: _Placed) -> str:
        if "." in value.leaf.key or not value.leaf.text.strip():
            message = f"{value.place}: 'extends' takes the name of a file, or a list of them"
            raise InvalidConfig(message, hint="for example 'extends: base.yaml'")
        try:
            return substitute(value.leaf.text, self.variables)
        except VeloError as error:
            raise InvalidConfig(f"{value.place}: {error.message}", hint=error.hint, code=error.error_code) from None

    def _values(self, path: Path, named: str) -> list[_Placed]:
        shown = self._shown(path)
        try:
            text = path.read_text("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidConfig(
                f"configuration file '{named}' is not there", hint=_nearby(path), code="missing-config"
            ) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            hint = "name a readable YAML file in UTF-8"
            raise InvalidConfig(f"configuration file '{named}' cannot be read: {reason}", hint=hint) from None
        try:
            return [_Placed(leaf, shown) for leaf in flatten(text)]
        except InvalidConfig as error:
            raise InvalidConfig(f"{shown}: {error.message}", hint=error.hint) from None

    def _shown(self, path: Path) -> str:
        relative = os.path.relpath(path, self.folder)
        return str(path) if relative.startswith("..") and path.is_absolute() else Path(relative).as_posix()


def _root(key: str) -> str:
    """The key without the place in a list and what is below it."""
    return fold(key.split("[", 1)[0])


def _override(below: list[_Placed], above: list[_Placed]) -> list[_Placed]:
    """Both, without what `above` replaces: a key of its own, and a list as a whole."""
    keys = {fold(value.leaf.key) for value in above}
    roots = {_root(value.leaf.key) for value in above}
    lists = {_root(value.leaf.key) for value in above if "[" in value.leaf.key}
    kept = []
    for value in below:
        key = value.leaf.key
        replaced = _root(key) in (roots if "[" in key else lists) or fold(key) in keys
        if not replaced:
            kept.append(value)
    return kept + above


def _nearby(path: Path) -> str:
    where = "its path is relative to the file that names it"
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix in (".yaml", ".yml")]
    except OSError:
        return where
    close = did_you_mean(path.name, sorted(names))
    return f"{close} {where}".strip()
