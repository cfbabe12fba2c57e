"""Row windows: functions over the rows around a row, in event order."""

from velostream.windows.rows.answer import Answer, Due, StandingSettings
from velostream.windows.rows.answers import CorrectedBuffer, WholePartition
from velostream.windows.rows.buffer import BufferOperator
from velostream.windows.rows.correcting import CorrectingOver
from velostream.windows.rows.over import OverOperator
from velostream.windows.rows.settings import Emit, Frame, RowCall, RowFunction, RowSettings, Unit
from velostream.windows.rows.standing import Standing

__all__ = [
    "Answer",
    "BufferOperator",
    "CorrectedBuffer",
    "CorrectingOver",
    "Due",
    "Emit",
    "Frame",
    "OverOperator",
    "RowCall",
    "RowFunction",
    "RowSettings",
    "Standing",
    "StandingSettings",
    "Unit",
    "WholePartition",
]
