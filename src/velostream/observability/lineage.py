"""OpenLineage events of jobs: START, RUNNING now and then, COMPLETE or FAIL, with the lineage of every column."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    column_lineage_dataset as columns,
)
from openlineage.client.facet_v2 import (
    error_message_run,
    input_statistics_input_dataset,
    job_type_job,
    output_statistics_output_dataset,
    processing_engine_run,
    schema_dataset,
)
from openlineage.client.transport import Transport
from openlineage.client.uuid import generate_new_uuid

from velostream import __version__
from velostream.durations import SECOND
from velostream.events import BatchEnded, Event, JobEnded, JobStarted
from velostream.observability.datasets import Dataset, inputs_of, outputs_of, whole
from velostream.observability.sending import Sender
from velostream.plan import lineage as plan_lineage

if TYPE_CHECKING:
    from velostream.jobs.runner import Runner
    from velostream.jobs.running import RunningJob

PRODUCER = f"urn:velostream:{__version__}"
_DIRECT = {
    plan_lineage.IDENTITY: "IDENTITY",
    plan_lineage.EXPRESSION: "TRANSFORMATION",
    plan_lineage.AGGREGATE: "AGGREGATION",
}
_INDIRECT = {
    plan_lineage.FILTER: "FILTER",
    plan_lineage.JOIN: "JOIN",
    plan_lineage.GROUP: "GROUP_BY",
    plan_lineage.WINDOW: "WINDOW",
    plan_lineage.SORT: "SORT",
    plan_lineage.DEDUPLICATE: "CONDITIONAL",
}


@dataclass
class _Told:
    """One job that events are told about."""

    job: RunningJob
    send: Callable[[RunEvent], None]
    namespace: str
    every: float
    run: str = field(default_factory=lambda: str(generate_new_uuid()))
    last: float = 0.0


class LineageEvents:
    """Listens to jobs whose settings name a file or an address for lineage."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.told: dict[str, _Told] = {}
        self.senders: dict[str, Sender[RunEvent]] = {}

    def __call__(self, event: Event) -> None:
        """Tells what is published."""
        told = self._of(event.job)
        if told is None:
            return
        if isinstance(event, JobStarted):
            told.run = str(generate_new_uuid())
            self._tell(told, RunState.START)
        elif isinstance(event, JobEnded):
            self._tell(told, RunState.FAIL if event.state == "failed" else RunState.COMPLETE, event.error)
        elif isinstance(event, BatchEnded) and time.monotonic() - told.last >= told.every:
            self._tell(told, RunState.RUNNING)

    def close(self) -> None:
        """Waits, not for ever, until all is sent."""
        for sender in self.senders.values():
            sender.close()

    def _of(self, name: str) -> _Told | None:
        if name not in self.told:
            job = next((one for one in self.runner.jobs if one.job.name == name), None)
            settings = job.job.settings if job is not None else None
            target = _target(settings, self.runner.folder)
            if job is None or settings is None or target is None:
                return None
            if target not in self.senders:
                self.senders[target] = Sender(_transport(target).emit, "lineage events")
            every = settings.duration("lineage.every") / SECOND
            self.told[name] = _Told(job, self.senders[target].put, settings.text("lineage.namespace"), every)
        return self.told[name]

    def _tell(self, told: _Told, state: RunState, error: str = "") -> None:
        told.last = time.monotonic()
        told.send(run_event(told.job, self.runner, told.namespace, told.run, state, error))


def _target(settings: Any, folder: Path) -> str | None:
    """The address or file that events go to."""
    if settings is None:
        return None
    url, file = settings.get("lineage.url"), settings.get("lineage.file")
    if url:
        return str(url)
    return str((folder / str(file)).resolve()) if file else None


def _transport(target: str) -> Transport:
    if not target.startswith(("http://", "https://")):
        from openlineage.client.transport.file import FileConfig, FileTransport

        return FileTransport(FileConfig(target, append=True))
    from openlineage.client.transport.http import ApiKeyTokenProvider, HttpConfig, HttpTransport

    key = os.environ.get("OPENLINEAGE_API_KEY")
    config = HttpConfig(target)
    if key:
        config.auth = ApiKeyTokenProvider({"apiKey": key})
    return HttpTransport(config)


def run_event(job: RunningJob, runner: Runner, namespace: str, run: str, state: RunState, error: str = "") -> RunEvent:
    """One event: the job, its inputs with their columns, its outputs with where every column comes from."""
    inputs = [whole(each, runner.folder) for each in inputs_of(job.job, runner.plan, namespace)]
    outputs = [whole(each, runner.folder) for each in outputs_of(job.job, namespace)]
    places = {each.label: each for each in inputs}
    traced = {output.name: output for output in plan_lineage.lineage_of(job.job).outputs}
    deciding = plan_lineage.lineage_of(job.job).influences
    facets: dict[str, Any] = {
        "processing_engine": processing_engine_run.ProcessingEngineRunFacet(__version__, "velostream")
    }
    if error:
        facets["errorMessage"] = error_message_run.ErrorMessageRunFacet(error, "SQL")
    records, rows = job.accounts.read, _written(job)
    return RunEvent(
        eventTime=datetime.now(UTC).isoformat(),
        producer=PRODUCER,
        eventType=state,
        run=Run(run, facets),
        job=Job(
            namespace,
            f"{runner.plan.name}.{job.job.name}",
            {"jobType": job_type_job.JobTypeJobFacet("STREAMING", "VELOSTREAM", "JOB")},
        ),
        inputs=[
            InputDataset(each.namespace, each.name, _counted(records, inputs), facets={"schema": _schema(each)})
            for each in inputs
        ],
        outputs=[
            OutputDataset(
                each.namespace,
                each.name,
                {
                    "outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
                        rows.get(each.label)
                    )
                },
                facets={"schema": _schema(each), "columnLineage": _columns(traced.get(each.label), deciding, places)},
            )
            for each in outputs
        ],
    )


def _written(job: RunningJob) -> dict[str, int]:
    return {name.removeprefix("sink "): spent.rows for name, spent in tuple(job.timings.stages.items())}


def _counted(records: int, inputs: list[Dataset]) -> dict[str, Any]:
    """How much was read, where there is one input that it can have come from."""
    streams = [each for each in inputs if each.kind == "stream"]
    if len(streams) != 1:
        return {}
    return {"inputStatistics": input_statistics_input_dataset.InputStatisticsInputDatasetFacet(records)}


def _schema(dataset: Dataset) -> schema_dataset.SchemaDatasetFacet:
    members = [schema_dataset.SchemaDatasetFacetFields(name, kind) for name, kind in dataset.columns]
    return schema_dataset.SchemaDatasetFacet(members)


def _columns(
    output: plan_lineage.Output | None, deciding: tuple[plan_lineage.Origin, ...], places: dict[str, Dataset]
) -> columns.ColumnLineageDatasetFacet:
    made = {} if output is None else output.columns
    return columns.ColumnLineageDatasetFacet(
        {
            name: columns.Fields([_input(o, places, "DIRECT", _DIRECT) for o in origins])
            for name, origins in made.items()
        },
        [_input(origin, places, "INDIRECT", _INDIRECT) for origin in deciding],
    )


def _input(
    origin: plan_lineage.Origin, places: dict[str, Dataset], kind: str, words: dict[str, str]
) -> columns.InputField:
    place = places.get(origin.source)
    step = columns.Transformation(kind, words[origin.how])
    namespace, name = (place.namespace, place.name) if place is not None else ("velostream", origin.source)
    return columns.InputField(namespace, name, origin.column, [step])
