"""Corpora for the browser tests: docstrings, short texts, hostile texts, and 1,000 topics."""

from __future__ import annotations

import importlib.util
import random
import sysconfig
from pathlib import Path

import polars as pl

import laconic
from laconic.datasets.docstrings import Docstring, read_docstrings, source_files

STANDARD = ("asyncio", "email", "http", "json", "logging", "unittest")
SCIENTIFIC = ("numpy.linalg", "scipy.sparse", "sklearn.linear_model")

SCRIPT = "<script>alert(1)</script>"
PICTURE = "<img src=x onerror=alert(2)>"
DRAWING = '"><svg onload=alert(3)>'
LABEL = "</script><b>bold</b>"
ID = "../../etc/passwd?a=1&b=%2e#c"


def docstrings() -> laconic.Corpus:
    """Return about 700 docstrings of nine packages; like the built-in corpus, but fast to load."""
    first = {docstring.text: docstring for docstring in _installed()}
    chosen = list(first.values())[::2]
    frame = pl.DataFrame(
        {
            "id": [f"{docstring.name}#{i}" for i, docstring in enumerate(chosen)],
            "title": [docstring.name for docstring in chosen],
            "label": [_package(docstring.module) for docstring in chosen],
            "text": [docstring.text for docstring in chosen],
        }
    )
    return laconic.read(
        frame,
        text="text",
        label="label",
        token_pattern=r"(?u)[^\W\d_]{3,}",
        stop_words="english",
        min_df=3,
    )


def _installed() -> list[Docstring]:
    files = source_files(Path(sysconfig.get_path("stdlib")))
    for package in ("numpy", "scipy", "sklearn"):
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.submodule_search_locations is not None
        files += source_files(Path(spec.submodule_search_locations[0]), package)
    wanted = {*STANDARD, *SCIENTIFIC}
    return [
        docstring
        for path, module in files
        if _package(module) in wanted
        for docstring in read_docstrings(path, module)
    ]


def _package(module: str) -> str:
    parts = module.split(".")
    return parts[0] if parts[0] in STANDARD else ".".join(parts[:2])


def fourteen_words() -> laconic.Corpus:
    """Return forty short texts with fourteen different words and eight years; one text is empty."""
    subjects = ("cat purr kitten milk", "dog bark bone leash", "bank river money loan")
    themes = [f"{subject} sun rain".split() for subject in subjects]
    draw = random.Random(0)
    texts = [" ".join(draw.choices(themes[i % 3], k=12)) + "." for i in range(39)] + [""]
    frame = pl.DataFrame({"text": texts, "year": [2000 + i % 8 for i in range(40)]})
    return laconic.read(frame, text="text", label="year")


def hostile() -> laconic.Corpus:
    """Return a corpus whose texts, titles, classes, ids and words contain markup."""
    draw = random.Random(1)
    themes = [
        [SCRIPT, "<b>bold</b>", "c#", "50%", "and/or", "what?", "constructor"],
        [PICTURE, "&amp;", "..", "a&b=c", "<!--", "'quoted'", "__proto__"],
        [DRAWING, "</textarea>", "{{1+1}}", "javascript:alert(4)", "ё", "naïve"],
    ]
    texts = [" ".join(draw.choices(themes[i % 3], k=15)) for i in range(60)]
    frame = pl.DataFrame(
        {
            "id": [f"{ID}{i}" for i in range(60)],
            "title": [(SCRIPT, PICTURE, DRAWING)[i % 3] for i in range(60)],
            "label": [(LABEL, PICTURE, "")[i % 3] for i in range(60)],
            "text": texts,
        }
    )
    return laconic.read(frame, text="text", label="label", token_pattern=r"\S+", lowercase=False)


def thousand_topics() -> laconic.Corpus:
    """Return documents drawn from a thousand known topics."""
    corpus, _ = laconic.datasets.make_topics(
        1200, 3000, 1000, words_per_topic=2, topics_per_document=1, document_length=20
    )
    return corpus
