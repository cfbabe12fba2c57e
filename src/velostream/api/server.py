"""A connection to a job server: applications are deployed there, and go on without this program."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from velostream.api.closing import Closing
from velostream.api.engine import Engine
from velostream.api.findings import Findings, told
from velostream.api.given import Sql, input_of
from velostream.api.jobs import Jobs, Letter
from velostream.api.lineage import Lineage
from velostream.api.plan import Plan
from velostream.api.result import Result, Row
from velostream.api.server_apps import Deployed, ServerApp, deployment_of
from velostream.api.server_jobs import ServerJob
from velostream.api.server_progress import Progress, followed
from velostream.errors import VeloError
from velostream.positions import Text
from velostream.server.client import MOST, Client, ServerRefused, quoted
from velostream.tables.keys import joined_key
from velostream.typed_rows import meant, table_of
from velostream.types import parse

if TYPE_CHECKING:
    from velostream.jobs.replaying import Replay
    from velostream.server.models.jobs import JobView
    from velostream.server.models.tables import TableView


class Server(Closing):
    """A job server by its address. What it refuses is raised with its code, its hint and its findings."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.engine = Engine()

    @classmethod
    def at(cls, url: str, token: str = "") -> Server:
        """The server at an address; one that does not answer, or does not know the token, is refused at once."""
        server = cls(Client.of(url, token))
        server.client.get("/api/v1/apps", limit=1)
        return server

    # Statements

    def sql(self, text: str, app: str = "") -> Result:
        """Has statements carried out: about jobs, SHOW, DESCRIBE, and SELECT from the tables of an application; the
        answer is that of the last. `app` is whose streams and tables are meant. Rows have the types that they have
        there; more of them than a server answers with at once are refused."""
        said = self._asked("/api/v1/sql", {"sql": text, "app": app}, Text(text, "<python>"))["results"][-1]
        if said["total"] > len(said["rows"]):
            message = f"the query has {said['total']:,} rows, and a server answers with {len(said['rows']):,} at most"
            raise VeloError(message, hint="ask for fewer: WHERE, LIMIT, an aggregate", code="usage")
        rows = table_of(said["columns"], said["types"], said["rows"])
        return Result(rows, lambda: self.engine.session(), said["message"])

    def validate(self, sql: Sql) -> Findings:
        """All findings of a text or a file, as the server would have them: relative paths are those of its folder."""
        given = input_of(sql)
        said = self.client.post("/api/v1/validate", {"sql": given.text, "name": given.name[-100:]})
        return told(said["findings"], Text(given.text, given.name), said["statements"])

    def explain(self, sql: str, app: str = "") -> Plan:
        """How a query over the streams and tables of an application would run, in words; `job(…).plan()` has the
        picture of one that runs."""
        result = self.sql(f"EXPLAIN {sql}", app)
        return Plan("\n".join(row["plan"] for row in result))

    def follow(self, query: str) -> Iterator[Row]:
        """Refused: a server answers from tables; a query over streams is followed in this process."""
        hint = "velostream.connect(app=…).follow(query) reads the same sources here"
        raise VeloError("a server does not send the rows of streams", hint=hint, code="unsupported")

    def register(self, function: Callable[..., Any], returns: str = "") -> Callable[..., Any]:
        """Refused: a server runs Python functions from its own folder only."""
        hint = "put their file into the server's folder 'files', and name it in the application: -- Dependencies: x.py"
        raise VeloError("a server takes no functions from programs", hint=hint, code="foreign-function")

    # Applications and jobs

    def deploy(
        self,
        app: Sql,
        *,
        name: str = "",
        version: str = "",
        strategy: str = "REPLACE",
        fresh: bool = False,
        dry_run: bool = False,
    ) -> Deployed:
        """Deploys a version of an application, or only asks whether the state of the one before can be kept: what
        `velo deploy` does, with its options."""
        given = input_of(app)
        wish = deployment_of(given, name)
        wish |= {"version": version, "strategy": strategy, "fresh": fresh, "dry_run": dry_run}
        said = self._asked("/api/v1/apps", wish, Text(given.text, given.name))
        return Deployed(said, None if dry_run else self.app(said["app"]))

    def apps(self) -> list[ServerApp]:
        """All applications."""
        return [self.app(one["name"]) for one in self.client.items("/api/v1/apps")]

    def app(self, name: str) -> ServerApp:
        """An application by its name."""
        return ServerApp(name, self)

    def jobs(self) -> Jobs[ServerJob]:
        """The jobs of all applications."""
        return Jobs([ServerJob(f"{one['app']}.{one['name']}", self) for one in self.client.items("/api/v1/jobs")])

    def job(self, name: str) -> ServerJob:
        """A job by its name, or as `app.job`."""
        self.view(name)
        return ServerJob(name, self)

    def view(self, name: str) -> JobView:
        """How a job is."""
        from velostream.server.models.jobs import JobDetail

        return JobDetail.model_validate(self.client.get(f"/api/v1/jobs/{quoted(name)}"))

    def tell(self, name: str, verb: str, body: Mapping[str, Any] | None = None) -> None:
        """Has a verb carried out."""
        self.client.post(f"/api/v1/jobs/{quoted(name)}/{verb}", body)

    def plan_of(self, name: str) -> Plan:
        """How a job runs."""
        said = self.client.get(f"/api/v1/jobs/{quoted(name)}/plan")
        return Plan(said["text"], [said["plan"]])

    def lineage(self, app: str = "") -> Lineage:
        """Which column comes from which, in an application or in all."""
        return Lineage(**self.client.get("/api/v1/lineage", app=app))

    # Dead letters

    def letters(self, app: str = "", *, reason: str = "", source: str = "", text: str = "") -> list[Letter]:
        """The dead letters of an application, or of all, newest first; `job(…).letters()` has those of a job."""
        return self.client.items("/api/v1/dlq", app=app, reason=reason, source=source, text=text)

    def letters_of(self, name: str, which: Mapping[str, str]) -> list[Letter]:
        """The dead letters of a job that are asked for, newest first."""
        job = self.view(name)
        return self.client.items("/api/v1/dlq", app=job.app, job=job.name, **which)

    def replay(self, name: str, which: Mapping[str, Any]) -> Replay:
        """Has dead letters of a job processed once more."""
        from velostream.jobs.replaying import Replay

        job = self.view(name)
        said = self.client.post("/api/v1/dlq/replay", {"app": job.app, "job": job.name, **which})
        return Replay(said["replayed"], [(one["id"], one["reason"]) for one in said["passed_over"]])

    # Tables

    def tables(self, app: str = "") -> list[TableView]:
        """The tables of an application, or of all, and how far they are."""
        from velostream.server.models.tables import TableView

        return [TableView.model_validate(one) for one in self.client.items("/api/v1/tables", app=app)]

    def lookup(self, table: str, *key: Any, app: str = "") -> Row | None:
        """The row of a key, from the newest complete version of a table; None where it has none."""
        path = f"/api/v1/tables/{quoted(table)}/rows/{quoted(joined_key(key))}"
        try:
            said = self.client.get(path, app=app)
        except ServerRefused as error:
            if error.error_code == "unknown-key":
                return None
            raise
        return {name: meant(value, parse(said["types"][name])) for name, value in said["row"].items()}

    def closed_windows(
        self, job: str, key: str = "", *, begin: datetime | None = None, end: datetime | None = None
    ) -> Result:
        """The closed windows that a job has put away (`state.cold.backend`), as they stand, whether it runs or not:
        all, or those of a key (one part of it, or all joined with `|`), and those that begin within bounds. A time
        without a zone is UTC. More of them than a server looks at for one question are refused."""
        asked, shown, found = self.job(job), None, list[Row]()
        while shown is None or shown.offset + len(shown.items) < shown.total:
            offset = 0 if shown is None else shown.offset + len(shown.items)
            shown = asked.windows(key, MOST, offset, begin=begin, end=end)
            if not shown.types:
                hint = "set 'state.cold.backend' = 'files' and 'state.cold.location' = 'closed' for a job with windows"
                raise VeloError(f"job '{job}' puts no closed windows away", hint=hint, code="usage")
            if shown.closed_since is not None:
                message = f"job '{job}' has put away more windows than a server looks at for one question"
                raise VeloError(message, hint="ask for fewer: a key, begin=…, end=…", code="usage")
            found += [one.values for one in shown.items if one.values is not None]
            if not shown.items:
                break
        rows = [[row[name] for name in shown.types] for row in reversed(found)]
        return Result(table_of(list(shown.types), list(shown.types.values()), rows), lambda: self.engine.session())

    def wait(self, table: str, seconds: float = 60.0, app: str = "") -> TableView:
        """Waits until a table is loaded."""
        from velostream.server.models.tables import TableView

        path = f"/health/table/{quoted(table)}/wait"
        return TableView.model_validate(self.client.post(path, {"timeout_seconds": seconds}, app=app))

    def progress(self, after: str = "") -> Iterator[Progress]:
        """How tables load, as events that come while they do; `after` is the last event that was seen before."""
        return followed(self.client, after)

    # How it is asked

    def _asked(self, path: str, body: Mapping[str, Any], text: Text) -> Any:
        """What the server answers; what it finds in a text is raised at its place there."""
        try:
            return self.client.post(path, body)
        except ServerRefused as error:
            told(error.findings, text).check()
            raise

    def close(self) -> None:
        """Nothing is held open; applications go on."""

    def __repr__(self) -> str:
        from velostream.config.secrets import masked

        return f"<velostream connection to {masked('url', self.client.url)}>"
