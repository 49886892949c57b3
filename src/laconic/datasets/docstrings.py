"""Extraction of docstrings from the source files of a package, without importing it."""

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
    """Docstring with the qualified name of its object and its module."""

    name: str
    module: str
    text: str


def source_files(folder: Path, package: str = "") -> list[tuple[Path, str]]:
    """Return the Python files below a folder with their module names, sorted and without tests.

    Parameters
    ----------
    folder : Path
        Folder of a package, or a folder of modules such as that of the standard library.
    package : str
        Name of the package; empty for a folder of modules.
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
    """Whether a folder or file contains no tests."""
    return name not in EXCLUDED and not name.startswith("test_")


def read_docstrings(path: Path, module: str) -> list[Docstring]:
    """Parse a Python file, without running it, and return its docstrings of ten words or more."""
    try:
        with warnings.catch_warnings():  # warnings about invalid escapes in the parsed code
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
    """Yield name and docstring of a module, class or function and of all definitions inside it."""
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
    """Yield name and docstring of compiled functions that numpy and scipy document in Python.

    The calls are ``add_newdoc(module, name, doc)``, where doc may also be a pair or a list of pairs
    of attribute and docstring, or ``add_newdoc(name, doc)`` for the package of the file.
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
    """Return the value of a constant expression, None for any other expression."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _pairs(docs: object) -> Iterator[tuple[str, str]]:
    """Yield attribute and docstring from a docstring, a pair, or a list of pairs."""
    if isinstance(docs, str):
        yield "", docs
    elif isinstance(docs, tuple) and len(docs) == 2 and all(isinstance(x, str) for x in docs):
        yield docs
    elif isinstance(docs, list):
        for pair in docs:
            yield from _pairs(pair)
