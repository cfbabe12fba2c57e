# One command each, the same on a laptop and in CI. `make` alone prints them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
RECORDS ?= 4000000
RUNS ?= 3
KILLS ?= 20
BENCH ?=
# What is compiled is kept, whatever the shell says: each process of the tests would take ten seconds to compile them all.
export PYTHONDONTWRITEBYTECODE =

.PHONY: help setup java demo demo-server demo-kafka test coverage faults fuzz lint bench bench-postgres bench-tables bench-server bench-check bench-store docs clean

help: ## print this help
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | awk -F'\t' '{printf "  make %-11s %s\n", $$1, $$2}'

setup: $(STAMP) java ## build .venv with the pinned versions, and see that Java is there

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "velostream needs Python 3.11 or newer; try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 3; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing the pinned versions into $(VENV) (once, about a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@$(BIN)/python -m compileall -q src
	@touch $@

java:
	@bash scripts/java.sh

demo: setup ## run the trading application on generated data for a minute
	@bash scripts/demo.sh

demo-server: setup ## a job server with its page, and the trading application on generated data; Ctrl-C ends it
	@bash scripts/demo-server.sh

demo-kafka: setup ## run a part of it from Kafka to Kafka and PostgreSQL, both started for it and stopped again
	@$(BIN)/python scripts/demo_kafka.py

test: setup ## lint and all tests
	$(BIN)/python -m pytest -n 3 --dist worksteal

coverage: setup ## make test, slower, with the coverage of the package: it fails below 90 %
	$(BIN)/python -m pytest -n 3 --dist worksteal --cov=velostream --cov-report=term

fuzz: setup ## 20,000 mutated statements: no traceback, no hang, no truncated statement
	VELO_FUZZ=20000 $(BIN)/python -m pytest -q tests/sql/test_fuzz.py tests/project/test_no_traceback.py

faults: setup ## kill the driver, stop and kill brokers and databases, 20 times each (VELO_KILLS=20)
	VELO_KILLS=$(KILLS) $(BIN)/python -m pytest -q --no-cov tests/faults
	VELO_APPS=10 VELO_STRATEGIES="BLUE_GREEN CANARY(40) ROLLING FRESH PLAIN SHARES LETTERS CLUSTER" $(BIN)/python -m pytest -q --no-cov tests/server/test_drivers.py tests/server/test_cluster.py tests/jobs/test_meeting.py tests/kafka/test_meeting.py
	VELO_CONTRACT=200 $(BIN)/python -m pytest -q --no-cov tests/server/test_contract.py

lint: setup ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup ## side by side with PySpark and DuckDB (RECORDS=4000000 RUNS=3 BENCH="--only S3a --profile")
	@$(BIN)/python -m benchmarks --records $(RECORDS) --runs $(RUNS) $(BENCH)

bench-postgres: setup ## upserts into PostgreSQL, beside COPY and INSERT by hand
	@$(BIN)/python -m benchmarks.postgres

bench-tables: setup ## tables by themselves: loading, a refresh, lookups by key beside DuckDB
	@$(BIN)/python -m benchmarks.tables

bench-server: setup ## what 1,000 requests a second cost a job that takes all it can
	@$(BIN)/python -m benchmarks.server

bench-check: bench ## make bench, then fail if a ratio fell 10 % below the stored one
	@$(BIN)/python -m benchmarks check

bench-store: setup ## make the ratios of the latest run the stored ones
	@$(BIN)/python -m benchmarks store

docs: setup ## write the generated pages, and the output of commands that pages show
	$(BIN)/velo docs docs/reference
	$(BIN)/python -m tests.project.refresh

clean: ## remove the environment and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage htmlcov
