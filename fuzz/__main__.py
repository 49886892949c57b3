"""Fuzz targets one after the other, guided by coverage: ``python -m fuzz --seconds 60 [TARGET]…``.

Inputs that fail are written to ``fuzz/found/TARGET``. Inputs that reached new code are kept in
``fuzz/corpus``, which is not part of the repository, and the next run starts with them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz.targets import BY_NAME, FOUND

CORPUS = Path(__file__).parent / "corpus"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[*BY_NAME, []], help="all by default")
    parser.add_argument("--seconds", type=int, default=60, help="of each target")
    arguments = parser.parse_args()
    failed = [name for name in arguments.targets or BY_NAME if not guided(name, arguments.seconds)]
    sys.stdout.write(f"failed: {', '.join(failed)}\n" if failed else "no target failed\n")
    return bool(failed)


def guided(name: str, seconds: int) -> bool:
    """Fuzz one target in a process of its own; return whether no input failed."""
    corpus, found = CORPUS / name, FOUND / name
    for folder in (corpus, found):
        folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as seeds:
        for number, seed in enumerate(BY_NAME[name].seeds()):
            Path(seeds, str(number)).write_bytes(seed)
        limits = [f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2560"]
        places = [f"-artifact_prefix={found}/", str(corpus), seeds]
        command = [sys.executable, "-m", "fuzz.guided", name, *limits, "-max_len=65536", *places]
        done = subprocess.run(command, cwd=Path(__file__).parents[1])
    if not any(found.iterdir()):
        found.rmdir()
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
