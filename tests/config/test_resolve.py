"""Settings are resolved from all layers; every value knows where it comes from, and all problems are found at once."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.config.asking import OUT, QUOTES, TRADES, Asked, declared, owner, sink, source

from velostream.config.origin import Entry, Layer, Origin, command, session, written
from velostream.config.property import Scope
from velostream.durations import MINUTE, SECOND


def test_prefixed_keys_are_the_owners_and_the_others_the_jobs() -> None:
    asked = Asked({**TRADES, **OUT, "allowed.lateness": "2m", "out.format": "csv"}, source(), sink())
    assert not asked.problems
    assert asked.resolved.job.duration("allowed.lateness") == 2 * MINUTE
    assert asked.resolved["TRADES"].get("topic") == ("t",)
    assert asked.resolved["out"].text("format") == "csv"


def test_owners_are_known_in_any_letter_case() -> None:
    asked = Asked({"TRADES.Type": "KAFKA_SOURCE", "Trades.TOPIC": "t", "trades.bootstrap_servers": "h:1"}, source())
    assert not asked.problems
    assert asked.resolved["trades"].text("type") == "kafka_source"


def test_a_source_property_without_a_prefix_is_the_only_sources() -> None:
    asked = Asked({"type": "kafka_source", "topic": "t", "bootstrap.servers": "h:9092", **OUT}, source(), sink())
    assert not asked.problems
    assert asked.resolved["trades"].get("topic") == ("t",)


def test_a_table_beside_it_does_not_make_a_source_one_of_several() -> None:
    asked = Asked({**TRADES, "event.time.field": "ts"}, source(), owner("limits", Scope.TABLE))
    assert not asked.problems
    assert asked.resolved["trades"].text("event.time.field") == "ts"


def test_a_source_property_without_a_prefix_is_ambiguous_with_several_sources() -> None:
    asked = Asked({**TRADES, **QUOTES, "group.id": "g"}, source(), source("quotes"))
    assert asked.problems == [("ambiguous-property", "property 'group.id' could belong to several sources")]
    assert asked.hint == "write 'trades.group.id' or 'quotes.group.id'"
    assert asked.marked == "'group.id' = 'g'"


def test_a_property_that_the_job_may_have_holds_for_all_sources_that_do_not_set_it() -> None:
    given_ = {"watermark.max_out_of_orderness": "5s", "quotes.watermark.max_out_of_orderness": "2m"}
    asked = Asked({**TRADES, **QUOTES, **given_}, source(), source("quotes"))
    assert not asked.problems
    assert asked.resolved["trades"].duration("watermark.max_out_of_orderness") == 5 * SECOND
    assert asked.resolved["quotes"].duration("watermark.max_out_of_orderness") == 2 * MINUTE


def test_in_a_statement_without_a_source_keys_without_a_prefix_are_the_only_owners() -> None:
    asked = Asked({"type": "kafka_sink", "topic": "t", "bootstrap.servers": "h:9092"}, sink("alerts"))
    assert not asked.problems
    assert asked.resolved["alerts"].text("topic") == "t"


def test_a_sink_property_without_a_prefix_is_refused_with_the_prefix() -> None:
    asked = Asked({**TRADES, **OUT, "rotation.size": "1MB"}, source(), sink())
    assert asked.codes == ["unknown-property"]
    assert asked.hint == "write 'out.rotation.size'"


def test_a_job_property_with_a_prefix_is_refused_with_the_way_out() -> None:
    asked = Asked({**TRADES, "trades.allowed.lateness": "1m"}, source())
    assert asked.problems == [("unknown-property", "source 'trades' has no property 'allowed.lateness'")]
    assert asked.hint == "it is the job's: write 'allowed.lateness' without the prefix"


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("alowed.lateness", "'allowed.lateness'"),
        ("trades.tpoic", "'topic'"),
        ("trade.topic", "'trades.topic'"),
        ("watermark.max_out_of_order", "'watermark.max_out_of_orderness'"),
        ("trades.csv.headr", "…"),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_ones(key: str, nearest: str) -> None:
    asked = Asked({**TRADES, key: "x"}, source())
    assert asked.codes == ["unknown-property"]
    assert nearest in asked.hint
    assert asked.marked == f"'{key}' = 'x'"


def test_a_key_that_could_be_the_jobs_or_an_owners_is_ambiguous() -> None:
    asked = Asked({"wait.type": "http_source", "wait.url": "http://x/y", "wait.timeout": "5s"}, source("wait"))
    assert asked.problems == [("ambiguous-property", "property 'wait.timeout' could be the job's or that of 'wait'")]
    assert asked.hint == "rename 'wait'"


def test_an_owner_may_be_called_like_the_beginning_of_a_job_property() -> None:
    asked = Asked({"state.type": "datagen_source", "state.ttl": "1h"}, source("state"))
    assert not asked.problems
    assert "state.ttl" in asked.resolved.job


def test_properties_of_a_sink_that_nothing_writes_to_are_one_finding() -> None:
    asked = Asked({**TRADES, **OUT, "out.format": "csv"}, source())
    assert asked.problems == [("unused-sink", "nothing is written to 'out', which has properties")]


def test_properties_of_a_source_that_is_not_read_are_one_finding() -> None:
    asked = Asked({**TRADES, **QUOTES}, source())
    assert asked.problems == [("unknown-property", "the statement does not read 'quotes', which has properties")]


def test_all_problems_are_found_at_once() -> None:
    asked = Asked(
        {"trades.type": "kafka_source", "trades.topic": "a b", "trades.nope": "1", "allowed.lateness": "soon"}, source()
    )
    assert sorted(asked.codes) == ["invalid-property", "invalid-property", "missing-property", "unknown-property"]


def test_a_missing_property_is_told_with_what_it_is_and_an_example() -> None:
    asked = Asked({"trades.type": "file_source"}, source())
    assert asked.problems == [
        ("missing-property", "source 'trades' needs 'trades.path': a file, a folder or a glob; ** stands for any depth")
    ]
    assert asked.hint == "add 'trades.path' = 'data/trades-*.csv'"


def test_of_alternatives_one_is_needed_and_only_one() -> None:
    base = {"trades.type": "kafka_source", "trades.bootstrap.servers": "h:9092"}
    assert (
        Asked(base, source())
        .problems[0][1]
        .startswith("source 'trades' needs 'trades.topic' or 'trades.topic.pattern'")
    )
    assert not Asked({**base, "trades.topic.pattern": "t.*"}, source()).problems
    both = Asked({**TRADES, "trades.topic.pattern": "t.*"}, source())
    assert both.problems == [("conflicting-properties", "'trades.topic' and 'trades.topic.pattern' exclude each other")]


def test_an_owner_without_a_type_is_told_so_and_its_other_keys_are_not_unknown() -> None:
    asked = Asked({"trades.topic": "t", "trades.csv.header": "true"}, source())
    assert asked.codes == ["missing-property"]
    assert "'trades.type'" in asked.problems[0][1]


def test_an_unknown_type_is_one_finding() -> None:
    asked = Asked({"trades.type": "kafka_sorce", "trades.topic": "t", "trades.path": "p"}, source())
    assert asked.problems == [("invalid-property", "property 'trades.type': 'kafka_sorce' is not one of its values")]
    assert "did you mean 'kafka_source'" in asked.hint


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("allowed.lateness", "1m"), ("allowed.lateness", "1m")], "'allowed.lateness' is given twice"),
        ([("allowed.lateness", "1m"), ("allowed_lateness", "2m")], "'allowed_lateness' is given twice"),
        (
            [("watermark.idle_timeout", "1m"), ("scan.watermark.idle-timeout", "2m")],
            "'watermark.idle_timeout' and 'scan.watermark.idle-timeout' are the same property, given twice",
        ),
    ],
)
def test_the_same_property_twice_is_a_conflict(pairs: list[tuple[str, str]], message: str) -> None:
    asked = Asked(pairs)
    assert asked.codes == ["conflicting-properties"]
    assert asked.problems[0][1].startswith(message)
    assert asked.marked == "'{}' = '{}'".format(*pairs[1])


def test_client_settings_pass_through_under_the_clients_names() -> None:
    passed = {
        "trades.properties.security.protocol": "SASL_SSL",
        "trades.kafka.max.poll.records": "10",
        "trades.ssl.truststore.location": "/x",
        "trades.sasl.jaas.config": "secret",
        "trades.fetch.min.bytes": "5",
    }
    settings = Asked({**TRADES, **passed}, source()).resolved["trades"]
    assert {name: value.text for name, value in settings.client.items()} == {
        "security.protocol": "SASL_SSL",
        "max.poll.records": "10",
        "ssl.truststore.location": "/x",
        "sasl.jaas.config": "secret",
        "fetch.min.bytes": "5",
    }
    assert settings.client["sasl.jaas.config"].shown == "****"


def test_a_client_setting_twice_is_a_conflict_however_it_is_written() -> None:
    asked = Asked({**TRADES, "trades.properties.client.id": "a", "trades.client.id": "b"}, source())
    assert asked.codes == ["conflicting-properties"]


def test_a_client_setting_that_would_break_the_job_is_refused_with_the_reason() -> None:
    asked = Asked({**TRADES, "trades.properties.enable.auto.commit": "true"}, source())
    assert asked.problems == [
        (
            "invalid-property",
            "property 'trades.properties.enable.auto.commit' must not be set: offsets are kept with the checkpoint",
        )
    ]


def test_names_from_flink_mean_the_same() -> None:
    flink = {
        "trades.connector": "kafka",
        "trades.topic": "t",
        "trades.properties.bootstrap.servers": "h:9092",
        "trades.properties.group.id": "g",
        "trades.scan.startup.mode": "earliest-offset",
        "trades.scan.watermark.idle-timeout": "5 s",
        "trades.value.format": "avro-confluent",
        "trades.avro-confluent.url": "http://registry:8081",
        "table.exec.state.ttl": "1 d",
    }
    asked = Asked(flink, source())
    assert not asked.problems
    trades = asked.resolved["trades"]
    assert trades.text("type") == "kafka_source"
    assert trades.text("auto.offset.reset") == "earliest"
    assert trades.duration("watermark.idle_timeout") == 5 * SECOND
    assert trades.text("format") == "avro"
    assert trades.text("schema.registry.url") == "http://registry:8081"


# Layers -------------------------------------------------------------------------------------------------------------


def config(tmp_path: Path, text: str, name: str = "c.yaml") -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path


def test_every_layer_overrides_those_below_it(tmp_path: Path) -> None:
    config(tmp_path, "watermark.emit_interval: 3s\npreset: dev\n")
    entries: list[Entry] = []
    variables: dict[str, str] = {}
    seen = []

    def emit_interval() -> tuple[object, str]:
        asked = Asked(more=entries, folder=tmp_path, variables=variables)
        assert not asked.problems
        value = asked.resolved.job.value("watermark.emit_interval")
        assert value is not None
        return value.text, str(value.origin)

    seen.append(emit_interval())
    entries.append(session("preset", "dev"))
    seen.append(emit_interval())
    entries.append(session("config_file", "c.yaml"))
    seen.append(emit_interval())
    entries.append(session("watermark.emit_interval", "4s"))
    seen.append(emit_interval())
    entries.append(written("watermark.emit_interval", "5s"))
    seen.append(emit_interval())
    variables["VELO_WATERMARK_EMIT_INTERVAL"] = "6s"
    seen.append(emit_interval())
    entries.append(command("watermark.emit_interval", "7s"))
    seen.append(emit_interval())
    assert seen == [
        ("1s", "default"),
        ("500ms", "preset dev"),
        ("3s", "c.yaml:1"),
        ("4s", "session"),
        ("5s", "statement"),
        ("6s", "VELO_WATERMARK_EMIT_INTERVAL"),
        ("7s", "--set watermark.emit_interval"),
    ]


def test_an_owners_own_file_overrides_the_jobs(tmp_path: Path) -> None:
    config(tmp_path, "trades:\n  type: file_source\n  path: a.csv\n  watch: true\n", "job.yaml")
    config(tmp_path, "path: b.csv\n", "own.yaml")
    asked = Asked({"config_file": "job.yaml", "trades.config_file": "own.yaml"}, source(), folder=tmp_path)
    assert not asked.problems
    assert asked.resolved["trades"].text("path") == "b.csv"
    assert asked.resolved["trades"].boolean("watch") is True


def test_a_configuration_file_is_named_by_the_environment_too(tmp_path: Path) -> None:
    config(tmp_path, "allowed_lateness: 9s")
    asked = Asked(folder=tmp_path, variables={"VELO_CONFIG_FILE": "c.yaml"})
    assert asked.resolved.job.duration("allowed.lateness") == 9 * SECOND


def test_problems_in_a_file_are_shown_with_its_line_at_the_place_that_names_it(tmp_path: Path) -> None:
    config(tmp_path, "type: file_source\npath: x.csv\nfoo: 1\nwatch: maybe\n")
    asked = Asked({"trades.config_file": "c.yaml"}, source(), folder=tmp_path)
    assert asked.problems == [
        ("unknown-property", "source 'trades' has no property 'foo' (c.yaml:3)"),
        ("invalid-property", "property 'trades.watch': 'maybe' is neither true nor false (c.yaml:4)"),
    ]
    assert {finding.span.line for finding in asked.findings.found if finding.span} == {1}


def test_a_file_that_is_not_there_and_one_that_names_another_are_findings(tmp_path: Path) -> None:
    config(tmp_path, "config_file: other.yaml")
    asked = Asked({"config_file": "c.yaml", "trades.config_file": "nope.yaml", **TRADES}, source(), folder=tmp_path)
    assert asked.codes == ["invalid-config", "missing-config"]


def test_lists_in_yaml_are_lists_of_names(tmp_path: Path) -> None:
    config(
        tmp_path, "type: datagen_source\ndedup:\n  key: [a, b]\nfields:\n  symbol:\n    values:\n      - X\n      - Y\n"
    )
    asked = Asked({"trades.config_file": "c.yaml"}, source(), folder=tmp_path)
    assert not asked.problems
    assert asked.resolved["trades"].names("dedup.key") == ("a", "b")
    assert asked.resolved["trades"].labelled("fields.*.values")["symbol"].value == ("X", "Y")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("allowed.lateness[0]", "1m")], "property 'allowed.lateness' takes one value, not a list"),
        (
            [("trades.dedup.key[0]", "a"), ("trades.dedup.key[2]", "b")],
            "list 'trades.dedup.key' has no 'trades.dedup.key[1]'",
        ),
        ([("trades.dedup.key[0]", "a"), ("trades.dedup.key[0]", "b")], "'trades.dedup.key[0]' is given twice"),
        ([("trades.dedup.key[0]", "a,b")], "property 'trades.dedup.key': a member of the list has a comma in it"),
    ],
)
def test_lists_that_are_none_are_refused(pairs: list[tuple[str, str]], message: str) -> None:
    asked = Asked([*TRADES.items(), *pairs], source())
    assert [found for _, found in asked.problems] == [message]


def test_the_environment_speaks_of_owners_clients_and_named_things() -> None:
    variables = {
        "VELO_TRADES__TOPIC": "from_env",
        "VELO_TRADES_PROPERTIES_SECURITY_PROTOCOL": "SSL",
        "VELO_TRADES_PROPERTIES_BOOTSTRAP_SERVERS": "env:9092",
        "VELO_WINDOWING_W_SIZE": "7m",
        "VELO_TOKEN": "t",
        "VELO_TRAEDS_TOPIC": "typo",
    }
    asked = Asked({**TRADES, "windowing.w.type": "tumbling"}, source(), variables=variables)
    assert not asked.problems
    trades = asked.resolved["trades"]
    assert trades.get("topic") == ("from_env",)
    assert trades.text("bootstrap.servers") == "env:9092"
    assert trades.client["security.protocol"].text == "SSL"
    assert asked.resolved.windows["w"].lengths == {"size": 7 * MINUTE}
    assert asked.around.environment.unused() == ["VELO_TRAEDS_TOPIC"]


def test_the_type_may_come_from_the_environment() -> None:
    asked = Asked({"trades.path": "x.csv"}, source(), variables={"VELO_TRADES_TYPE": "file_source"})
    assert not asked.problems


def test_two_variables_for_one_property_are_a_conflict() -> None:
    variables = {"VELO_TRADES_TOPIC": "a", "VELO_TRADES_KAFKA_TOPIC": "b"}
    assert Asked(TRADES, source(), variables=variables).codes == ["conflicting-properties"]


def test_a_missing_variable_in_sql_is_named_and_the_property_not_called_missing_twice() -> None:
    asked = Asked({**TRADES, "trades.group.id": "${GROUP}"}, source())
    assert asked.problems == [("missing-variable", "property 'trades.group.id': variable 'GROUP' is not set")]
    assert asked.marked == "'trades.group.id' = '${GROUP}'"


def test_variables_are_put_into_sql_values() -> None:
    asked = Asked({**TRADES, "trades.group.id": "g-${STAGE:dev}"}, source())
    assert asked.resolved["trades"].text("group.id") == "g-dev"


# Several statements -------------------------------------------------------------------------------------------------


def test_set_and_yaml_may_speak_of_what_another_statement_has() -> None:
    more = [session("quotes.topic", "q"), command("quotes.format", "csv")]
    assert not Asked(TRADES, source(), more=more, names=("quotes", "trades")).problems
    assert Asked(TRADES, source(), more=more).codes == ["unknown-property", "unknown-property"]
    assert Asked({**TRADES, "quotes.topic": "q"}, source(), names=("quotes",)).codes == ["unknown-property"]


def test_set_may_speak_of_the_sink_of_a_stream_that_is_read_here() -> None:
    stream = owner("alerts", Scope.STREAM)
    assert not Asked({}, stream, more=[session("alerts.topic", "x")]).problems
    assert Asked({"alerts.topic": "x"}, stream).codes == ["unknown-property"]


def test_a_statement_overrides_what_the_declaration_of_its_source_says() -> None:
    base = Asked({**TRADES, "trades.format": "csv", "trades.csv.delimiter": ";"}, declared("trades")).resolved["trades"]
    reader = replace(source(), base=base)
    asked = Asked({"trades.topic": "other", "watermark.scope": "source"}, reader)
    assert not asked.problems
    trades = asked.resolved["trades"]
    assert trades.get("topic") == ("other",)
    assert trades.text("csv.delimiter") == ";"
    assert trades.text("watermark.scope") == "source"


def test_a_higher_layer_of_the_declaration_stays_above_the_statement() -> None:
    base = Asked(TRADES, declared("trades"), variables={"VELO_TRADES_TOPIC": "env"}).resolved["trades"]
    asked = Asked({"trades.topic": "other"}, replace(source(), base=base))
    assert asked.resolved["trades"].get("topic") == ("env",)


def test_what_is_declared_once_serves_as_source_and_as_sink() -> None:
    flink = {"connector": "kafka", "topic": "t", "bootstrap.servers": "h:9092", "group.id": "g", "linger.ms": "5"}
    asked = Asked(flink, declared("events"))
    assert not asked.problems
    base = asked.resolved["events"]
    reading = Asked({}, replace(source("events"), base=base))
    writing = Asked({}, replace(sink("events"), base=base))
    assert not reading.problems
    assert not writing.problems
    assert reading.resolved["events"].text("type") == "kafka_source"
    assert writing.resolved["events"].text("type") == "kafka_sink"
    assert writing.resolved["events"].text("topic") == "t"
    assert "group.id" not in writing.resolved["events"].values


def test_a_declaration_that_cannot_serve_as_a_sink_is_refused_there() -> None:
    flink = {"connector": "kafka", "topic": "a,b", "bootstrap.servers": "h:9092"}
    base = Asked(flink, declared("events")).resolved["events"]
    asked = Asked({}, replace(sink("events"), base=base))
    assert "several topics" in asked.problems[0][1]


def test_an_address_gives_settings_of_its_owner() -> None:
    given_ = (written("type", "kafka_source"), written("topic", "t"), written("bootstrap.servers", "h:9092"))
    asked = Asked({"trades.format": "csv"}, replace(source(), given=given_))
    assert not asked.problems
    assert asked.resolved["trades"].get("topic") == ("t",)
    assert Asked({"trades.topic": "u"}, replace(source(), given=given_)).codes == ["conflicting-properties"]


def test_the_longer_of_two_names_that_fit_owns_the_key() -> None:
    inner = {"a.b.type": "file_source", "a.b.path": "inner", "a.type": "file_source", "a.path": "outer"}
    asked = Asked(inner, source("a"), source("a.b"))
    assert not asked.problems
    assert asked.resolved["a.b"].text("path") == "inner"
    assert asked.resolved["a"].text("path") == "outer"


# Values that contradict each other ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_", "code", "message"),
    [
        ({"batch.min.size": "10", "batch.max.size": "5"}, "conflicting-properties", "'batch.min.size' = '10' is above"),
        (
            {"state.hot.max_size": "4GB"},
            "conflicting-properties",
            "are 5GB together, above 'state.memory.total' = '4GB'",
        ),
        ({"trades.auto.offset.reset": "timestamp"}, "missing-property", "needs 'start.time'"),
        ({"trades.watermark.strategy": "punctuated"}, "missing-property", "needs 'watermark.punctuation'"),
        ({"trades.dedup.ttl": "1h"}, "missing-property", "'dedup.ttl' needs 'dedup.key'"),
        ({"trades.event.time.zone": "+02:00"}, "missing-property", "'event.time.zone' needs 'event.time.field'"),
        ({"trades.event.time.format": "epoch"}, "missing-property", "'event.time.format' needs 'event.time.field'"),
        ({"trades.event.time.fallback": "null"}, "missing-property", "'event.time.fallback' needs"),
        ({"state.cold.backend": "files"}, "missing-property", "= 'files' needs 'state.cold.location'"),
        (
            {"batch.strategy": "memory", "batch.window": "1s"},
            "conflicting-properties",
            "'batch.window' has no effect with 'batch.strategy' = 'memory'",
        ),
    ],
)
def test_settings_that_need_or_contradict_others_are_found(given_: dict[str, str], code: str, message: str) -> None:
    asked = Asked({**TRADES, **given_}, source())
    assert asked.codes == [code]
    assert message in asked.problems[0][1]


@pytest.mark.parametrize("key", ["event.time.zone=+02:00", "state.cold.backend=none", "batch.size=5", "preset=prod"])
def test_settings_that_may_be_used_elsewhere_need_nothing(key: str) -> None:
    name, text = key.split("=")
    assert not Asked({**TRADES, name: text}, source()).problems


def test_what_set_says_of_a_source_needs_nothing() -> None:
    zone = Entry("trades.event.time.zone", "UTC", Origin(Layer.SESSION))
    assert not Asked(TRADES, source(), more=[zone]).problems


@pytest.mark.parametrize(
    ("given_", "code"),
    [
        ({"trades.config_file": "not_there.yaml"}, "missing-config"),
        ({"config_file": "not_there.yaml"}, "missing-config"),
        ({"trades.type": "kafka_source", "trades.topic": "${NOT_SET}"}, "missing-variable"),
        ({"trades.type": "${NOT_SET}", "trades.topic": "t"}, "missing-variable"),
        ({**TRADES, "trades.dedup.key[1]": "a", "trades.dedup.ttl": "1h"}, "invalid-property"),
    ],
)
def test_what_could_not_be_read_is_not_missed_as_well(given_: dict[str, str], code: str) -> None:
    asked = Asked(given_, source())
    assert asked.codes == [code]
    assert asked.resolved.doubtful == {"trades"}


def test_what_could_not_be_read_of_one_owner_does_not_excuse_another() -> None:
    asked = Asked({"out.type": "file_sink", "out.path": "${NOT_SET}", "trades.type": "file_source"}, source(), sink())
    assert sorted(asked.codes) == ["missing-property", "missing-variable"]


keys = st.text("abcdefghijklmnopqrstuvwxyz._-[]0${}|:' ", min_size=0, max_size=20)


@given(st.lists(st.tuples(keys, st.text(max_size=12)), max_size=5))
def test_whatever_is_written_ends_in_settings_and_findings(pairs: list[tuple[str, str]]) -> None:
    layers = list(Layer)
    more = [Entry(key, text, Origin(layers[index % len(layers)])) for index, (key, text) in enumerate(pairs)]
    asked = Asked(TRADES, source(), sink(), more=more)
    assert all("\n" not in message for _, message in asked.problems if "\n" not in str(pairs))
