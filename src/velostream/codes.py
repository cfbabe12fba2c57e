"""The codes of all errors and warnings: whose fault, what it means, what to do. The reference page comes from here."""

from dataclasses import dataclass
from enum import Enum

from velostream.registry import by_name


class Domain(Enum):
    """Whose fault: decides the exit code and the HTTP status."""

    USER = "user"
    EXTERNAL = "external"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding. Its name never changes once released."""

    name: str
    meaning: str
    remedy: str
    domain: Domain = Domain.USER


# One line each, however long: this is a table to be read downwards.
# fmt: off
_USER = (
    # text
    Code("syntax", "the text is not a statement of the dialect", "look at the marked place; the hint says what was expected there"),
    Code("unsupported", "the statement is understood, but the engine cannot run it", "use the way that the hint names"),
    Code("empty", "there is no statement in the file", "write at least one statement"),
    Code("unknown-annotation", "an annotation (`-- @name: value`) that nobody reads", "correct its name"),
    Code("invalid-annotation", "an annotation whose value cannot be used", "correct the value"),
    Code("duplicate-annotation", "an annotation is given twice for one statement", "keep one"),
    # names
    Code("unknown-stream", "a statement reads something that no statement declares", "declare it, correct the name, or give it a type with WITH"),
    Code("unknown-column", "a column that none of the sources has", "correct the name; the hint lists the columns"),
    Code("ambiguous-column", "a column that several sources have", "put the source's name or alias before it"),
    Code("unknown-function", "a function that neither Spark nor Velostream has", "correct the name, or register it as a Python function"),
    Code("invalid-function", "a Python function that cannot be declared or loaded", "correct the file or package that the message names"),
    Code("unknown-window", "a window that is neither a kind of window nor a named one", "use TUMBLING, SLIDING, SESSION, CUMULATE or a name from `windowing:`"),
    Code("duplicate-name", "two statements, columns or aliases of one name", "rename one"),
    Code("reserved-column", "a user's column is named like a system column", "rename it with AS, or in the column list"),
    Code("no-system-column", "a system column that this source or query does not have", "the hint says where it exists"),
    Code("cyclic-dependency", "statements that read each other in a circle", "break the circle; the message shows it"),
    Code("unused-stream", "a stream without a sink that nobody reads is not run", "read it, give it a sink, or remove it"),
    # properties
    Code("unknown-property", "a property that neither the job nor a source or sink knows", "correct its name"),
    Code("invalid-property", "a property's value that its type refuses", "the hint shows a value that works"),
    Code("missing-property", "a property without which a source or sink cannot work", "add it"),
    Code("ambiguous-property", "a property without a prefix where several sources could be meant", "put the source's name before it"),
    Code("conflicting-properties", "two settings that contradict each other", "keep one"),
    Code("invalid-config", "a configuration file that cannot be read, or that extends itself", "correct the file"),
    Code("missing-config", "a configuration file that is not there", "correct the path: it is relative to the SQL file"),
    Code("missing-variable", "a `${VARIABLE}` that the environment does not have", "set it, or give a default: `${VARIABLE:default}`"),
    Code("invalid-duration", "a length of time that cannot be read", "write 500ms, 5s, 1m, 2h, 1d or INTERVAL '1' MINUTE"),
    Code("invalid-size", "an amount of bytes that cannot be read", "write 512MB or 4GB"),
    # schemas
    Code("invalid-type", "a type that Spark does not have", "use a Spark SQL type"),
    Code("invalid-schema", "a schema file or sample that cannot be used", "correct the file"),
    Code("unknown-schema", "a source whose columns are not known without running", "declare columns to have them checked"),
    # meaning
    Code("type-mismatch", "an operator or function that does not take these types", "cast one side, or correct the column"),
    Code("wrong-arguments", "a function called with too few or too many arguments", "the hint shows its signature"),
    Code("aggregate-not-allowed", "an aggregate where rows are not grouped yet, or inside another one", "move it to HAVING or the select list"),
    Code("not-grouped", "a column that is neither grouped nor inside an aggregate", "add it to GROUP BY, or aggregate it"),
    Code("missing-grouping", "an aggregate without GROUP BY or WINDOW over a stream", "add GROUP BY or WINDOW"),
    Code("having-without-grouping", "HAVING where nothing is grouped", "use WHERE, or add GROUP BY or WINDOW"),
    Code("implicit-grouping", "the plain columns of the select list are the grouping", "write GROUP BY to say so yourself"),
    Code("invalid-window", "a window that cannot work", "correct its size, advance or gap"),
    Code("window-time", "a window on something that is not a time", "window on a TIMESTAMP column, or on `_event_time`"),
    Code("row-window", "a row window that cannot run on a stream as written", "the hint says what to add"),
    Code("emit-conflict", "two ways of emission that exclude each other", "keep one"),
    Code("emit-final-unbounded", "EMIT FINAL without a window on input that does not end", "add a WINDOW, or flush the job by hand"),
    Code("order-unbounded", "ORDER BY or LIMIT where a stream never ends", "add a WINDOW, or drop the clause"),
    Code("unbounded-state", "state that grows without end", "set state.ttl, or add a window or a time bound"),
    Code("late-strategy", "a strategy for late data that this sink or window cannot have", "use dead_letter or drop"),
    Code("no-record-time", "the source has no record time, so event time is the time of reading", "set event.time.field"),
    Code("window-function-outside", "a window's bounds are read outside of a window", "add a WINDOW"),
    Code("invalid-key", "a PRIMARY KEY that cannot be one", "mark a selected column"),
    Code("missing-key", "a table or an upsert sink without a key", "mark a select item with PRIMARY KEY, or GROUP BY"),
    Code("union-mismatch", "the sides of a UNION have different columns", "select the same number of columns of the same types"),
    Code("insert-mismatch", "the rows do not fit the columns of the target", "select the target's columns in its order"),
    Code("subquery", "a subquery that a stream cannot answer", "read from a table"),
    # joins
    Code("join-classified", "what kind of join this is", "nothing to do"),
    Code("join-unbounded", "streams are joined without a bound in time", "add a BETWEEN on event time, or WITHIN"),
    Code("join-cross", "every row of one side meets every row of the other", "add ON"),
    Code("join-non-equi", "a join without an equality", "add an equality so that rows can be routed by key"),
    Code("join-as-of", "an as-of join on something that has no versions", "join a table that has a version time"),
    Code("join-unsupported", "a join that cannot be run on a stream", "the hint says which can"),
    # sinks and jobs
    Code("unreachable-sink", "a sink that cannot be written", "correct its type, path or properties"),
    Code("unknown-sink", "INTO names a sink that is not declared", "give it a type: 'name.type' = 'kafka_sink'"),
    Code("unused-sink", "properties of a sink that nothing writes to", "write INTO it, or remove them"),
    Code("unknown-job", "a job that this file does not define", "correct the name"),
    Code("expression-failed", "an expression failed on a value of a record or a group", "use the form of the function that gives NULL, such as TRY_CAST"),
    Code("record-failed", "a record failed, and failure_strategy = FailBatch ends the job", "correct the record or the statement, or choose another strategy"),
    Code("no-match", "a join whose missing.data.strategy is fail_fast found no row", "add the row to the table, or choose another strategy"),
    Code("function-failed", "a Python function of the user raised an error", "correct the function, or what it is given"),
    Code("duplicate-key", "a table made of other tables would have two rows for one PRIMARY KEY", "GROUP BY the key, or make more columns part of it"),
    Code("state-mismatch", "a checkpoint's state was kept for another statement", "undo the change, or start with a new checkpoint"),
    Code("table-not-found", "a table of a database that is not there", "correct its name, or create it: `x.table.create = true`"),
    Code("database-refused", "a database does not let in who asks, or does not do what is asked", "see to the rights, the names and the values that the message quotes"),
    Code("http-refused", "an address of the web refuses a request for good", "see to the address, the headers and what is sent"),
    Code("metric", "a @metric that cannot be collected", "the hint says why"),
    Code("file-not-found", "a file that is not there", "correct the path"),
    Code("topic-not-found", "a Kafka topic that is not there", "correct its name, create it, or wait for it: `x.topic.wait.timeout`"),
    Code("topic-refused", "a Kafka topic that cannot be created or written", "see to its settings and to the rights"),
    Code("unreadable-file", "a file that may not be read, or that is not UTF-8 text", "see to its rights, or save it as UTF-8"),
    Code("invalid-spec", "a test specification that cannot be used", "correct the marked place; docs/guides/testing.md shows the format"),
    Code("usage", "the command line cannot be used as typed", "see --help"),
    # server
    Code("invalid-name", "a name that an application or a savepoint cannot have", "use letters, digits, '_', '-' and '.'"),
    Code("invalid-app", "an application that cannot run", "correct what the findings name"),
    Code("unknown-app", "an application that the server does not have", "correct the name, or deploy it"),
    Code("unknown-version", "a version that an application never had", "`velo versions` lists those there were"),
    Code("unknown-savepoint", "a savepoint that an application does not have", "`velo savepoint APP` lists those there are"),
    Code("unknown-table", "a table that no application has", "correct the name"),
    Code("unknown-key", "a key that a table has no row for", "correct the key"),
    Code("unknown-letter", "there is no dead letter of that id", "look at the ids of GET /api/v1/dlq"),
    Code("ambiguous-job", "a name that several jobs have", "put the application's name before it: `app.job`"),
    Code("job-state", "a job is not in a state in which that can be done", "the hint says what to do first"),
    Code("strategy", "a strategy of deployment that this application cannot have", "use REPLACE"),
    Code("foreign-function", "Python code from outside of the server's own folder", "put it into the server's folder"),
    Code("unauthorized", "no token, or a wrong one", "send the server's token"),
    Code("invalid-request", "a request that the server cannot read", "see the OpenAPI document"),
    Code("unknown-path", "the server has nothing at this address", "see the OpenAPI document"),
    Code("wrong-method", "the server does not take this method at this address", "see the OpenAPI document"),
    Code("body-too-large", "a request is larger than the server takes", "send less, or set `--body-limit`"),
)

_OTHERS = (
    Code("server-unreachable", "the job server does not answer", "start it with `velo serve`, or correct VELO_URL", Domain.EXTERNAL),
    Code("address-unusable", "the server cannot listen at its address", "stop what listens there, or choose another `--port` or `--host`", Domain.EXTERNAL),
    Code("data-in-use", "another server uses the data folder", "stop it, or name another folder", Domain.EXTERNAL),
    Code("registry-unreachable", "the database of the server's registry cannot be reached", "see that it is up", Domain.EXTERNAL),
    Code("source-unreadable", "a source could not be read", "check that it is up and that the address is right", Domain.EXTERNAL),
    Code("database-unreachable", "a database does not answer, or cannot do what is asked of it now", "see that it is up, that the address is right and that it has room", Domain.EXTERNAL),
    Code("source-interrupted", "a source stopped answering while rows were being read", "see that it stays up; the micro-batch is run again", Domain.EXTERNAL),
    Code("http-unreachable", "an address of the web does not answer, or answers with an error that may pass", "see that it is up, and that the address is right", Domain.EXTERNAL),
    Code("queue-not-found", "a queue that is not there", "correct its address, or create it: `x.file.wait.timeout` waits for it"),
    Code("foreign-message", "a queue has a message that is no notification of S3", "name the queue that the bucket tells of its objects, or take the message out"),
    Code("store-unreachable", "a store of objects does not answer", "see that it is up, and that endpoint, region and keys are right", Domain.EXTERNAL),
    Code("record-tried-again", "records failed in Python functions, and their micro-batch is run again", "see to what the functions call, or choose another failure_strategy", Domain.EXTERNAL),
    Code("circuit-open", "calls to something outside are suspended, since most of them failed", "see to what is called; `circuit.breaker.*` sets when calls are suspended", Domain.EXTERNAL),
    Code("missing-jars", "jars that a connector needs are not there and cannot be fetched", "give them with --jars DIR or VELO_JARS", Domain.EXTERNAL),
    Code("broker-unreachable", "no Kafka broker answers", "see that it is up, and that bootstrap.servers and security.protocol are right", Domain.EXTERNAL),
    Code("offsets-lost", "Kafka no longer has records that were not read yet", "set `x.on.data.loss = skip` to go on without them, and keep records longer", Domain.EXTERNAL),
    Code("unordered-changes", "changes of one row are in several partitions of a topic", "write them anew, each key in one partition", Domain.EXTERNAL),
    Code("table-not-ready", "a table that a job needs was not loaded in time", "see to its source, or wait longer: `x.wait.timeout`", Domain.EXTERNAL),
    Code("file-unusable", "a file or folder could not be read or written while a job ran", "see to the path, its rights and the room on the disk", Domain.EXTERNAL),
    Code("checkpoint-unreadable", "a checkpoint is damaged, or in use by another process", "restore it from a copy, or start with another one", Domain.EXTERNAL),
    Code("out-of-memory", "Spark or one of its Python workers had no memory left", "give it more, or take smaller batches", Domain.EXTERNAL),
    Code("port-taken", "a port that is to be served is taken, or may not be used", "choose another port", Domain.EXTERNAL),
    Code("spark-failed", "Spark failed while a job ran", "run it again with --debug for the whole story", Domain.EXTERNAL),
    Code("java-missing", "Spark needs Java 17 or newer", "install it, or set JAVA_HOME", Domain.EXTERNAL),
    Code("invalid-plan", "a plan node refused to exist", "report it with the SQL that caused it", Domain.INTERNAL),
    Code("internal", "a defect of Velostream", "report it with the SQL that caused it", Domain.INTERNAL),
)
# fmt: on

CODES: dict[str, Code] = by_name((*_USER, *_OTHERS))
