"""A case from SQL to a verdict: checked, planned, run twice, compared."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from velostream.errors import VeloError
from velostream.plan.job import ApplicationPlan
from velostream.testing.agreement import agreement
from velostream.testing.document import InvalidSpec
from velostream.testing.feeding import feeds_of
from velostream.testing.findings import check_case, planned
from velostream.testing.outcome import compare
from velostream.testing.running import Outcome, Stage
from velostream.testing.session import Session
from velostream.testing.spec import NEVER, Case, Expected

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUCKETS = 2
"""Over how many buckets state is spread, unless the application says so: one where the order of rows is looked at."""


@dataclass
class Verdict:
    """What became of a case: nothing that is wrong with it, or all of it."""

    case: Case
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """True where all is as expected."""
        return not self.failures


def check(case: Case, session: Session) -> Verdict:
    """Checks a case; `session` is asked only where it runs."""
    verdict, started = Verdict(case), time.monotonic()
    answer, verdict.failures = check_case(case)
    if answer.ok and not verdict.failures:
        plan, verdict.failures = planned(case, answer)
        if case.runs and not verdict.failures:
            verdict.failures = _run(case, plan, session())
    verdict.seconds = time.monotonic() - started
    return verdict


def _run(case: Case, plan: ApplicationPlan, spark: SparkSession) -> list[str]:
    plan = _spread(case, plan)
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="velo-test-") as folder:
        try:
            first = _outcome(case, plan, spark, Path(folder, "whole"), stop=False)
        except InvalidSpec:
            raise
        except VeloError as error:
            return _failed(case, error)
        if case.fails is not None:
            return ["the run ended well, and was to fail"]
        failures += compare(case, plan, first)
        if case.stop != NEVER:
            try:
                again = _outcome(case, plan, spark, Path(folder, "resumed"), stop=True)
            except VeloError as error:
                return [*failures, f"after a stop and a resume, {_shown(error)}"]
            failures += agreement(first, again)
    return failures


def _spread(case: Case, plan: ApplicationPlan) -> ApplicationPlan:
    """The plan with few buckets: what a case gives is little, and each of them costs time."""
    expected = [case.expected] if isinstance(case.expected, Expected) else list((case.expected or {}).values())
    buckets = 1 if any(each.ordered for each in expected) else BUCKETS
    jobs = (
        job if job.placement.buckets else replace(job, placement=replace(job.placement, buckets=buckets))
        for job in plan.jobs
    )
    return replace(plan, jobs=tuple(jobs))


def _outcome(case: Case, plan: ApplicationPlan, spark: SparkSession, folder: Path, *, stop: bool) -> Outcome:
    from velostream.spark.failures import translated

    feeds = feeds_of(case, plan, folder / "input")
    batches = max((feed.batches for feed in feeds.values()), default=1)
    if case.stop is not None and case.stop > batches:
        raise case.place.refuse(f"'stop' is {case.stop}, and there are {batches} micro-batches", "stop earlier")
    where = (case.stop or max(1, batches // 2)) if stop else None
    stage = Stage(spark, folder, case.folder, keep_prints=case.printed is not None, clocks=case.clocks)
    with translated():
        return stage.run(plan, feeds, where)


def _shown(error: VeloError) -> str:
    hint = f"\n  hint: {error.hint}" if error.hint else ""
    return f"the run failed: error[{error.error_code}]: {error.message}{hint}"


def _failed(case: Case, error: VeloError) -> list[str]:
    """What is wrong with a run that failed: everything, unless the case says that it fails so."""
    if case.fails is None:
        return [_shown(error)]
    failures = []
    code, message = case.fails.get("code"), case.fails.get("message")
    if code is not None and code != error.error_code:
        failures.append(f"the run was to fail with {code}: {_shown(error)}")
    if message is not None and str(message) not in error.message:
        failures.append(f"the run was to fail with a message that holds {message!r}: {_shown(error)}")
    return failures
