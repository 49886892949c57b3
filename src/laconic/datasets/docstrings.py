"""Extract docstrings from the source files of a package without importing the package."""

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
EXCLUDED = {"test", "tests", "idle_test", "conftest", "__pycache__"}


class Docstring(NamedTuple):
    """A docstring, the qualified name of the object that it documents, and the module."""

    name: str
    module: str
    text: str


def source_files(folder: Path, package: str = "") -> list[tuple[Path, str]]:
    """Return all Python files in a folder tree, except tests, sorted, with their module names.

    Parameters
    ----------
    folder : Path
        Folder of a package, or a folder of modules such as the standard library.
    package : str
        Name of the package, or an empty string for a folder of modules.
    """
    files = []
    for parent, folders, names in os.walk(folder):
        # Skip folders that cannot be imported, such as site-packages and config-3.11-x86.
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
    """Return whether the name of a folder or file shows that it contains no tests."""
    return name not in EXCLUDED and not name.startswith("test_")


def read_docstrings(path: Path, module: str) -> list[Docstring]:
    """Parse a Python file without running it; return its docstrings of at least ten words."""
    try:
        with warnings.catch_warnings():  # The parsed code may cause warnings.
            warnings.simplefilter("ignore")
            tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, RecursionError, OSError) as error:
        logger.info("skipped %s, which cannot be parsed: %s", path, error)
        return []
    pairs = list(_definitions(tree, module))
    if path.stem.startswith("_add_newdocs"):
        pairs += _added_docs(tree, module)
    return [Docstring(name, module, text) for name, text in pairs if len(text.split()) >= MIN_WORDS]


def _definitions(node: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    """Yield the names and docstrings of a definition and of all definitions inside it."""
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
    """Yield the names and docstrings that numpy and scipy add to compiled functions.

    Docstrings are added by calls of ``add_newdoc(module, name, doc)`` or, for the package that
    contains the file, ``add_newdoc(name, doc)``. Here, ``doc`` is a docstring, a pair of an
    attribute and its docstring, or a list of such pairs.
    """
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and _function_name(node).startswith("add_newdoc")):
            continue
        *parts, docs = [_literal(argument) for argument in node.args] or [None]
        names = [part for part in parts if isinstance(part, str)]
        if not names or len(names) < len(parts):
            continue
        if _function_name(node) == "add_newdoc_for_scalar_type":
            names = ["numpy", names[0]]
        elif len(names) == 1:
            names = [module.rpartition(".")[0], *names]
        owner = ".".join(names)
        for attribute, text in _pairs(docs):
            yield f"{owner}.{attribute}" if attribute else owner, inspect.cleandoc(text)


def _function_name(call: ast.Call) -> str:
    """Return the name of the called function."""
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def _literal(node: ast.expr) -> object:
    """Return the value of a constant expression, or None for any other expression."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _pairs(docs: object) -> Iterator[tuple[str, str]]:
    """Convert the argument ``doc`` of ``add_newdoc`` to pairs of attribute and docstring."""
    if isinstance(docs, str):
        yield "", docs
    elif isinstance(docs, tuple) and len(docs) == 2 and all(isinstance(x, str) for x in docs):
        yield docs
    elif isinstance(docs, list):
        for pair in docs:
            yield from _pairs(pair)
