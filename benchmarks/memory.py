"""`python -m benchmarks.memory`: the memory of a run by its length, with a bounded number of open windows.

What is kept is bounded by the windows that are open, not by the records that were read: the peak of the driver, its JVM
and all Python workers together must not grow with the length of the run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

from benchmarks.datasets import PER_MINUTE, trades
from benchmarks.processes import INTERVAL, tree

KEYS = 5_000
_MEGABYTE = 1 << 20


def application(home: Path, records: Path) -> Path:
    """The trading scenario S3a: tumbling windows of a minute with 5,000 groups each."""
    file = home / "app.sql"
    file.write_text(
        f"""CREATE STREAM trades (symbol STRING, price DOUBLE, quantity INT, traded_at TIMESTAMP) WITH (
            'type' = 'file_source', 'path' = '{records}/*.parquet', 'format' = 'parquet', 'files.per.batch' = '2',
            'event.time.field' = 'traded_at', 'watermark.max_out_of_orderness' = '5s');
        CREATE STREAM minutes AS SELECT symbol, COUNT(*) AS n, SUM(price) AS total, AVG(price) AS mean
        FROM trades GROUP BY symbol WINDOW TUMBLING(1m) INTO out
        WITH ('out.type' = 'file_sink', 'out.path' = '{home}/out', 'out.format' = 'parquet');"""
    )
    return file


def measured(records: int, work: Path, cores: int) -> dict[str, float]:
    """One run of so many records: peaks in megabytes, of all processes and of the JVM, and seconds."""
    dataset = trades(records, KEYS, per_minute=PER_MINUTE, batches=max(1, records // 250_000))
    folder, _ = dataset.write(work / "data")
    home = work / str(records)
    home.mkdir()
    command = [Path(sys.executable).with_name("velo"), "run", application(home, folder), "--until-done"]
    command += ["--checkpoint", home / "checkpoint", "--master", f"local[{cores}]", "--report", home / "report.json"]
    whole = java = 0
    began = time.monotonic()
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(list(map(str, command)), stdout=log, stderr=log)
        while process.poll() is None:
            found = tree(process.pid)
            whole = max(whole, sum(one.resident for one in found))
            java = max(java, sum(one.resident for one in found if one.java))
            time.sleep(INTERVAL)
    if process.returncode:
        raise click.ClickException((home / "log").read_text()[-2000:])
    [report] = json.loads((home / "report.json").read_text())["jobs"]
    if report["records"]["in_results"] != report["records"]["read"] or report["records"]["read"] < records:
        raise click.ClickException(f"the records do not add up: {report['records']}")
    return {
        "records": records,
        "peak_mb": round(whole / _MEGABYTE),
        "jvm_mb": round(java / _MEGABYTE),
        "python_mb": round((whole - java) / _MEGABYTE),
        "state_bytes_largest": report["windows"].get("state_bytes_largest", 0),
        "seconds": round(time.monotonic() - began, 1),
    }


@click.command()
@click.option(
    "--records", default="1000000,5000000,10000000", show_default=True, help="The lengths, one after another."
)
@click.option("--cores", default=2, show_default=True)
def main(*, records: str, cores: int) -> None:
    """Print a line of JSON for each length."""
    for length in map(int, records.split(",")):
        with tempfile.TemporaryDirectory(prefix="velo-memory-") as work:
            click.echo(json.dumps(measured(length, Path(work), cores)))


if __name__ == "__main__":
    main()
