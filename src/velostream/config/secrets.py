"""What must never be shown: passwords, tokens, keys, and the password inside a URL."""

import re

_WORDS = (
    r"password|passwd|passphrase|secret|token|jaas|credential|access.?key|api.?key|user.info|authorization|\bauth\b"
    r"|cookie|private.?key|keystore.key|key.pem|signature"
)
_SECRET = re.compile(_WORDS, re.IGNORECASE)
_PORT = r"\d+(?:[/?#,\s]|$)"
_IN_URL = re.compile(rf"""(?<=://)([^/@:\s]*):(?!{_PORT})(?:(?!://)[^\s"'])*@""")
_PARAMETER = re.compile(rf"([?&;][^=&;?]*(?:{_WORDS})[^=&;?]*=)[^&;\s]*", re.IGNORECASE)
_ASSIGNED = re.compile(
    r"""(?<![?&;])\b((?:password|passwd|passphrase|secret)=)("[^"]*"|'[^']*'|[^\s,;&)"']+)""", re.IGNORECASE
)
"""`password=pw` as database clients and JAAS write it; SQL that compares a column is printed with spaces."""


def is_secret(key: str) -> bool:
    """True where the name of a key says that its value is a secret."""
    return bool(_SECRET.search(key))


def masked(key: str, text: str) -> str:
    """The text as it may be shown in errors, plans and logs."""
    if is_secret(key):
        return "****"
    return _ASSIGNED.sub(r"\1****", _PARAMETER.sub(r"\1****", _IN_URL.sub(r"\1:****@", text)))
