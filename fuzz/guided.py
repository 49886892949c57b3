"""Fuzz one target with atheris: ``python -m fuzz.guided TARGET [options of libFuzzer]``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["laconic.io", "laconic.files", "laconic.saving"]):
    from fuzz.targets import BY_NAME, quiet, warm_up


def main() -> None:
    target = BY_NAME[sys.argv.pop(1)]
    quiet()
    warm_up(target)
    with tempfile.TemporaryDirectory() as home:
        path = target.prepare(Path(home))
        atheris.Setup(sys.argv, lambda data: target.run(data, path) and None)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
