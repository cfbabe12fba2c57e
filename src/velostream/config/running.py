"""How a job runs: its mode, how it spreads and scans, Spark's own settings, and the preset it starts from."""

from velostream.config.kinds import Boolean, Choice, Integer, Text
from velostream.config.property import Family, Property, Scope

_JOB = (Scope.JOB,)
_ALL = (Scope.JOB, Scope.SOURCE, Scope.STREAM, Scope.TABLE, Scope.SINK)

PRESETS = ("dev", "prod")
MODES = ("simple", "transactional", "adaptive")

RUNNING = (
    Property(
        "preset",
        Choice(PRESETS),
        "settings for trying out or for production that hold where nothing else is set; the same as --preset",
        "dev",
        scopes=_JOB,
    ),
    Property(
        "job.mode",
        Choice(MODES),
        "low latency and at least once, exactly once from end to end, or partitioned and tuned to the load",
        "transactional",
        default="simple",
        scopes=_JOB,
    ),
    Property(
        "num_partitions",
        Integer(least=1),
        "over how many buckets the state is spread; fixed at the first start; without it one for each partition of "
        "state: the cores of a local master, at least 2, or spark.sql.shuffle.partitions of a cluster (16)",
        "16",
        scopes=_JOB,
    ),
    Property(
        "partitioning_strategy",
        Choice(("hash", "sticky", "roundrobin", "fanin", "smart")),
        "how records are spread: by key (hash), in turn (roundrobin), all to one (fanin), or by key after combining "
        "(smart); by source partition (sticky) is refused: it would split groups of a topic that gets more partitions",
        "smart",
        scopes=_JOB,
    ),
    Property(
        "scan.in_worker",
        Choice(("auto", "never")),
        "whether records are filtered and combined where they are read, where that gives the same results",
        "never",
        default="auto",
        scopes=(Scope.JOB, Scope.SOURCE),
    ),
    Property(
        "ansi.enabled",
        Boolean(),
        "whether division by zero and the like are errors of the record, as in ANSI SQL, or give NULL",
        "false",
        default="true",
        aliases=("spark.sql.ansi.enabled",),
        scopes=_JOB,
    ),
)

CONFIG_FILE = Property(
    "config_file",
    Text("file"),
    "a YAML file with settings, relative to the SQL file",
    "conf/trades.yaml",
    scopes=_ALL,
)

SPARK = Family(
    "spark.",
    "settings of Spark, handed to its session as they are",
    ("spark.executor.memory", "4g"),
    strips=False,
    refused=(
        ("spark.speculation", "a second attempt of a task would write twice"),
        (
            "spark.sql.shuffle.partitions",
            "it is fixed with the checkpoint; num_partitions says how many buckets there are",
        ),
    ),
    scopes=_JOB,
)
