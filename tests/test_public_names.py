"""The public names, pinned: adding or losing one is a decision."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import laconic
from tests.messages import refused

NAMES = [
    "PCP",
    "PLSA",
    "SCTM",
    "STC",
    "Comparison",
    "Corpus",
    "Document",
    "Evaluation",
    "Explorer",
    "Hit",
    "Keyword",
    "LaconicError",
    "MedSTC",
    "ModelFileError",
    "ReadError",
    "SearchIndex",
    "SparseLSA",
    "Tuning",
    "Vectorizer",
    "Vocabulary",
    "Weighting",
    "compare",
    "datasets",
    "describe",
    "evaluate",
    "explore",
    "held_out_score",
    "keywords",
    "load",
    "metrics",
    "pipeline",
    "plots",
    "project_simplex",
    "read",
    "report",
    "save",
    "search",
    "senses",
    "similar",
    "top_documents",
    "topic_graph",
    "topics",
    "tune",
]


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


def test_public_names():
    assert laconic.__all__ == NAMES
    assert names_for_type_checkers() == set(NAMES)
    assert set(NAMES) <= set(dir(laconic))


@pytest.mark.parametrize("name", NAMES)
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
