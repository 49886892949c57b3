"""Test that the reference documents every public name once, with an example that runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "reference" / "api").glob("*.md"))
MODULES = ["laconic", "laconic.io", "laconic.metrics", "laconic.plots", "laconic.datasets"]
DIRECTIVE = re.compile(r"^\.\. (?:auto\w+|py:data):: (\S+)$", re.M)


def public() -> dict[str, Any]:
    """Return the public names and their objects; of several names of an object, the shortest."""
    found: dict[str, Any] = {}
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            value = getattr(module, name)
            if not any(value is other for other in found.values()):
                found[f"{module.__name__}.{name}"] = value
    return {name: value for name, value in found.items() if not isinstance(value, ModuleType)}


NAMES = public()


def documented() -> Counter[str]:
    """Return how often each name is documented."""
    texts = [path.read_text(encoding="utf-8") for path in PAGES]
    return Counter(name for text in texts for name in DIRECTIVE.findall(text))


def test_every_public_name_is_documented_once() -> None:
    assert documented() == Counter(list(NAMES))


@pytest.mark.parametrize("name", [name for name in NAMES if callable(NAMES[name])])
def test_every_function_and_class_has_an_example(name: str) -> None:
    docstring = inspect.getdoc(NAMES[name]) or ""
    _, _, examples = docstring.partition("\nExamples\n--------\n")
    assert ">>> " in examples, f"{name} has no section Examples with a doctest"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_examples_on_the_pages_run(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_every_constant_has_an_example() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    for name in (name for name in NAMES if not callable(NAMES[name])):
        entry = re.search(rf"^\.\. py:data:: {re.escape(name)}\n((?:   .*\n|\n)*)", text, re.M)
        assert entry is not None, f"{name} is not documented"
        assert ">>> " in entry[1], f"{name} has no example"
