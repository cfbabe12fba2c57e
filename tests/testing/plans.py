"""Plans and outcomes that tests of the harness start from."""

from pathlib import Path

from velostream.plan import plan
from velostream.plan.job import ApplicationPlan
from velostream.positions import Text
from velostream.testing.reading import read_text
from velostream.testing.spec import Case
from velostream.validation import validate

SOURCE = """CREATE STREAM s (k STRING, v INT, b BINARY, at {kind}, local TIMESTAMP_NTZ) WITH ('type' = 'kafka_source',
  'topic' = 's', 'bootstrap.servers' = 'broker:9092', 'format' = 'json', 'event.time.field' = 'at'{more});
"""


def planned(query: str, kind: str = "TIMESTAMP", more: str = "") -> ApplicationPlan:
    """The plan of queries over a source `s`."""
    answer = validate(SOURCE.format(kind=kind, more=more) + query, variables={})
    assert answer.ok, answer.findings.errors
    return plan(answer.bound, answer.library)


def case_of(text: str, folder: Path = Path()) -> Case:
    """The case of a specification."""
    [case] = read_text(Text(text, "spec.yaml"), folder / "spec.yaml")
    return case
