"""How long `velo validate` takes, Python's start included, and which imports the time goes to.

python -m benchmarks.validate [RUNS]
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
VELO = Path(sys.executable).parent / "velo"
IMPORT = re.compile(r"import time:\s+(\d+) \|\s+\d+ \| \s*(\S+)")


def seconds(command: list[str]) -> float:
    """Wall time of one run from start to exit."""
    start = time.perf_counter()
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    elapsed = time.perf_counter() - start
    if answer.returncode:
        sys.exit(f"{' '.join(command)} exited with {answer.returncode}\n{answer.stdout}{answer.stderr}")
    return elapsed


def statements(path: Path) -> int:
    """How many statements a file has, as the validator counts them."""
    answer = subprocess.run([VELO, "validate", path], capture_output=True, text=True, check=False)
    found = re.search(r"(\d+) statements?, no errors", answer.stdout)
    return int(found[1]) if found else 0


def table(rows: list[tuple[str, ...]]) -> str:
    """Columns side by side, the first to the left and the rest to the right."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def timings(runs: int) -> list[tuple[str, ...]]:
    """A row of headings, one for Python alone, and one for each example."""
    commands = {"python -c pass": ([sys.executable, "-c", "pass"], "")}
    for path in sorted((ROOT / "examples").glob("*/app.sql")):
        name = str(path.relative_to(ROOT))
        commands[f"velo validate {name}"] = ([str(VELO), "validate", name], str(statements(path)))
    rows: list[tuple[str, ...]] = [("wall time, ms", "statements", "runs", "min", "median", "max")]
    for name, (command, amount) in commands.items():
        seconds(command)  # the first run compiles, and fills the disk's cache
        measured = sorted(seconds(command) * 1000 for _ in range(runs))
        shown = (f"{value:.0f}" for value in (measured[0], statistics.median(measured), measured[-1]))
        rows.append((name, amount, str(runs), *shown))
    return rows


def imports() -> str:
    """The imports of one run by library, the dearest first."""
    path = ROOT / "examples" / "trading" / "app.sql"
    command = [sys.executable, "-X", "importtime", str(VELO), "validate", str(path)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"})
    spent: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for micros, name in IMPORT.findall(answer.stderr):
        library = name.split(".")[0]
        group = library if library in ("velostream", "sqlglot", "click", "yaml") else "standard library"
        spent[group] += int(micros)
        modules[group] += 1
    rows: list[tuple[str, ...]] = [("imports of one run", "modules", "ms")]
    rows += [(name, str(modules[name]), f"{micros / 1000:.0f}") for name, micros in spent.most_common()]
    rows.append(("all", str(sum(modules.values())), f"{sum(spent.values()) / 1000:.0f}"))
    return table(rows)


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(table(timings(runs)))
    print()
    print(imports())


if __name__ == "__main__":
    main()
