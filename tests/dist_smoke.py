"""Install a wheel into a new environment without extras, and use every command once.

    python tests/dist_smoke.py dist/laconic-0.1.0-py3-none-any.whl

Commands that need an extra must say in one line how to install it.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

THEMES = {
    "pets": "cat purr meow whiskers kitten paw fur tail nap milk",
    "ships": "sail mast harbour anchor captain wind deck rope storm tide",
    "bread": "flour yeast oven crust dough bake loaf butter knead salt",
}
WORKS = [
    "--version",
    "--help",
    "fit docs.jsonl --text body --label group -k 3 -o docs.model",
    "topics docs.model",
    "search docs.model kitten milk",
    "similar docs.model d7",
    "transform docs.model new.jsonl --text body -o codes.parquet",
    "keywords docs.jsonl --text body -o keywords.csv",
    "evaluate docs.model new.jsonl --text body --label group",
    "info docs.model",
    "verify docs.model",
    "senses docs.model tide",
    "convert docs.jsonl --text body -o docs.corpus",
    "plan docs.corpus -m slsa -k 3",
    "tune docs.jsonl --text body -m slsa -k 2,3 --no-sparsity",
    "compare docs.jsonl --text body --label group -k 3 --models slsa,lsa",
    "fit docs.jsonl --text body --label group -m medstc -k 3 -o classes.model",
    "classify classes.model new.jsonl --text body -o predicted.csv",
]
NEEDS_EXTRA = {
    "explore docs.model": "web",
    "report docs.model -o report.html": "web",
    "plot docs.model map -o map.svg": "web",
    "compare docs.jsonl --text body -k 3 --models slsa,lsa -o compare.html": "web",
    "tune docs.jsonl --text body -m slsa -k 2,3 -o curve.html": "web",
    "fit docs.corpus -k 3 --engine dask -o dask.model": "dask",
    "fit docs.xlsx --text body -k 3 -o excel.model": "excel",
    "fit cells.h5ad -m slsa -k 3 -o cells.model": "anndata",
}


def main(wheel: Path) -> int:
    """Try the wheel, and return the number of commands that fail."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = install(wheel.resolve(), folder / "environment")
        write_documents(folder / "docs.jsonl", 90)
        write_documents(folder / "new.jsonl", 30)
        (folder / "docs.xlsx").write_bytes(b"PK\x03\x04")
        (folder / "cells.h5ad").write_bytes(b"\x89HDF\r\n\x1a\n")
        failures = [line for line in WORKS if not works(program, line, folder)]
        failures += [
            line
            for line, extra in NEEDS_EXTRA.items()
            if not explains(program, line, extra, folder)
        ]
    print(f"{len(WORKS) + len(NEEDS_EXTRA)} commands, {len(failures)} failed")
    return len(failures)


def install(wheel: Path, environment: Path) -> Path:
    """Create an environment with the wheel and what it requires; return the program."""
    venv.create(environment, with_pip=True)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = [scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    # Only the wheel itself: nothing may be compiled.
    subprocess.run([*pip, "--only-binary", ":all:", wheel], check=True)
    return scripts / "laconic"


def write_documents(path: Path, n: int) -> None:
    """Write documents about three themes."""
    draw = random.Random(n)
    with path.open("w", encoding="utf-8") as file:
        for number in range(n):
            group = list(THEMES)[number % 3]
            body = " ".join(draw.choices(THEMES[group].split(), k=12))
            file.write(json.dumps({"id": f"d{number}", "group": group, "body": body}) + "\n")


def run(program: Path, line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command without the settings of the caller's Python."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        [program, *shlex.split(line)],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def works(program: Path, line: str, folder: Path) -> bool:
    """Return whether a command succeeds and prints something."""
    result = run(program, line, folder)
    good = result.returncode == 0 and bool(result.stdout or result.stderr)
    return report(line, good, result.stderr)


def explains(program: Path, line: str, extra: str, folder: Path) -> bool:
    """Return whether a command fails with one line that names the missing extra."""
    result = run(program, line, folder)
    errors = [part for part in result.stderr.splitlines() if part.startswith("laconic: error")]
    good = (
        result.returncode == 1
        and len(errors) == 1
        and f"pip install 'laconic[{extra}]'" in " ".join(result.stderr.split())
        and "Traceback" not in result.stderr
    )
    return report(line, good, result.stderr)


def report(line: str, good: bool, errors: str) -> bool:
    """Print the result of a command, and return it."""
    print("ok    " if good else "FAILED", "laconic", line, flush=True)
    if not good:
        print(errors, flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) > 0)
