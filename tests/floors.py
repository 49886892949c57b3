"""Print the oldest versions that pyproject.toml admits, as constraints for pip.

``make test-floors`` installs them into an environment of their own and runs the suite there.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

TOOLS = {"mypy", "ruff", "pre-commit"}  # check the code, never run it


def floors(project: dict) -> list[str]:
    """One ``name==version`` for each ``name>=version`` of the project and its extras."""
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + extras["dask"] + extras["web"] + extras["dev"]
    pairs = [re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement) for requirement in wanted]
    return [f"{pair[1]}=={pair[2]}" for pair in pairs if pair and pair[1] not in TOOLS]


if __name__ == "__main__":
    pyproject = Path(__file__).parents[1] / "pyproject.toml"
    lines = floors(tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"])
    sys.stdout.write("\n".join(lines) + "\n")
