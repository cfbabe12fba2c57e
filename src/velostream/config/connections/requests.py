"""Requests to addresses of the web: one pool of connections per process, and what may pass told from what does not."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from velostream.config.secrets import masked
from velostream.errors import VeloError

if TYPE_CHECKING:
    import urllib3

PASSING = (408, 425, 429)
"""Statuses of requests that may pass the next time, beside those of failures of the server itself."""
LONGEST_WAIT = 30.0
"""Seconds that a server may ask to wait (Retry-After)."""


@cache
def _pool() -> urllib3.PoolManager:
    import urllib3

    return urllib3.PoolManager(maxsize=8, retries=False)


def send(
    method: str, url: str, headers: Mapping[str, str], timeout: float, body: bytes | None = None
) -> urllib3.BaseHTTPResponse:
    """The answer to a request. No answer, or one that may be another the next time, is an error from outside."""
    import urllib3

    shown = masked("url", url)
    try:
        # Redirects are followed by urllib3 itself; everything else that fails is for the caller to try again.
        retries = urllib3.Retry(0, redirect=5, raise_on_redirect=True)
        answer = _pool().request(method, url, body=body, headers=dict(headers), timeout=timeout, retries=retries)
    except urllib3.exceptions.HTTPError as error:
        reason = error.reason if isinstance(error, urllib3.exceptions.MaxRetryError) else error
        message = f"'{shown}' does not answer: {reason}"
        raise VeloError(
            message, hint="see that it is up, and that the address is right", code="http-unreachable"
        ) from None
    if answer.status >= 500 or answer.status in PASSING:
        time.sleep(_asked_to_wait(answer.headers.get("Retry-After", "")))
        message = f"'{shown}' answers with {answer.status} {answer.reason}"
        raise VeloError(message, hint="see to the server", code="http-unreachable")
    return answer


def _asked_to_wait(text: str) -> float:
    return min(float(text), LONGEST_WAIT) if text.isdecimal() else 0.0
