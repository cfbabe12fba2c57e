"""The present, as the batch's clock tells it: the re-run of a batch sees the same time."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.types import DATE, STRING, TIMESTAMP, TIMESTAMP_NTZ

scalar = Family("clock")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("CURRENT_DATE()", DATE,
      "The date of today",
      "CURRENT_DATE() > DATE '2024-01-01'", "true", aliases=("CURDATE",)),
    scalar("CURRENT_TIMESTAMP()", TIMESTAMP,
      "The present, the same for all rows of a batch",
      "CURRENT_TIMESTAMP() > TIMESTAMP '2024-01-01 00:00:00'", "true", aliases=("NOW", "CURRENT_ROW_TIMESTAMP")),
    scalar("CURRENT_TIMEZONE()", STRING,
      "The session's time zone",
      "LENGTH(CURRENT_TIMEZONE()) > 0", "true"),
    scalar("LOCALTIMESTAMP()", TIMESTAMP_NTZ,
      "The present without a zone",
      "LOCALTIMESTAMP() > TIMESTAMP_NTZ '2024-01-01 00:00:00'", "true"),
    scalar("PROCTIME()", TIMESTAMP,
      "When the record was read: `_processing_time`",
      "PROCTIME()",
      lowers="_processing_time"),
)
