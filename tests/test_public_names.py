"""The public names: the same to importers and to type checkers, there and documented."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import laconic
from tests.messages import refused


def names_for_type_checkers():
    """What ``laconic/__init__.py`` imports where only type checkers look."""
    tree = ast.parse(Path(laconic.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_public_names_are_those_that_type_checkers_see():
    assert names_for_type_checkers() == set(laconic.__all__)
    assert len(laconic.__all__) == len(set(laconic.__all__))
    assert set(laconic.__all__) <= set(dir(laconic))


@pytest.mark.parametrize("name", laconic.__all__)
def test_every_name_is_there_and_documented(name):
    thing = getattr(laconic, name)
    assert inspect.getdoc(thing)
    if inspect.ismodule(thing):
        assert thing.__name__ == f"laconic.{name}"
    else:
        assert thing.__name__ == name
        assert thing.__module__.startswith("laconic.")


def test_unknown_names_are_attribute_errors():
    with refused("'laconic'", "'Laconic'", kind=AttributeError):
        _ = laconic.Laconic


def test_version():
    from importlib.metadata import version

    assert laconic.__version__ == version("laconic")


@pytest.mark.parametrize("name", ["ReadError", "ModelFileError"])
def test_errors_are_value_errors(name):
    assert issubclass(getattr(laconic, name), laconic.LaconicError)
    assert issubclass(laconic.LaconicError, ValueError)
