import subprocess
import sys
from pathlib import Path

import velostream.windows

FOLDER = Path(velostream.windows.__file__).parent


def test_no_module_of_windows_loads_polars_or_numpy_before_it_is_used() -> None:
    files = [path for path in FOLDER.rglob("*.py") if "accumulators" not in path.parts]
    names = ["velostream.windows." + ".".join(p.relative_to(FOLDER).with_suffix("").parts) for p in files]
    modules = [name.removesuffix(".__init__") for name in names]
    code = f"import importlib, sys\nfor name in {modules!r}: importlib.import_module(name)\n"
    code += "print([name for name in ('polars', 'numpy', 'pyarrow') if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_windows_import_nothing_above_them() -> None:
    above = (
        "functions",
        "formats",
        "sources",
        "sinks",
        "sql",
        "catalog",
        "validation",
        "plan",
        "tables",
        "spark",
        "jobs",
    )
    for path in FOLDER.rglob("*.py"):
        for line in path.read_text().splitlines():
            words = line.split()
            if words[:1] in (["from"], ["import"]):
                assert not any(words[1].startswith(f"velostream.{name}") for name in above), f"{path.name}: {line}"
                assert not words[1].startswith(("pyspark", "sqlglot")), f"{path.name}: {line}"
