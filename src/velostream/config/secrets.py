"""What must never be shown: passwords, tokens, keys, and the password inside a URL."""

import re

_WORDS = r"password|passwd|secret|token|jaas|credential|access.?key|user.info|authorization|private.?key"
_SECRET = re.compile(_WORDS, re.IGNORECASE)
_IN_URL = re.compile(r"(?<=://)([^/@:\s]*):([^/@\s]*)@")
_PARAMETER = re.compile(rf"([?&;][^=&;?]*(?:{_WORDS})[^=&;?]*=)[^&;\s]*", re.IGNORECASE)


def is_secret(key: str) -> bool:
    """True where the name of a key says that its value is a secret."""
    return bool(_SECRET.search(key))


def masked(key: str, text: str) -> str:
    """The text as it may be shown in errors, plans and logs."""
    if is_secret(key):
        return "****"
    return _PARAMETER.sub(r"\1****", _IN_URL.sub(r"\1:****@", text))
