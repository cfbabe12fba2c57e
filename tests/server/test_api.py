"""REST over a control plane whose drivers need no Spark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.server.conftest import SQL, TWO_JOBS, until

from velostream.errors import VeloError
from velostream.server.api.app import create_app
from velostream.server.api.auth import token_of
from velostream.server.plane import Plane

SAID = "ValueError: no answer of postgresql://me:hunter2@db/x with password=hunter2"
SECRET = SQL.replace(
    "'orders.type' = 'datagen_source'",
    "'orders.type' = 'kafka_source', 'orders.topic' = 'o', 'orders.bootstrap.servers' = 'b:9092', "
    "'orders.sasl.jaas.config' = 'user pass=hunter2;', 'orders.ssl.truststore.password' = 'hunter2'",
)


@pytest.fixture
def client(plane: Plane) -> Iterator[TestClient]:
    app = create_app(plane)
    with TestClient(app, headers={"Authorization": f"Bearer {plane.token}"}, raise_server_exceptions=False) as made:
        yield made


def deployed(client: TestClient, name: str = "shop", sql: str = SQL, **more: object) -> None:
    answer = client.post("/api/v1/apps", json={"name": name, "sql": sql, **more})
    assert answer.status_code == 201, answer.text
    until(lambda: client.get(f"/api/v1/apps/{name}").json()["state"] == "running")


def test_an_application_is_deployed_looked_at_and_removed(client: TestClient) -> None:
    deployed(client, version="1.5")
    app = client.get("/api/v1/apps/shop").json()
    assert (app["version"], app["jobs"], app["restarts"]) == ("1.5", ["totals"], 0)
    assert app["sql"] == SQL
    listed = client.get("/api/v1/apps").json()
    assert (listed["total"], listed["items"][0]["name"]) == (1, "shop")
    job = client.get("/api/v1/jobs/totals").json()
    assert (job["read"], job["rate"], job["dead_lettered"], job["rows_out"]) == (7, 12.5, 2, 7)
    assert job["sinks"] == [{"name": "out", "type": "file_sink", "address": "out"}]
    assert "TUMBLING" in client.get("/api/v1/jobs/totals/plan").json()["text"]
    assert client.get("/api/v1/jobs/shop/logs").json()["lines"][0]["message"] == "stand-in of shop"
    assert client.get("/api/v1/jobs/totals/versions").json()["items"][0]["role"] == "active"
    assert client.get("/api/v1/jobs/totals/metrics").json()["engine"]["batch"] == 3
    groups = {each["group"]: each["metrics"] for each in client.get("/api/v1/jobs/totals/metrics").json()["groups"]}
    assert [each["name"] for each in groups["jobs"]][:1] == ["velo_job_state"]
    assert groups["records"][0]["samples"] == [{"labels": {}, "value": 7.0, "count": None}]
    assert client.get("/api/v1/jobs/totals/windows").json()["open_windows"] == 5
    assert client.delete("/api/v1/apps/shop").status_code == 204
    assert client.get("/api/v1/apps/shop").status_code == 404


def test_the_partition_that_holds_the_watermark_back_comes_first(client: TestClient, plane: Plane) -> None:
    deployed(client)
    state = plane.folders.state("shop", "000001")
    state.mkdir(parents=True, exist_ok=True)
    (state / "watermark").write_text("2026-01-01T00:00:10+00:00")
    until(lambda: client.get("/api/v1/jobs/totals/partitions").json()["partitions"])
    found = client.get("/api/v1/jobs/totals/partitions").json()
    assert [each["partition"] for each in found["partitions"]] == ["1", "0"]
    assert found["partitions"][0]["holds_watermark"]
    assert found["held_back_by"] == ["orders/1"]


def test_verbs_change_the_state(client: TestClient) -> None:
    deployed(client, sql=TWO_JOBS)
    assert client.post("/api/v1/jobs/totals/pause").json()["state"] == "paused"
    assert client.post("/api/v1/jobs/totals/resume").json()["state"] == "running"
    assert client.post("/api/v1/jobs/shop/flush").status_code == 200
    assert client.post("/api/v1/jobs/shop/stop", json={"force": True}).json()["state"] == "stopped"
    refused = client.post("/api/v1/jobs/shop/pause")
    assert (refused.status_code, refused.json()["code"]) == (409, "job-state")
    assert refused.headers["content-type"] == "application/problem+json"
    assert client.post("/api/v1/jobs/shop/restart").json()["app"] == "shop"


def test_sql_carries_the_same_verbs_out(client: TestClient) -> None:
    declared, query = SQL.split("-- @name: totals\n")

    def sql(text: str, app: str = "") -> dict[str, object]:
        answer = client.post("/api/v1/sql", json={"sql": text, "app": app})
        assert answer.status_code == 200, answer.text
        result: dict[str, object] = answer.json()["results"][-1]
        return result

    assert "deployed" in str(sql(f"{declared} START JOB totals AS {query}")["message"])
    until(lambda: client.get("/api/v1/apps/totals").json()["state"] == "running")
    jobs = sql("SHOW JOBS LIKE 'tot%'")
    assert jobs["columns"][:4] == ["job", "app", "version", "state"]  # type: ignore[index]
    assert jobs["rows"][0][:4] == ["totals", "totals", "1", "running"]  # type: ignore[index]
    assert sql("PAUSE JOB totals")["message"] == "totals paused"
    assert sql("RESUME QUERY totals")["message"] == "totals running"
    bigger = query.replace("SUM(amount) AS total", "SUM(amount) AS total, MIN(amount) AS least")
    assert "'2'" in str(sql(f"{declared} DEPLOY JOB totals VERSION '2' AS {bigger}")["message"])
    assert [row[1] for row in sql("SHOW VERSIONS totals")["rows"]] == ["2", "1"]  # type: ignore[attr-defined]
    assert "'1'" in str(sql("ROLLBACK JOB totals")["message"])
    assert sql("DESCRIBE orders", "totals")["rows"][0][:2] == ["customer", "STRING"]  # type: ignore[index]
    assert sql("SHOW STREAMS")["rows"][0][0] == "orders"  # type: ignore[index]
    assert any("TUMBLING" in row[0] for row in sql(f"EXPLAIN {query}", "totals")["rows"])  # type: ignore[attr-defined]
    until(lambda: client.get("/api/v1/apps/totals").json()["state"] == "running")
    assert sql("SELECT 1 AS n", "totals")["rows"] == [[1]]
    assert sql("SHOW STATUS totals; STOP JOB totals FORCE")["message"] == "totals stopped"
    again = client.post("/api/v1/sql", json={"sql": f"{declared} START JOB totals AS {query}"})
    assert (again.status_code, again.json()["code"]) == (409, "job-state")


def test_sql_shows_what_all_applications_declare(client: TestClient) -> None:
    def sql(text: str) -> dict[str, Any]:
        answer = client.post("/api/v1/sql", json={"sql": text})
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()["results"][-1]
        return result

    deployed(client)
    assert any("Scan orders" in row[0] for row in sql("EXPLAIN SELECT customer FROM orders")["rows"])
    deployed(client, name="other", sql=SQL.replace("orders", "returns"))
    shown = sql("SHOW STREAMS")
    assert shown["columns"][-1] == "app"
    assert sorted((row[0], row[-1]) for row in shown["rows"]) == [("orders", "shop"), ("returns", "other")]
    assert [row[0] for row in sql("SHOW STREAMS LIKE 'ret%'")["rows"]] == ["returns"]
    assert {row[-1] for row in sql("DESCRIBE returns")["rows"]} == {"other"}
    assert sql("SHOW FUNCTIONS LIKE 'SPLIT_PART'")["total"] == 1
    nobody = client.post("/api/v1/sql", json={"sql": "DESCRIBE nobody"})
    assert (nobody.status_code, nobody.json()["code"]) == (400, "unknown-stream")
    whose = client.post("/api/v1/sql", json={"sql": "EXPLAIN SELECT customer FROM orders"})
    assert (whose.status_code, "'app'" in whose.json()["hint"]) == (400, True)


def test_sql_shows_the_partitions_of_a_job_or_of_a_source(client: TestClient, plane: Plane) -> None:
    def sql(text: str) -> list[list[Any]]:
        rows: list[list[Any]] = client.post("/api/v1/sql", json={"sql": text}).json()["results"][-1]["rows"]
        return rows

    deployed(client)
    state = plane.folders.state("shop", "000001")
    state.mkdir(parents=True, exist_ok=True)
    (state / "watermark").write_text("2026-01-01T00:00:10+00:00")
    until(lambda: sql("SHOW PARTITIONS totals"))
    assert sql("SHOW PARTITIONS Orders") == sql("SHOW PARTITIONS totals")
    assert "orders/1" in sql("SHOW STATUS totals")[0], "what holds the watermark back"
    nobody = client.post("/api/v1/sql", json={"sql": "SHOW PARTITIONS ordres"})
    assert (nobody.status_code, nobody.json()["hint"][:22]) == (404, "did you mean 'orders'?")


def test_a_plan_in_sql_shows_no_secret(client: TestClient) -> None:
    source = "'https://me:hunter2@h/x?api_key=hunter3'"
    settings = f"'s.type' = 'http_source', 's.url' = {source}, 's.format' = 'json', 's.headers.X-Api-Key' = 'hunter4'"
    text = f"EXPLAIN SELECT a FROM s WITH ({settings}, 's.schema' = 'a INT')"
    answer = client.post("/api/v1/sql", json={"sql": text})
    assert answer.status_code == 200, answer.text
    assert "hunter" not in answer.text


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"sql": "SELEC 1"}, 400, "syntax"),
        ({"sql": "CREATE STREAM s (a INT) WITH ('s.type' = 'datagen_source')"}, 400, "unsupported"),
        ({"sql": "STOP JOB nobody"}, 404, "unknown-job"),
        ({"sql": "DROP STREAM x"}, 400, "unsupported"),
        ({"no": 1}, 422, "invalid-request"),
    ],
)
def test_sql_that_cannot_be_carried_out_is_a_problem(
    client: TestClient, body: dict[str, str], status: int, code: str
) -> None:
    answer = client.post("/api/v1/sql", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["hint"]


@pytest.mark.parametrize(
    ("body", "kind", "said", "hint"),
    [
        (b"{", "application/json", "the body is no JSON: Expecting property name", "send a JSON object"),
        (b'{"sql": "SHOW JOBS"}', "text/plain", "the body is not sent as JSON", "'Content-Type: application/json'"),
        (b"[]", "application/json", "body: Input should be", "/openapi.json"),
        (b'{"sq": 1}', "application/json", "body.sql: Field required; body.sq: Extra inputs", "/openapi.json"),
    ],
)
def test_a_body_that_cannot_be_read_is_told_with_what_is_wrong(
    client: TestClient, body: bytes, kind: str, said: str, hint: str
) -> None:
    answer = client.post("/api/v1/sql", content=body, headers={"Content-Type": kind})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid-request")
    assert answer.json()["detail"].startswith(said)
    assert hint in answer.json()["hint"]


def test_sql_with_mistakes_is_refused_with_all_findings_and_their_places(client: TestClient) -> None:
    wrong = SQL.replace("customer,", "custmer,").replace("SUM(amount)", "SUMM(amount)")
    answer = client.post("/api/v1/apps", json={"name": "shop", "sql": wrong})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-app")
    found = [(each["code"], each["line"]) for each in answer.json()["findings"] if each["severity"] == "error"]
    assert found == [("unknown-column", 5), ("unknown-function", 5)]
    checked = client.post("/api/v1/validate", json={"sql": wrong}).json()
    assert not checked["ok"]
    assert len(checked["findings"]) >= 2
    assert client.post("/api/v1/validate", json={"sql": SQL}).json()["jobs"] == ["totals"]


def test_a_dry_run_tells_the_verdict_and_deploys_nothing(client: TestClient) -> None:
    deployed(client)
    wish = {"name": "shop", "sql": SQL.replace("TUMBLING(2s)", "TUMBLING(4s)"), "dry_run": True}
    answer = client.post("/api/v1/apps", json=wish)
    assert answer.status_code == 200
    assert not answer.json()["deployed"]
    assert not answer.json()["verdict"]["compatible"]
    assert "TUMBLING(size 4s)" in answer.json()["verdict"]["text"]
    refused = client.post("/api/v1/apps", json={**wish, "dry_run": False})
    assert (refused.status_code, refused.json()["code"]) == (409, "state-mismatch")
    assert client.get("/api/v1/apps/shop").json()["number"] == 1


def test_functions_come_from_the_servers_own_folder_only(client: TestClient, plane: Plane, tmp_path: Path) -> None:
    evil = tmp_path / "evil.py"
    evil.write_text("raise SystemExit('it ran')")
    for name in (str(evil), "../../evil.py"):
        answer = client.post("/api/v1/apps", json={"name": "shop", "sql": f"-- Dependencies: {name}\n{SQL}"})
        assert (answer.status_code, answer.json()["code"]) == (400, "foreign-function")
        checked = client.post("/api/v1/validate", json={"sql": f"-- Dependencies: {name}\n{SQL}"}).json()
        assert checked["findings"][0]["code"] == "foreign-function"


def test_no_secret_is_in_any_answer_or_in_the_log(client: TestClient, plane: Plane) -> None:
    deployed(client, sql=SECRET)
    paths = ["/api/v1/apps", "/api/v1/apps/shop", "/health/connections", "/health/metrics?format=json", "/metrics"]
    paths += [f"/api/v1/jobs/shop/{part}" for part in ("plan", "logs", "versions", "metrics", "partitions")]
    for path in paths:
        assert "hunter2" not in client.get(path).text, path
    shown = client.post("/api/v1/sql", json={"sql": "SHOW PROPERTIES STREAM orders", "app": "shop"})
    assert "****" in shown.text
    assert "hunter2" not in shown.text
    files = [file for file in plane.folders.root.rglob("*") if file.is_file() and b"hunter2" in file.read_bytes()]
    assert {file.name for file in files} <= {"app.sql", "registry.db", "registry.db-wal"}
    assert plane.folders.root.stat().st_mode & 0o077 == 0


def test_lists_come_in_pages(client: TestClient) -> None:
    for name in ("a", "b", "c"):
        assert client.post("/api/v1/apps", json={"name": name, "sql": SQL}).status_code == 201
    page = client.get("/api/v1/apps", params={"limit": 1, "offset": 1}).json()
    assert (page["total"], [each["name"] for each in page["items"]]) == (3, ["b"])
    assert client.get("/api/v1/apps", params={"limit": 0}).json()["code"] == "invalid-request"


def test_health_tells_what_runs(client: TestClient) -> None:
    assert client.get("/health/ready").json() == {"ready": True, "apps": {}}
    deployed(client)
    until(lambda: client.get("/health/ready").status_code == 200)
    assert client.get("/health/ready").json()["apps"] == {"shop": "running"}
    assert client.get("/health/tables").json()["ready"]
    assert client.get("/health/table/x").json()["code"] == "unknown-table"
    connections = client.get("/health/connections").json()
    assert [(each["role"], each["name"]) for each in connections] == [("source", "orders"), ("sink", "out")]
    until(lambda: "velo_records_read_total" in client.get("/metrics").text)
    assert client.get("/health/metrics").text.startswith("# HELP")
    assert client.get("/health/metrics", params={"format": "json"}).json()["jobs"][0]["name"] == "totals"


def test_lineage_is_a_graph_of_columns(client: TestClient) -> None:
    deployed(client)
    graph = client.get("/api/v1/lineage").json()
    assert {(each["kind"], each["name"]) for each in graph["nodes"]} == {
        ("source", "orders"),
        ("job", "totals"),
        ("sink", "out"),
    }
    edges = {(each["source_column"], each["target_column"], each["how"]) for each in graph["edges"]}
    assert ("amount", "total", "aggregate") in edges
    assert ("at", "", "window") in edges


def test_dead_letters_are_listed_filtered_and_replayed_once(client: TestClient, plane: Plane) -> None:
    from velostream.sinks.letters import letter, write_letters

    deployed(client)
    home = plane.folders.state("shop", "000001") / "totals"
    (home / "spark").mkdir(parents=True)
    told = {"source": "orders", "partition": 0}
    first = letter(reason="late", record="a", offset=1, error=SAID, **told)
    letters = [first, letter(reason="bad", record="b", offset=2, **told)]
    write_letters(home / "dead-letters", "totals", 1, letters)
    write_letters(home / "dead-letters", "totals", 2, [letter(reason="late", record="c", offset=7, **told)])
    found = client.get("/api/v1/dlq").json()
    assert (found["total"], found["reasons"]) == (3, {"late": 2, "bad": 1})
    assert found["items"][0]["record"] == "c"
    late = client.get("/api/v1/dlq", params={"reason": "late", "text": "A"}).json()
    assert [each["record"] for each in late["items"]] == ["a"]
    assert late["items"][0]["error"] == "ValueError: no answer of postgresql://me:****@db/x with password=****"
    asked = {"app": "shop", "job": "totals"}
    assert client.post("/api/v1/dlq/replay", json=asked).json()["code"] == "usage"
    assert client.post("/api/v1/dlq/replay", json={**asked, "ids": ["9-9"]}).status_code == 404
    one = client.post("/api/v1/dlq/replay", json={**asked, "ids": [late["items"][0]["id"]]}).json()
    assert (one["replayed"], one["passed_over"]) == (1, [])
    rest = client.post("/api/v1/dlq/replay", json={**asked, "reason": "late"}).json()
    assert rest["replayed"] == 1
    assert "was replayed" in rest["passed_over"][0]["reason"]
    assert client.get("/api/v1/dlq", params={"reason": "bad"}).json()["items"][0]["replayed_at"] is None


def test_nobody_gets_anything_but_401_without_the_token(client: TestClient, plane: Plane) -> None:
    document = client.get("/openapi.json").json()
    asked = 0
    for path, methods in document["paths"].items():
        for method in methods:
            for token in ("", "Bearer wrong", f"Basic {plane.token}", "Bearer"):
                address = path.replace("{name}", "x").replace("{key}", "k")
                answer = client.request(method, address, headers={"Authorization": token})
                if path in ("/health/live", "/login"):
                    continue
                assert answer.status_code == 401, (method, path, token)
                assert answer.json()["code"] == "unauthorized"
                assert "VELO_TOKEN" in answer.json()["hint"]
                assert answer.headers["www-authenticate"].startswith("Bearer")
                asked += 1
    assert asked > 100
    assert client.get("/nowhere", headers={"Authorization": ""}).status_code == 401
    assert client.get("/health/live", headers={"Authorization": ""}).json() == {"status": "live"}


def test_a_code_is_exchanged_for_the_token_once(client: TestClient, plane: Plane) -> None:
    made = client.post("/api/v1/login-codes").json()
    assert made["address"].endswith(f"#login={made['code']}")
    nobody = {"Authorization": ""}
    assert client.post("/login", json={"code": "guess"}, headers=nobody).status_code == 401
    assert client.post("/login", json={"code": made["code"]}, headers=nobody).json() == {"token": plane.token}
    assert client.post("/login", json={"code": made["code"]}, headers=nobody).status_code == 401


def test_the_token_lies_in_a_file_that_only_its_owner_reads(opened: Callable[..., Plane]) -> None:
    first = opened()
    assert first.folders.token.stat().st_mode & 0o777 == 0o600
    assert first.folders.token.read_text().strip() == first.token
    assert first.token not in repr(first)
    first.close()
    assert opened().token == first.token


def test_a_server_does_not_start_with_a_token_that_nobody_could_send(tmp_path: Path) -> None:
    with pytest.raises(VeloError, match="what VELO_TOKEN holds cannot be a token") as refusal:
        token_of(tmp_path / "token", "two words")
    assert "two words" not in str(refusal.value)
    assert token_of(tmp_path / "token", "given\n") == "given"
    assert not (tmp_path / "token").exists()


def test_a_request_that_is_too_large_is_refused(opened: Callable[..., Plane]) -> None:
    plane = opened(body_limit=100)
    with TestClient(create_app(plane), headers={"Authorization": f"Bearer {plane.token}"}) as client:
        told = client.post("/api/v1/validate", json={"sql": "x" * 200})
        assert (told.status_code, told.json()["code"]) == (413, "body-too-large")
        untold = client.post("/api/v1/validate", content=iter([b"x" * 60, b"x" * 60]))
        assert untold.status_code == 413
        small = client.post("/api/v1/validate", json={"sql": "SELECT 1"})
        assert small.status_code == 200


def test_the_document_says_what_is_answered(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    assert json.dumps(document)
    problem = document["components"]["schemas"]["Problem"]["properties"]
    assert {"type", "title", "status", "detail", "code", "hint"} <= problem.keys()
    content = document["paths"]["/api/v1/jobs/{name}"]["get"]["responses"]["404"]["content"]
    assert list(content) == ["application/problem+json"]
