"""`python -m benchmarks`: the scenarios side by side, as a table, as data and as a page of the docs."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from benchmarks import baseline, facts, page, terminal, validate
from benchmarks.kafka import loaded
from benchmarks.race import Race
from benchmarks.scenario import CONTESTANTS, Scenario
from benchmarks.scenarios import COMPARISONS, SCENARIOS
from benchmarks.verdict import compared, judged

RECORDS = 4_000_000
VALIDATIONS = 10
LATEST = Path(__file__).parent / "results" / "latest.json"


@click.group(invoke_without_command=True)
@click.option("--records", default=RECORDS, show_default=True, help="The size; dear scenarios take a part of it.")
@click.option("--runs", default=3, show_default=True, help="Timed runs of each contestant.")
@click.option("--warm-ups", default=3, show_default=True, help="Runs before them: the JVM compiles in the first ones.")
@click.option("--only", default="", metavar="S3a,S4", help="Only these scenarios; the page of the docs stays as it is.")
@click.option("--contestants", default=",".join(CONTESTANTS), show_default=True, help="Who takes part.")
@click.option("--cores", default=min(2, os.cpu_count() or 2), show_default=True, help="Cores of each contestant.")
@click.option("--profile", is_flag=True, help="Sample the Python processes of Velostream: where the time goes.")
@click.option("--add", is_flag=True, help="Add to the latest run: a whole one may be made in parts.")
@click.option("--keep", is_flag=True, help="Keep the input and the logs.")
@click.pass_context
def main(
    ctx: click.Context,
    *,
    records: int,
    runs: int,
    warm_ups: int,
    only: str,
    contestants: str,
    cores: int,
    profile: bool,
    add: bool,
    keep: bool,
) -> None:
    """Race Velostream against hand-written PySpark and DuckDB."""
    if ctx.invoked_subcommand is not None:
        return
    chosen = _chosen(only)
    names = _known(contestants, CONTESTANTS, "contestant")
    work = Path(tempfile.mkdtemp(prefix="velo-bench-"))
    samples = work / "samples" if profile else None
    result = facts.facts(records=records, runs=runs, warm_ups=warm_ups, cores=cores, profiled=profile)
    result |= _begun(result) if add else {"scenarios": {}, "comparisons": {}}
    race = Race(work, cores, runs, warm_ups, lambda text: click.echo(text, err=True), samples)
    try:
        for scenario in chosen:
            dataset = scenario.data(records)
            click.echo(f"{scenario.name}  {scenario.title}, {dataset.records:,} records", err=True)
            folder, sizes = dataset.write(work / "data")
            for table in scenario.tables:
                table.write(folder)
            taking_part = tuple(name for name in scenario.contestants if name in names)
            opened = loaded(folder, work / scenario.name, dataset.records) if scenario.kafka else nullcontext(folder)
            with opened as given:
                lanes = race.run(scenario, given, dataset.records, taking_part)
            result["scenarios"][scenario.name] = judged(scenario, lanes, sizes, cores)
            found = {each.name: compared(each, result["scenarios"]) for each in COMPARISONS}
            result["comparisons"] = {name: value for name, value in found.items() if value is not None}
            _save(result)
            if samples is not None:
                from benchmarks.profiling.summary import summary

                click.echo(summary(samples / scenario.name), err=True)
    finally:
        if keep:
            click.echo(f"input and logs are in {work}", err=True)
        else:
            shutil.rmtree(work, ignore_errors=True)
    terminal.show(result)
    if len(result["scenarios"]) == len(SCENARIOS) and not profile and names == CONTESTANTS:
        _write(result)
    ctx.exit(1 if _failed(result) else 0)


def _begun(result: dict[str, Any]) -> dict[str, Any]:
    """What the latest run has measured, which must have been of the same kind."""
    latest = json.loads(LATEST.read_text())
    for what in ("records", "runs", "warm_ups", "cores", "versions"):
        if latest[what] != result[what]:
            raise click.UsageError(f"the latest run had other {what}: {latest[what]} instead of {result[what]}")
    return {"scenarios": latest["scenarios"], "comparisons": latest["comparisons"]}


def _write(result: dict[str, Any]) -> None:
    """The page of the docs, with how long checking takes."""
    result["validate"] = validate.timings(VALIDATIONS)
    click.echo(validate.table(result["validate"]) + "\n\n" + validate.imports())
    _save(result)
    page.write(result)


def _chosen(only: str) -> tuple[Scenario, ...]:
    if not only:
        return SCENARIOS
    wanted = _known(only, tuple(each.name for each in SCENARIOS), "scenario")
    return tuple(each for each in SCENARIOS if each.name in wanted)


def _known(text: str, names: tuple[str, ...], what: str) -> tuple[str, ...]:
    asked = [part.strip() for part in text.split(",")]
    for name in asked:
        if name not in names:
            raise click.UsageError(f"there is no {what} '{name}'; there are: {', '.join(names)}")
    return tuple(name for name in names if name in asked)


def _failed(result: dict[str, Any]) -> bool:
    scenarios = result["scenarios"]
    lanes = [lane for one in scenarios.values() for lane in one["contestants"].values()]
    return any("failed" in lane for lane in lanes) or any(one["unequal"] for one in scenarios.values())


def _save(result: dict[str, Any]) -> None:
    LATEST.parent.mkdir(exist_ok=True)
    LATEST.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


@main.command()
def check() -> None:
    """Compare the latest run with the stored ratios; those that fell by 10 % or more make it fail."""
    lines, fallen = baseline.check(json.loads(LATEST.read_text()))
    click.echo("\n".join(lines))
    if fallen:
        raise click.ClickException(f"{len(fallen)} of the stored ratios fell by 10 % or more: {', '.join(fallen)}")


@main.command()
def store() -> None:
    """Make the ratios of the latest run the stored ones."""
    click.echo(baseline.store(json.loads(LATEST.read_text())))


@main.command("page")
def rewrite() -> None:
    """Write the page of the docs from the latest run, whole or not."""
    _write(json.loads(LATEST.read_text()))


if __name__ == "__main__":
    main()
