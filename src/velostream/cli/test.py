"""`velo test`: specifications in YAML, each case run twice, with what differs row by row."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from velostream.cli.colours import Colours, colours_of
from velostream.cli.report.text import finding
from velostream.diagnostics import Severity
from velostream.errors import EXIT_CODES, VeloError
from velostream.files import replace_text

if TYPE_CHECKING:
    from velostream.testing.checking import Verdict
    from velostream.testing.document import InvalidSpec
    from velostream.testing.session import Session
    from velostream.testing.spec import Case

FAILED = 1


@click.command("test", short_help="Run an application over given records and compare what comes out.")
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@click.option("--junit", "junit_file", default="", metavar="FILE", help="Write the verdicts as JUnit XML.")
@click.option("-k", "part", default="", metavar="NAME", help="Only cases whose name holds this text.")
@click.option("--master", default="local[2]", show_default=True, metavar="URL", help="Where Spark runs.")
@click.pass_context
def command(ctx: click.Context, *, specs: tuple[str, ...], junit_file: str, part: str, master: str) -> None:
    """Run the cases of specifications: YAML files, or folders of them.

    A case gives records to the sources of an application, in micro-batches, and says which rows, dead letters and
    numbers come out. Each case runs twice: as a whole, and with a stop and a resume in the middle.

    The exit code is 0 when every case passes, 1 when one fails, 2 when a specification cannot be used.

    \b
    Examples:
      velo test tests/app.yaml
      velo test tests -k late --junit verdicts.xml
    """
    from velostream.testing.session import session_at

    colours = colours_of(sys.stdout)
    cases, broken = _cases(specs, part)
    if not cases and not broken:
        message = f"no case has '{part}' in its name" if part else "there is no case"
        raise VeloError(message, hint="velo test SPEC... without -k runs all", code="usage")
    started = time.monotonic()
    verdicts = list(_verdicts(cases, session_at(master), colours, broken))
    for error in broken:
        print("\n".join(["", *finding(error.finding, error.text, colours_of(sys.stderr))]), file=sys.stderr)
    print(_summary(verdicts, len(broken), time.monotonic() - started, colours))
    if junit_file:
        from velostream.testing.junit import junit

        replace_text(Path(junit_file), junit(verdicts))
    failed = any(not verdict.passed for verdict in verdicts)
    ctx.exit(EXIT_CODES[broken[0].domain] if broken else FAILED if failed else 0)


def _cases(specs: tuple[str, ...], part: str) -> tuple[list[Case], list[InvalidSpec]]:
    """The cases of all files, and what keeps files from being read."""
    from velostream.testing.document import InvalidSpec
    from velostream.testing.reading import read_specs, spec_files

    cases: list[Case] = []
    broken: list[InvalidSpec] = []
    for file in dict.fromkeys(file for spec in specs for file in spec_files(Path(spec))):
        try:
            cases += [case for case in read_specs(file) if part.casefold() in case.name.casefold()]
        except InvalidSpec as error:
            broken.append(error)
    return cases, broken


def _verdicts(cases: list[Case], session: Session, colours: Colours, broken: list[InvalidSpec]) -> Iterator[Verdict]:
    """The verdicts, each told in a line as it comes; a case that cannot be used goes to `broken`."""
    from velostream.testing.checking import check
    from velostream.testing.document import InvalidSpec

    for case in cases:
        try:
            verdict = check(case, session)
        except InvalidSpec as error:
            broken.append(error)
            print(f"{colours.severe('INVALID', Severity.ERROR)} {case.name}", flush=True)
            continue
        print(_told(verdict, colours), flush=True)
        yield verdict


def _told(verdict: Verdict, colours: Colours) -> str:
    """A line; for a case that failed also where it stands, and all that is not as expected."""
    case = verdict.case
    word = colours.paint("ok     ", "green") if verdict.passed else colours.severe("FAILED ", Severity.ERROR)
    lines = [f"{word} {case.name} ({verdict.seconds:.1f} s)"]
    if not verdict.passed:
        lines.append(f"  {colours.paint('-->', 'blue')} {case.file}:{case.place.line}")
    return "\n".join([*lines, *(f"  {line}" for failure in verdict.failures for line in failure.splitlines())])


def _summary(verdicts: list[Verdict], broken: int, seconds: float, colours: Colours) -> str:
    failed = sum(not verdict.passed for verdict in verdicts)
    parts = [f"{len(verdicts) - failed} passed"]
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{broken} cannot be used"] if broken else []
    text = f"{', '.join(parts)} in {seconds:.1f} s"
    return "\n" + (colours.severe(text, Severity.ERROR) if failed or broken else colours.paint(text, "green"))
