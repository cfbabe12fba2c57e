"""`OVER w` with `WINDOW w AS (…)`: the definition takes the place of its name."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from velostream.registry import did_you_mean


def inline_named_windows(select: exp.Select, refuse: Callable[[str, str, exp.Expr, str], None]) -> None:
    """Replaces names of windows in OVER by what they stand for."""
    definitions = {window.name.casefold(): window for window in select.args.get("windows") or []}
    used = set()
    for window in list(select.find_all(exp.Window)):
        alias = window.args.get("alias")
        if alias is None or window.find_ancestor(exp.Select) is not select or window in definitions.values():
            continue
        name = alias.name.casefold()
        definition = definitions.get(name)
        if definition is None:
            hint = did_you_mean(alias.name, definitions, "windows") or "declare it: WINDOW w AS (PARTITION BY …)"
            refuse("unknown-window", f"OVER names '{alias.name}', which no WINDOW clause defines", alias, hint)
            continue
        used.add(name)
        window.set("alias", None)
        for key in ("partition_by", "order", "spec"):
            value = definition.args.get(key)
            if value is not None and window.args.get(key) is None:
                window.set(key, [part.copy() for part in value] if isinstance(value, list) else value.copy())
    for name, definition in definitions.items():
        if name not in used:
            refuse("unknown-window", f"no OVER uses the window '{definition.name}'", definition, "use it, or remove it")
