"""What Spark says about its session, its tasks and its files."""

from velostream.functions.base import Function
from velostream.functions.family import Family
from velostream.types import BIGINT, INT, STRING

scalar = Family("session")

# A table to be read downwards: signature and result type, what it does, an example and what that gives.
# fmt: off
FUNCTIONS: tuple[Function, ...] = (
    scalar("CURRENT_CATALOG()", STRING,
      "The session's catalog",
      "CURRENT_CATALOG()"),
    scalar("CURRENT_DATABASE()", STRING,
      "The session's database",
      "CURRENT_DATABASE()", aliases=("CURRENT_SCHEMA",)),
    scalar("CURRENT_PATH()", STRING,
      "The schemas in which names are looked up",
      "LENGTH(CURRENT_PATH()) > 0", "true"),
    scalar("CURRENT_USER()", STRING,
      "The user that runs the job",
      "LENGTH(CURRENT_USER()) > 0", "true", aliases=("USER", "SESSION_USER")),
    scalar("INPUT_FILE_BLOCK_LENGTH()", BIGINT,
      "The length of the block of the file that a row was read from",
      "INPUT_FILE_BLOCK_LENGTH()",
      refused="`_topic` is the path of the file, `_offset` the index of the record in it"),
    scalar("INPUT_FILE_BLOCK_START()", BIGINT,
      "Where the block of the file begins that a row was read from",
      "INPUT_FILE_BLOCK_START()",
      refused="`_topic` is the path of the file, `_offset` the index of the record in it"),
    scalar("INPUT_FILE_NAME()", STRING,
      "The file that a row was read from",
      "INPUT_FILE_NAME()",
      refused="`_topic` is the path of the file"),
    scalar("JAVA_METHOD(class!: string, method!: string, arguments*)", STRING,
      "What a static method of a Java class gives",
      "JAVA_METHOD('java.lang.Math', 'abs', -5)", "5", aliases=("REFLECT",)),
    scalar("MONOTONICALLY_INCREASING_ID()", BIGINT,
      "A number that grows within a partition",
      "MONOTONICALLY_INCREASING_ID()", deterministic=False,
      refused="Spark has no such number in a stream; `_partition` and `_offset` tell records apart"),
    scalar("SPARK_PARTITION_ID()", INT,
      "The number of the Spark partition that computes a row",
      "SPARK_PARTITION_ID()", deterministic=False),
    scalar("TRY_REFLECT(class!: string, method!: string, arguments*)", STRING,
      "What a static method of a Java class gives; NULL where it fails",
      "TRY_REFLECT('java.net.URLDecoder', 'decode', '%')", "NULL"),
    scalar("VERSION()", STRING,
      "Spark's version",
      "LENGTH(VERSION()) > 0", "true"),
)
