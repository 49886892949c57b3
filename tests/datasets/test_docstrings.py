"""Tests that docstrings of every kind are found without running the files."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from laconic.datasets.docstrings import Docstring, read_docstrings, source_files

LONG = "These are ten words and so the text is kept."

PACKAGE = {
    "__init__.py": f'"""Package. {LONG}"""\nraise SystemExit("this file was run")\n',
    "shapes.py": f'''
"""Module. {LONG}"""
class Circle:
    """Class. {LONG}"""
    def area(self):
        """Method. {LONG}"""
        def inner():
            """Inner. {LONG}"""
    def short(self):
        """Too short to tell anything."""
if True:
    async def fetch():
        """Coroutine. {LONG}"""
else:
    def fetch():
        """Other. {LONG}"""
''',
    "sub/__init__.py": "",
    "sub/_deep.py": f'def g():\n    """Deep. {LONG}"""\n',
    "sub/_add_newdocs.py": f'''
add_newdoc("pkg.sub", "compiled", """
    Compiled. {LONG}
    """)
add_newdoc("pkg.sub", "kind", ("attribute", """Attribute. {LONG}"""))
add_newdoc("pkg.sub", "kind", [("one", """One. {LONG}"""), ("two", """Two. {LONG}""")])
add_newdoc("bessel", """Bessel. {LONG}""")
add_newdoc("pkg.sub", name, """Nobody. {LONG}""")
add_newdoc()
''',
    "broken.py": "def f(:\n",
    "zero.py": "x = 1\0",
    "latin.py": f'# coding: latin-1\n"""Déjà vu. {LONG}"""\n',
    "conftest.py": f'"""Test. {LONG}"""',
    "test_shapes.py": f'"""Test. {LONG}"""',
    "tests/__init__.py": f'"""Test. {LONG}"""',
    "test/helper.py": f'"""Test. {LONG}"""',
    "site-packages/other.py": f'"""Other. {LONG}"""',
    "notes.txt": LONG,
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "pkg"
    for name, text in PACKAGE.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="latin-1" if name == "latin.py" else "utf-8")
    return folder


def docstrings(folder: Path, package: str = "") -> dict[str, Docstring]:
    found = [
        d for path, module in source_files(folder, package) for d in read_docstrings(path, module)
    ]
    return {docstring.text.split(".")[0]: docstring for docstring in found}


def test_every_kind_of_docstring_is_found_and_nothing_else(package: Path) -> None:
    names = {first: docstring.name for first, docstring in docstrings(package, "pkg").items()}
    assert names == {
        "Package": "pkg",
        "Module": "pkg.shapes",
        "Class": "pkg.shapes.Circle",
        "Method": "pkg.shapes.Circle.area",
        "Inner": "pkg.shapes.Circle.area.inner",
        "Coroutine": "pkg.shapes.fetch",
        "Other": "pkg.shapes.fetch",
        "Deep": "pkg.sub._deep.g",
        "Compiled": "pkg.sub.compiled",
        "Attribute": "pkg.sub.kind.attribute",
        "One": "pkg.sub.kind.one",
        "Two": "pkg.sub.kind.two",
        "Bessel": "pkg.sub.bessel",
        "Déjà vu": "pkg.latin",
    }


def test_docstrings_are_cleaned_of_indentation(package: Path) -> None:
    assert docstrings(package, "pkg")["Compiled"].text == f"Compiled. {LONG}"


def test_unreadable_files_are_logged_and_left_out(
    package: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="laconic.datasets.docstrings"):
        docstrings(package, "pkg")
    assert {Path(record.args[0]).name for record in caplog.records} == {"broken.py", "zero.py"}


def test_modules_of_the_standard_library() -> None:
    folder = Path(json.__file__).parent
    found = docstrings(folder, "json") | docstrings(Path(logging.__file__).parent, "logging")
    names = {docstring.name: docstring.text for docstring in found.values()}
    assert names["json.dumps"] == json.dumps.__doc__.replace("\n    ", "\n").strip()
    assert "logging.handlers.RotatingFileHandler" in names
