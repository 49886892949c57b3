"""Tests that modules of laconic import only from lower layers, even inside functions."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
from scipy.sparse.csgraph import connected_components

import laconic
from tests.test_imports import FILES, ROOT, imported, module_name

# The layers, from the bottom up. Packages on the same line do not import each other.
LAYERS: list[tuple[str, ...]] = [
    ("errors",),
    ("extras", "identity", "progress", "tables", "wording"),
    ("kernels",),
    ("files",),
    ("corpus",),
    ("engines",),
    ("text",),
    ("io",),
    ("weighting",),
    ("models", "metrics", "datasets"),
    ("fitted",),
    ("retrieval", "keyphrases"),
    ("saving",),
    ("evaluation", "planning", "editing"),
    ("tuning",),
    ("plots",),
    ("web",),
    ("cli", "precompile"),
    ("__main__",),
]

# Allowed exceptions: public methods that need a module of a higher layer.
CONTRACT = {
    "models.stc.base -> fitted.senses",  # STC.senses
    "tuning.result -> plots.tuning",  # Tuning.chart
    "tuning.result -> plots.files",  # Tuning.plot
    "tuning.result -> plots.tuning_page",  # Tuning.plot
    "evaluation.compare -> plots.comparison_page",  # Comparison.save
}


def part_of(module: str) -> tuple[int, str] | None:
    """Return the layer number and the package of a module, or None for `laconic` itself."""
    part = module.removeprefix("laconic").removeprefix(".").partition(".")[0]
    return next(((level, part) for level, layer in enumerate(LAYERS) if part in layer), None)


def modules_imported(path: Path) -> set[str]:
    """Return the laconic modules that a file imports.

    A public name counts as an import of the module that defines it.
    """
    found = set()
    known = {module_name(one) for one in FILES}
    for name in imported(path):
        module, _, thing = name.partition(":")
        if module == "laconic" and thing in laconic._HOMES:
            found.add(laconic._HOMES[thing])
        elif module.partition(".")[0] == "laconic":
            found.add(f"{module}.{thing}" if f"{module}.{thing}" in known else module)
    return found


def upward_imports() -> set[str]:
    """Return all imports of another package that is not in a lower layer.

    Each import is written as "importer -> imported".
    """
    found = set()
    for path in FILES:
        importer = module_name(path)
        here = part_of(importer)
        for module in modules_imported(path) if here else ():
            there = part_of(module)
            if there is not None and there != here and there[0] >= here[0]:
                short = [name.removeprefix("laconic.") for name in (importer, module)]
                found.add(" -> ".join(short))
    return found


def import_graph() -> dict[str, set[str]]:
    """Map each module to the modules that it imports, even inside functions.

    The exceptions in `CONTRACT` are left out.
    """
    graph = {}
    for path in FILES:
        importer = module_name(path)
        short = importer.removeprefix("laconic.")
        found = {module.removeprefix("laconic.") for module in modules_imported(path) - {importer}}
        graph[short] = {module for module in found if f"{short} -> {module}" not in CONTRACT}
    return graph


def cycles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """Return the groups of modules that import each other directly or indirectly."""
    names = sorted(graph)
    matrix = np.array([[there in graph[here] for there in names] for here in names])
    _, groups = connected_components(matrix, connection="strong")
    members = [frozenset(np.array(names)[groups == group].tolist()) for group in set(groups)]
    return {group for group in members if len(group) > 1}


def test_every_module_has_its_layer():
    homeless = [path for path in FILES if path != ROOT / "__init__.py"]
    assert [str(path) for path in homeless if part_of(module_name(path)) is None] == []
    named = {name for layer in LAYERS for name in layer}
    assert named - {path.stem for path in ROOT.iterdir()} == set()


def test_imports_go_downwards():
    found = upward_imports()
    assert found - CONTRACT == set()
    assert CONTRACT - found == set(), "no longer so: take it off the list"


def test_cycles_are_found():
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == {frozenset("abc")}
    assert cycles({"a": {"b"}, "b": set()}) == set()


def test_no_module_imports_itself_by_way_of_others():
    assert cycles(import_graph()) == set()


def test_no_module_bears_the_name_of_a_public_function():
    """Importing a module with the name of a function would replace the function by the module."""
    functions = {name for name in laconic.__all__ if inspect.isfunction(getattr(laconic, name))}
    assert {"read", "search", "keywords"} < functions
    modules = {path.stem for path in ROOT.iterdir()}
    assert {"corpus", "models"} < modules
    assert functions & modules == set()
