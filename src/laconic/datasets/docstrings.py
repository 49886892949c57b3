"""Docstrings of a package, read from its files without importing it."""

from __future__ import annotations

import ast
import inspect
import logging
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

logger = logging.getLogger(__name__)

MIN_WORDS = 10
LEFT_OUT = {"test", "tests", "idle_test", "conftest", "__pycache__"}


class Docstring(NamedTuple):
    """A docstring and where it belongs."""

    name: str
    module: str
    text: str


def source_files(folder: Path, package: str = "") -> list[tuple[Path, str]]:
    """Python files below a folder with their module names, in order; tests are left out.

    Parameters
    ----------
    folder : Path
        Folder of a package, or of modules such as the standard library's.
    package : str
        Name of the package; empty for a folder of modules.
    """
    files = []
    for parent, folders, names in os.walk(folder):
        # what no import could name is not part of the package: site-packages, config-3.11-x86
        folders[:] = sorted(name for name in folders if name.isidentifier() and _is_wanted(name))
        above = [package] if package else []
        above += Path(parent).relative_to(folder).parts
        for name in sorted(names):
            stem, suffix = os.path.splitext(name)
            if suffix == ".py" and _is_wanted(stem):
                parts = above if stem == "__init__" else [*above, stem]
                files.append((Path(parent, name), ".".join(parts)))
    return files


def _is_wanted(name: str) -> bool:
    """Whether a folder or file holds no tests."""
    return name not in LEFT_OUT and not name.startswith("test_")


def read_docstrings(path: Path, module: str) -> list[Docstring]:
    """Docstrings of ten words or more in one Python file, which is parsed and not run."""
    try:
        with warnings.catch_warnings():  # about old escapes in other people's strings
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError, OSError) as error:
        logger.info("%s is left out: %s", path, error)
        return []
    found = list(_definitions(tree, module))
    if path.stem.startswith("_add_newdocs"):
        found += _added_docs(tree, module)
    return [Docstring(name, module, text) for name, text in found if len(text.split()) >= MIN_WORDS]


def _definitions(node: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    """Name and docstring of a module, class or function and of those defined in it."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    if isinstance(node, kinds):
        text = ast.get_docstring(node)
        if text:
            yield name, text
    for block in ("body", "orelse", "handlers", "finalbody"):
        for child in getattr(node, block, ()):
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _definitions(child, f"{name}.{child.name}")
            elif isinstance(child, ast.stmt | ast.ExceptHandler):
                yield from _definitions(child, name)


def _added_docs(tree: ast.Module, module: str) -> Iterator[tuple[str, str]]:
    """Name and docstring of the compiled functions that numpy and scipy document from Python.

    The calls read ``add_newdoc(place, name, doc)``, where doc may be a pair or a list of pairs of
    attribute and docstring, or ``add_newdoc(name, doc)`` for the package that the file is in.
    """
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and _called(node).startswith("add_newdoc")):
            continue
        *places, docs = [_literal(argument) for argument in node.args] or [None]
        names = [place for place in places if isinstance(place, str)]
        if not names or len(names) < len(places):
            continue
        if _called(node) == "add_newdoc_for_scalar_type":
            names = ["numpy", names[0]]
        elif len(names) == 1:
            names = [module.rpartition(".")[0], *names]
        owner = ".".join(names)
        for attribute, text in _pairs(docs):
            yield f"{owner}.{attribute}" if attribute else owner, inspect.cleandoc(text)


def _called(call: ast.Call) -> str:
    """Name of the function that is called."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _literal(node: ast.expr) -> object:
    """Value of an expression made of constants, None of any other."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _pairs(docs: object) -> Iterator[tuple[str, str]]:
    """Attribute and docstring from a docstring, a pair, or a list of pairs."""
    if isinstance(docs, str):
        yield "", docs
    elif isinstance(docs, tuple) and len(docs) == 2 and all(isinstance(x, str) for x in docs):
        yield docs
    elif isinstance(docs, list):
        for pair in docs:
            yield from _pairs(pair)
