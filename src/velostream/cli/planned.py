"""What most verbs begin with: the application of a file, checked and planned, and the folder of its state."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from velostream.cli.check import failed, overrides_of, preset_of, validated
from velostream.cli.colours import colours_of
from velostream.cli.report.text import TextReport

if TYPE_CHECKING:
    from velostream.cli.inputs import Input
    from velostream.plan.job import ApplicationPlan
    from velostream.validation import Validated

checkpoint_option = click.option(
    "--checkpoint", default="", metavar="DIR", help="Where its jobs keep their state. [default: .velo/APP]"
)


@dataclass(frozen=True, slots=True)
class Planned:
    """An application: its plan, where its paths start from, and where its jobs keep what they remember."""

    plan: ApplicationPlan
    folder: Path
    home: Path
    answer: Validated


def planned(
    ctx: click.Context, given: Input, checkpoint: str = "", *, preset: str = "", settings: Sequence[str] = ()
) -> Planned:
    """The application of a text. One with errors is not planned: they are shown, and the exit code is 2."""
    answer = validated(given, preset=preset_of(preset), overrides=overrides_of(settings))
    refuse_errors(ctx, answer)
    from velostream.plan import plan

    found = plan(answer.bound, answer.library)
    return Planned(found, given.folder, home_of(found.name, checkpoint), answer)


def refuse_errors(ctx: click.Context, answer: Validated) -> None:
    """Shows the errors of a text, if there are any, and ends with exit code 2."""
    if answer.findings.errors:
        shown = TextReport().render([failed(answer)], colours=colours_of(sys.stderr), system_columns=False)
        print(shown, file=sys.stderr)
        ctx.exit(2)


def home_of(app: str, checkpoint: str) -> Path:
    """Where the jobs of an application keep what they remember."""
    return Path(checkpoint) if checkpoint else Path(".velo") / (app or "app")
