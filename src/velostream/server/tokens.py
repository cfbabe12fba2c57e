"""What a token can be: characters that a header carries. One that is refused is never quoted."""

from __future__ import annotations

import re

from velostream.errors import VeloError

_SENDABLE = re.compile(r"[!-~]+")


def token_checked(text: str, whence: str = "VELO_TOKEN") -> str:
    """The token without the spaces and line ends around it; empty where there is none."""
    token = text.strip()
    if token and not _SENDABLE.fullmatch(token):
        hint = "ASCII letters, digits and signs, without spaces or line ends inside"
        raise VeloError(f"what {whence} holds cannot be a token", hint=hint, code="usage")
    return token
