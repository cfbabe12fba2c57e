"""The bounds of the window that a row belongs to, in the words of Flink, and Spark's own window calls."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.functions.returns import WINDOW_BOUNDS
from velostream.types import TIMESTAMP

scalar = Family("window bounds")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("CUMULATE_END([time: time], [step: interval], [size: interval])", TIMESTAMP,
      "The end of the row's cumulating window: `_window_end`",
      "CUMULATE_END()",
      lowers="_window_end"),
    scalar("CUMULATE_START([time: time], [step: interval], [size: interval])", TIMESTAMP,
      "The start of the row's cumulating window: `_window_start`",
      "CUMULATE_START()",
      lowers="_window_start"),
    scalar("HOP_END([time: time], [advance: interval], [size: interval])", TIMESTAMP,
      "The end of the row's sliding window: `_window_end`",
      "HOP_END()",
      lowers="_window_end"),
    scalar("HOP_START([time: time], [advance: interval], [size: interval])", TIMESTAMP,
      "The start of the row's sliding window: `_window_start`",
      "HOP_START()",
      lowers="_window_start"),
    scalar("SESSION_END([time: time], [gap: interval])", TIMESTAMP,
      "The end of the row's session: `_window_end`",
      "SESSION_END()",
      lowers="_window_end"),
    scalar("SESSION_START([time: time], [gap: interval])", TIMESTAMP,
      "The start of the row's session: `_window_start`",
      "SESSION_START()",
      lowers="_window_start"),
    scalar("TUMBLE_END([time: time], [size: interval])", TIMESTAMP,
      "The end of the row's tumbling window: `_window_end`",
      "TUMBLE_END()",
      lowers="_window_end"),
    scalar("TUMBLE_START([time: time], [size: interval])", TIMESTAMP,
      "The start of the row's tumbling window: `_window_start`",
      "TUMBLE_START()",
      lowers="_window_start"),
    scalar("SESSION_WINDOW(time: time, gap)", WINDOW_BOUNDS,
      "Spark's session windows in GROUP BY",
      "SESSION_WINDOW(trade_time, '5 minutes')",
      refused="write WINDOW SESSION(5m), which has watermarks and lateness"),
    scalar("WINDOW(time: time, size!: string, [advance!: string], [offset!: string])", WINDOW_BOUNDS,
      "Spark's time windows in GROUP BY",
      "WINDOW(trade_time, '5 minutes')",
      refused="write WINDOW TUMBLING(5m) or SLIDING(15m, 1m), which have watermarks and lateness"),
    scalar("WINDOW_TIME(window: struct)", TIMESTAMP,
      "The last moment of one of Spark's time windows",
      "WINDOW_TIME(window)",
      refused="`_event_time` of a windowed row is the last moment of its window"),
)
