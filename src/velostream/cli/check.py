"""One text through validation, and what a report needs to know of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from velostream.cli.inputs import Input
from velostream.cli.report import Checked
from velostream.diagnostics import Diagnostic, Severity
from velostream.errors import VeloError
from velostream.positions import Text
from velostream.registry import did_you_mean

if TYPE_CHECKING:
    from velostream.functions.base import Function
    from velostream.validation import Validated


def validated(
    given: Input, *, preset: str, overrides: Mapping[str, str], functions: Iterable[Function] = ()
) -> Validated:
    """The text, parsed and bound, with its findings; what cannot be planned or run is among them."""
    from velostream.spark.lower.refusals import find
    from velostream.validation import validate

    answer = validate(
        given.text, given.name, folder=given.folder, preset=preset, overrides=overrides, functions=functions
    )
    find(answer)
    return answer


def check(given: Input, *, preset: str, overrides: Mapping[str, str]) -> Checked:
    """The findings of one text."""
    from velostream.cli.visible_columns import visible

    answer = validated(given, preset=preset, overrides=overrides)
    return Checked(
        answer.text,
        tuple(answer.findings.ordered()),
        len(answer.application.statements),
        visible(answer.bound),
    )


def failed(answer: Validated) -> Checked:
    """What keeps a text from being planned."""
    errors = tuple(found for found in answer.findings.ordered() if found.severity is Severity.ERROR)
    return Checked(answer.text, errors)


def refused(name: str, error: VeloError) -> Checked:
    """A text that could not even be read."""
    finding = Diagnostic(Severity.ERROR, error.error_code, error.message, hint=error.hint, file=name)
    return Checked(Text("", name), (finding,))


def preset_of(name: str) -> str:
    """The preset of the command line, or an error that names those there are."""
    from velostream.config.running import PRESETS

    if name and name not in PRESETS:
        raise VeloError(f"there is no preset '{name}'", hint=did_you_mean(name, PRESETS, "presets"), code="usage")
    return name


def overrides_of(settings: Sequence[str]) -> dict[str, str]:
    """`KEY=VALUE` of the command line as a mapping."""
    overrides = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            hint = "for example --set allowed.lateness=5m"
            raise VeloError(f"--set takes KEY=VALUE, not '{setting}'", hint=hint, code="usage")
        overrides[key.strip()] = value.strip()
    return overrides
