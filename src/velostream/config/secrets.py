"""What must never be shown: passwords, tokens, keys, and the password inside a URL."""

import re

_SECRET = re.compile(
    r"password|passwd|secret|token|jaas|credential|access.?key|user.info|authorization|private.?key", re.IGNORECASE
)
_IN_URL = re.compile(r"(?<=://)([^/@:\s]*):([^/@\s]*)@")


def is_secret(key: str) -> bool:
    """True where the name of a key says that its value is a secret."""
    return bool(_SECRET.search(key))


def masked(key: str, text: str) -> str:
    """The text as it may be shown in errors, plans and logs."""
    return "****" if is_secret(key) else _IN_URL.sub(r"\1:****@", text)
