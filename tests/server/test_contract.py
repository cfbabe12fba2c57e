"""The OpenAPI document is true: whatever is sent, nothing but documented answers come back, and no 5xx."""

from __future__ import annotations

import os
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance
from tests.server.conftest import SQL, until

from velostream.server.api.app import create_app
from velostream.server.deploying import Wish, deploy
from velostream.server.plane import Plane

EXAMPLES = int(os.environ.get("VELO_CONTRACT", "4"))
"""How many requests are made up for each operation."""
ENDLESS = "/health/progress/stream"


def test_every_answer_is_documented(plane: Plane) -> None:
    deploy(plane.control, Wish("shop", SQL))
    until(lambda: plane.control.app("shop").state == "running")
    headers = {"Authorization": f"Bearer {plane.token}"}
    schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(plane), headers=headers)
    operations = [found.ok() for found in schema.exclude(path=ENDLESS).get_all_operations()]
    assert len(operations) > 30
    for operation in operations:
        tried(operation, headers)
    assert plane.control.app("shop").alive


def tried(operation: Any, headers: dict[str, str]) -> None:
    """Sends made-up requests, and holds the answers against the document."""

    @given(case=operation.as_strategy())
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), derandomize=True)
    def send(case: Any) -> None:
        # SQL of the right shape may still be wrong, so a valid request may be refused.
        case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

    send()
