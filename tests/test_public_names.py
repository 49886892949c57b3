"""A fixed list of the public names, so that a name is never added or removed by accident."""

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
    "Edit",
    "Evaluation",
    "Explorer",
    "Hit",
    "Hits",
    "Keyword",
    "Keywords",
    "LaconicError",
    "MedSTC",
    "ModelFileError",
    "ReadError",
    "Plan",
    "SearchIndex",
    "SparseCoding",
    "SparseLSA",
    "Topic",
    "TopicNames",
    "TopicTree",
    "Topics",
    "Tuning",
    "Vectorizer",
    "Vocabulary",
    "Weighting",
    "compare",
    "datasets",
    "describe",
    "drop",
    "drop_words",
    "edits",
    "evaluate",
    "explore",
    "held_out_score",
    "io",
    "keep",
    "keywords",
    "load",
    "merge",
    "metrics",
    "name_topics",
    "pipeline",
    "plan",
    "plots",
    "project_simplex",
    "read",
    "report",
    "save",
    "search",
    "senses",
    "similar",
    "split",
    "top_documents",
    "topic_graph",
    "topic_groups",
    "topic_stability",
    "topic_tree",
    "topics",
    "tune",
    "undo",
    "verify",
    "with_nouns",
    "write",
]


def homes_for_type_checkers(package):
    """Map each name that ``__init__.pyi`` imports to the module that it is imported from."""
    stub = Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    nodes = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    assert all(alias.asname == alias.name for node in nodes for alias in node.names)
    return {alias.name: node.module for node in nodes for alias in node.names}


def test_public_names():
    assert laconic.__all__ == NAMES
    assert set(NAMES) <= set(dir(laconic))


def test_type_checkers_see_the_same_names_from_the_same_modules():
    modules = dict.fromkeys(("datasets", "io", "metrics", "plots"), "laconic")
    assert homes_for_type_checkers(laconic) == {**laconic._HOMES, **modules}
    charts = {name: f"laconic.plots.{home}" for name, home in laconic.plots._HOMES.items()}
    assert homes_for_type_checkers(laconic.plots) == charts


def test_star_import_brings_the_public_names():
    space: dict[str, object] = {}
    exec("from laconic import *", space)
    assert space.keys() - {"__builtins__"} == set(NAMES)


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
