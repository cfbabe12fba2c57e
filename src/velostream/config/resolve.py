"""From what is written, in WITH, SET, YAML, the environment and on the command line, to the settings that hold.

    around = Surroundings.of(folder=Path("app.sql").parent)               # once for an application
    resolved = resolve(
        entries=[written("trades.type", "kafka_source", span), written("allowed.lateness", "2m", span),
                 session("preset", "dev"), command("trades.topic", "t2")],
        owners=[Owner("trades", Scope.SOURCE, source_keys), Owner("out", Scope.SINK, sink_keys)],
        around=around,
        findings=findings,
    )
    resolved.job.duration("allowed.lateness")                             # 120_000_000 microseconds
    resolved["trades"].text("topic")                                      # 't2'
    resolved["trades"].value("topic").origin                              # --set trades.topic
    resolved["trades"].duration("watermark.max_out_of_orderness")          # the job's, the preset's, or the default

`source_keys`, `sink_keys`, … are in velostream.catalog.properties. All problems go to `findings`; what is wrong is left
out of the settings, so that checking can go on. The order of layers is that of `Layer`: the command line, the
environment, the statement, SET, YAML, preset, default. A key without a prefix is the job's; one that the job does not
know belongs to the statement's only source, and in a statement that has no source to its only owner.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from velostream.config.config_file import ConfigFiles
from velostream.config.environment import Environment
from velostream.config.keys import fold
from velostream.config.lists import join_lists
from velostream.config.origin import Entry, Layer, Origin
from velostream.config.owner import Owner
from velostream.config.presets import with_preset
from velostream.config.routing import Router
from velostream.config.running import CONFIG_FILE
from velostream.config.sections import translate
from velostream.config.settings import Settings
from velostream.config.settling import Settler
from velostream.config.variables import substitute
from velostream.config.windowing import NamedWindow, named_windows
from velostream.diagnostics import Findings
from velostream.errors import VeloError


@dataclass(slots=True)
class Surroundings:
    """What settings depend on beside the statement: made once for an application and shared by its statements.

    `names` are all sources, sinks and tables of the application: SET, YAML and the command line may speak of those that
    a statement does not have.
    """

    environment: Environment
    files: ConfigFiles
    names: Collection[str] = ()

    @classmethod
    def of(
        cls, folder: Path | str = ".", variables: Mapping[str, str] | None = None, names: Collection[str] = ()
    ) -> Surroundings:
        """With configuration files relative to `folder`, and the variables of this process unless others are given."""
        found = dict(os.environ) if variables is None else dict(variables)
        return cls(Environment(found), ConfigFiles(Path(folder), found), names)


@dataclass(frozen=True, slots=True)
class Resolved:
    """The settings of a statement: of the job, of each owner by name, and the windows that it names."""

    job: Settings
    owners: Mapping[str, Settings] = field(default_factory=dict)
    windows: Mapping[str, NamedWindow] = field(default_factory=dict)
    doubtful: frozenset[str] = frozenset()
    """Owners of which something could not be read, by their names in small letters."""

    def __getitem__(self, owner: str) -> Settings:
        return self.owners[owner.casefold()]

    def job_in(self, window: NamedWindow) -> Settings:
        """The job's settings where its window is this one: what it says holds unless the statement says else."""
        return self.job.under(window.values)


def resolve(entries: Iterable[Entry], owners: Iterable[Owner], around: Surroundings, findings: Findings) -> Resolved:
    """The settings that hold for a statement; all problems go to `findings`."""
    members = tuple(owners)
    lost: set[str] = set()
    given = _substituted([*entries, *_addresses(members)], around, findings, lost)
    everything = join_lists([*given, *_from_files(given, members, around, findings, lost)], findings, lost)
    router = Router(members, around.environment, around.names)
    job_portion, portions = router.route(everything, findings)
    settler = Settler(job_portion, around.environment, findings)
    job = with_preset(settler.settle())
    settler.check(job)
    settings, doubtful = {}, frozenset(o.name.casefold() for o in members if _concerns(lost, o, members))
    for owner in members:
        name = owner.name.casefold()
        settler = Settler(portions[name], around.environment, findings, owner, doubtful=name in doubtful)
        settings[name] = settler.settle(job)
        settler.check(settings[name])
    return Resolved(job, settings, named_windows(job, findings), doubtful)


def _addresses(owners: Iterable[Owner]) -> list[Entry]:
    """What the addresses of owners say, under their prefixes."""
    return [Entry(f"{owner.name}.{entry.key}", entry.text, entry.origin) for owner in owners for entry in owner.given]


def _concerns(lost: Iterable[str], owner: Owner, owners: tuple[Owner, ...]) -> bool:
    """True where a key that could not be read is this owner's, or nobody's by name and so perhaps this owner's."""
    own, prefixes = f"{owner.name.casefold()}.", [f"{other.name.casefold()}." for other in owners]
    keys = [key.strip().casefold() for key in lost]
    return any(key.startswith(own) or not any(map(key.startswith, prefixes)) for key in keys)


def _substituted(entries: Iterable[Entry], around: Surroundings, findings: Findings, lost: set[str]) -> list[Entry]:
    """The entries with variables put in; one whose variable is not set is left out, and `lost`."""
    found = []
    for entry in entries:
        try:
            text = substitute(entry.text, around.environment.variables)
        except VeloError as error:
            message = f"property '{entry.key}': {error.message}"
            findings.error(error.error_code, message, entry.origin.span, hint=error.hint)
            lost.add(entry.key)
            continue
        found.append(replace(entry, text=text))
    return found


def _from_files(
    entries: Iterable[Entry], owners: Iterable[Owner], around: Surroundings, findings: Findings, lost: set[str]
) -> list[Entry]:
    """What the configuration files say that entries or the environment name, for the job or for one owner."""
    written = tuple(entries)
    names = {*around.names, *(owner.name for owner in owners)}
    found: list[Entry] = []
    for prefix in ("", *(owner.name for owner in owners)):
        named = _config_file(prefix, written, around.environment)
        if named is None:
            continue
        layer = Layer.OWN_CONFIG if prefix else Layer.CONFIG
        before = len(findings.found)
        read = around.files.entries(named.text, layer, findings, named.origin.span)
        if len(findings.found) > before:
            lost.add(named.key)
        for entry in read:
            if fold(entry.key.rpartition(".")[2]) == CONFIG_FILE.name:
                message = f"{entry.origin.place}: a configuration file cannot name another one by '{CONFIG_FILE.name}'"
                findings.error("invalid-config", message, entry.origin.span, hint="use 'extends'")
                continue
            key = translate(entry.key, names)
            found.append(replace(entry, key=f"{prefix}.{key}" if prefix else key))
    return found


def _config_file(prefix: str, entries: Iterable[Entry], environment: Environment) -> Entry | None:
    """The entry of the highest layer that names a configuration file for an owner (for the job: an empty prefix)."""
    wanted = fold(f"{prefix}.{CONFIG_FILE.name}" if prefix else CONFIG_FILE.name)
    named = [entry for entry in entries if fold(entry.key) == wanted]
    text = environment.find(prefix, CONFIG_FILE.name)
    if text is not None:
        named.append(Entry(wanted, text, Origin(Layer.ENVIRONMENT)))
    return max(named, key=lambda entry: entry.origin.layer, default=None)
