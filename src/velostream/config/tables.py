"""Tables and joins (`refresh.*`, `missing.data.strategy` …): how tables are loaded, what a join does with no match."""

from __future__ import annotations

import re
from dataclasses import dataclass

from velostream import durations
from velostream.config.kinds import Choice, Duration, Integer, Text
from velostream.config.property import Property, Scope
from velostream.errors import InvalidDuration, InvalidProperty
from velostream.registry import did_you_mean

PLAIN = ("skip_record", "emit_with_nulls", "fail_fast")
_CALL = re.compile(r"([A-Za-z_]+)\s*(?:\((.*)\))?", re.DOTALL)
_DEFAULT = re.compile(r"\s*(`[^`]+`|[A-Za-z_]\w*)\s*=\s*('(?:[^']|'')*'|[^,']+?)\s*(?:,|$)")
_HINT = (
    "use skip_record, emit_with_nulls, fail_fast, wait_and_retry(3, 500ms) or use_defaults(sector = 'unknown', lot = 1)"
)


@dataclass(frozen=True, slots=True)
class MissingData:
    """What a join does with a row that has no match in the table.

    `defaults` are pairs of column and SQL literal (use_defaults); `tries` and `delay` (microseconds) of wait_and_retry.
    """

    strategy: str
    defaults: tuple[tuple[str, str], ...] = ()
    tries: int = 0
    delay: int = 0


@dataclass(frozen=True, slots=True)
class MissingDataKind:
    """`skip_record`, `emit_with_nulls`, `fail_fast`, `wait_and_retry(n, delay)`, `use_defaults(column = value, …)`."""

    name: str = "strategy"

    def parse(self, text: str) -> object:
        """A `MissingData`."""
        call = _CALL.fullmatch(text.strip())
        word = call[1].casefold() if call else ""
        if call and word in PLAIN and call[2] is None:
            return MissingData(word)
        if call and word == "wait_and_retry" and call[2] is not None:
            return _wait_and_retry(call[2])
        if call and word == "use_defaults" and call[2] is not None:
            return _use_defaults(call[2])
        names = (*PLAIN, "wait_and_retry", "use_defaults")
        close = "" if word in names else did_you_mean(word or text, names)
        raise InvalidProperty(f"'{text}' is not a strategy for missing data", hint=f"{close} {_HINT}".strip())


def _wait_and_retry(arguments: str) -> MissingData:
    parts = [part.strip() for part in arguments.split(",")]
    if len(parts) != 2 or not parts[0].isascii() or not parts[0].isdecimal() or not int(parts[0]):
        raise InvalidProperty(
            f"'{arguments}' are not a number of tries and a delay", hint="write wait_and_retry(3, 500ms)"
        )
    try:
        delay = durations.parse(parts[1])
    except InvalidDuration as error:
        raise InvalidProperty(error.message, hint="write wait_and_retry(3, 500ms)") from None
    return MissingData("wait_and_retry", tries=int(parts[0]), delay=delay)


def _use_defaults(arguments: str) -> MissingData:
    defaults: list[tuple[str, str]] = []
    position = 0
    while position < len(arguments):
        default = _DEFAULT.match(arguments, position)
        if default is None:
            message = f"'{arguments[position:].strip()}' is not a column and its default"
            raise InvalidProperty(message, hint="write use_defaults(sector = 'unknown', lot = 1)")
        defaults.append((default[1].strip("`"), default[2]))
        position = default.end()
    names = [name.casefold() for name, _ in defaults]
    if not defaults or arguments.rstrip().endswith(",") or len(set(names)) != len(names):
        raise InvalidProperty(f"'{arguments}' must name each column once, and at least one", hint=_HINT)
    return MissingData("use_defaults", tuple(defaults))


MISSING_DATA = Property(
    "missing.data.strategy",
    MissingDataKind(),
    "what a join does with a row that has no match, by the table or by its alias in one join; without it INNER skips "
    "the row and LEFT emits NULLs",
    "use_defaults(sector = 'unknown', lot = 1)",
    scopes=(Scope.TABLE,),
)

TABLES = (
    Property(
        "refresh.interval",
        Duration(positive=True),
        "how often the table looks for newer rows; of one made of other tables the shortest time between computations",
        "10s",
        default="30s",
        scopes=(Scope.TABLE, Scope.SOURCE),
    ),
    Property(
        "refresh.mode",
        Choice(("incremental", "full", "none")),
        "what a refresh reads: what is new since the last one, all of it (so always of tables), or nothing",
        "full",
        default="incremental",
        scopes=(Scope.TABLE, Scope.SOURCE),
    ),
    Property(
        "retention",
        Duration(positive=True),
        "how long the table keeps a row that was not updated, in event time; without it for ever",
        "30d",
        scopes=(Scope.TABLE,),
    ),
    Property(
        "version.time",
        Text("column"),
        "the column that says from when on a row holds, for FOR SYSTEM_TIME AS OF; without it the record time",
        "valid_from",
        scopes=(Scope.TABLE, Scope.SOURCE),
    ),
    Property(
        "wait.timeout",
        Duration(),
        "how long a job waits for the table to be loaded before it gives up",
        "5m",
        default="60s",
        scopes=(Scope.JOB, Scope.TABLE),
    ),
    Property(
        "tables.load.parallelism",
        Integer(least=1),
        "how many tables that do not depend on each other are loaded at once",
        "8",
        default="4",
        scopes=(Scope.JOB,),
    ),
    MISSING_DATA,
)
