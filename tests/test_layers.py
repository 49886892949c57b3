"""Imports go downwards: a part of laconic knows only what lies below it, lazily too."""

from __future__ import annotations

import inspect
from pathlib import Path

import laconic
from tests.test_imports import FILES, ROOT, imported, module_name

# From the bottom up; parts of one line know nothing of each other. A part is what will be one
# package: today some of them are several modules.
LAYERS: list[dict[str, tuple[str, ...]]] = [
    {"errors": ("errors",), "progress": ("models.progress",), "callbacks": ("callbacks",)},
    {"kernels": ("kernels",)},
    {"files": ("folders", "values")},
    {"corpus": ("corpus", "chunks", "store", "inputs")},
    {"engines": ("engines", "models.spare")},
    {"text": ("text", "counting", "stopwords", "snippets", "metrics.sequences")},
    {"io": ("io",)},
    {"weighting": ("weighting",)},
    {
        "models": ("models", "penalties"),
        "metrics": ("metrics",),
        "datasets": ("datasets", "docstrings"),
    },
    {
        "fitted": (
            *("fitted", "documents", "notes", "groups", "models.topics", "models.topic_graph"),
            *("models.likeness", "models.senses", "models.similar"),
        )
    },
    {
        "retrieval": ("index", "lexical", "blending", "search_codes"),
        "keyphrases": (
            *("models.keywords", "models.keyword_evidence", "models.keyword_methods"),
            "models.keyword_model",
        ),
    },
    {"saving": ("persistence", "search_files")},
    {"evaluation": ("evaluation", "comparison")},
    {"tuning": ("tuning",)},
    {"plots": ("plots",)},
    {"web": ("web",)},
    {"cli": ("cli", "__main__", "precompile")},
]

# Methods of the public contract that need what lies above them; they stay.
CONTRACT = {
    "models.coding_model -> models.senses",  # STC.senses
    "tuning.result -> plots.tuning",  # Tuning.chart
    "tuning.result -> plots.files",  # Tuning.plot
    "comparison.compare -> plots.comparison",  # Comparison.save
    "comparison.compare -> plots.files",
}

# Imports that go upwards or sideways today. Nothing is added here.
TODAY = {"snippets -> lexical"}


def part_of(module: str) -> tuple[int, str] | None:
    """Layer and part of a module, by the longest name that fits; None for the package itself."""
    own = module.removeprefix("laconic").removeprefix(".")
    fits = [
        (len(name), level, part)
        for level, layer in enumerate(LAYERS)
        for part, names in layer.items()
        for name in names
        if own == name or own.startswith(f"{name}.")
    ]
    return max(fits)[1:] if fits else None


def modules_imported(path: Path) -> set[str]:
    """The modules of laconic that a file imports; public names by the module they live in."""
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
    """Imports that do not go to a lower layer or stay in their part, as "importer -> imported"."""
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


def test_every_module_has_its_layer():
    homeless = [path for path in FILES if path != ROOT / "__init__.py"]
    assert [str(path) for path in homeless if part_of(module_name(path)) is None] == []
    named = [name for layer in LAYERS for names in layer.values() for name in names]
    assert [name for name in named if not any(ROOT.glob(f"{name.replace('.', '/')}*"))] == []


def test_imports_go_downwards():
    found = upward_imports()
    assert found - CONTRACT - TODAY == set()
    assert (CONTRACT | TODAY) - found == set(), "no longer so: take it off the list"


def test_no_module_bears_the_name_of_a_public_function():
    """Importing a module of that name would put the module in the place of the function."""
    functions = {name for name in laconic.__all__ if inspect.isfunction(getattr(laconic, name))}
    assert {"read", "search", "keywords"} < functions
    modules = {path.stem for path in ROOT.iterdir()}
    assert {"corpus", "models"} < modules
    assert functions & modules == set()
