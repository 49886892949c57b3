"""Find the code blocks of a page, with the comments that say how to run them.

A comment directly above a block changes how the block is run:

- ``<!-- not run: REASON -->``: it is not run;
- ``<!-- needs: NAME, NAME -->``: it is run only if these packages can be imported;
- ``<!-- raises: NAME -->``: it must raise an exception of this class.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from importlib import import_module

LANGUAGES = {"python": "python", "sh": "sh", "bash": "sh"}
NOT_RUN = {"", "csv", "html", "ini", "json", "r", "text", "toml", "yaml"}
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\S*)\s*$")
COMMENT = re.compile(r"^\s*<!--\s*(?P<rule>not run|needs|raises):\s*(?P<value>.+?)\s*-->\s*$")


@dataclass
class Block:
    """A code block: its language, its code, the line at which the code starts, and its rules."""

    language: str
    code: str
    line: int
    rules: dict[str, str]

    @property
    def runs(self) -> bool:
        """Whether the block is run here."""
        packages = [name.strip() for name in self.rules.get("needs", "").split(",") if name.strip()]
        return "not run" not in self.rules and all(map(can_be_imported, packages))


def can_be_imported(package: str) -> bool:
    """Return whether a package can be imported; its warnings are not ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import_module(package)
        except ImportError:
            return False
    return True


def blocks(text: str) -> list[Block]:
    """Return the Python and shell blocks of a page."""
    found, rules = [], {}
    lines = iter(enumerate(text.splitlines(), 1))
    for number, line in lines:
        if comment := COMMENT.match(line):
            rules[comment["rule"]] = comment["value"]
        elif fence := FENCE.match(line):
            indent = len(fence["indent"])
            code = []
            for _, inside in lines:
                if inside.strip() == "```":
                    break
                code.append(inside[indent:])
            else:
                raise ValueError(f"line {number}: the code block does not end")
            language = fence["language"]
            if language in LANGUAGES:
                source = "\n".join(code) + "\n"
                found.append(Block(LANGUAGES[language], source, number + 1, rules))
            elif language not in NOT_RUN and not language.startswith("{"):  # or a directive
                raise ValueError(f"line {number}: a code block in the unknown language {language}")
            rules = {}
        elif line.strip() and rules:
            raise ValueError(f"line {number}: there is no code block after the comment")
    return found
