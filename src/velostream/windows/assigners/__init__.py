"""The window types. A new one is one file and one line here."""

from velostream.windows.assigners.base import Assigner, ParameterKind, WindowParameter
from velostream.windows.assigners.cumulate import Cumulate
from velostream.windows.assigners.session import Session
from velostream.windows.assigners.sliding import Sliding
from velostream.windows.assigners.tumbling import Tumbling

MEMBERS: tuple[type[Assigner], ...] = (
    Tumbling,
    Sliding,
    Session,
    Cumulate,
)

ASSIGNERS: dict[str, type[Assigner]] = {word: member for member in MEMBERS for word in (member.name, *member.aliases)}

__all__ = ["ASSIGNERS", "Assigner", "Cumulate", "ParameterKind", "Session", "Sliding", "Tumbling", "WindowParameter"]
