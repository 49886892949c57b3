"""Print the oldest versions that pyproject.toml allows, as constraints for pip.

``make test-floors`` installs these versions into a separate environment and runs the tests there.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

TOOLS = {"mypy", "ruff", "pre-commit"}  # tools that only check the code and never run it


def floors(project: dict) -> list[str]:
    """Return ``name==version`` for each ``name>=version`` required by the project or its extras."""
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + extras["dask"] + extras["web"] + extras["dev"]
    pairs = [re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement) for requirement in wanted]
    return [f"{pair[1]}=={pair[2]}" for pair in pairs if pair and pair[1] not in TOOLS]


if __name__ == "__main__":
    pyproject = Path(__file__).parents[1] / "pyproject.toml"
    lines = floors(tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"])
    sys.stdout.write("\n".join(lines) + "\n")
