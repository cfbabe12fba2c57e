"""Row windows: functions over the rows around a row, in event order."""

from velostream.windows.rows.buffer import BufferOperator
from velostream.windows.rows.over import OverOperator
from velostream.windows.rows.settings import Emit, Frame, RowCall, RowFunction, RowSettings, Unit
from velostream.windows.rows.windowed import WindowedOperator

__all__ = [
    "BufferOperator",
    "Emit",
    "Frame",
    "OverOperator",
    "RowCall",
    "RowFunction",
    "RowSettings",
    "Unit",
    "WindowedOperator",
]
