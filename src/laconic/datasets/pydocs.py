"""The docstrings of Python, numpy, scipy and scikit-learn: real text and labels, no download."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.datasets.docstrings import Docstring, read_docstrings, source_files
from laconic.errors import LaconicError, ModelFileError

logger = logging.getLogger(__name__)

PYDOCS_FORMAT = 1  # raise when the documents or the settings below change: caches are then rebuilt
STDLIB = Path(sysconfig.get_path("stdlib"))
PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}  # import name: project
SETTINGS: dict[str, Any] = {
    "token_pattern": r"(?u)[^\W\d_]{3,}",  # the words inside a name too: n_samples, float64
    "stop_words": "english",
    "min_df": 5,
}


def load_pydocs(
    *,
    refresh: bool = False,
    verbose: bool | None = None,
    cache_dir: str | Path | None = None,
) -> Corpus:
    """Load the docstrings of Python, numpy, scipy and scikit-learn as installed here.

    About 13,000 documents and 1.6 million words: the docstrings of modules, classes, functions
    and methods that have ten words or more. They are parsed from the source files, without
    importing them, when first asked for (some ten seconds), and cached. A text that stands at
    several names is kept once, at the first of them in the order of modules, so that no document
    of a test set is a copy of one in the training set. Contents follow the installed versions.

    Parameters
    ----------
    refresh : bool, default=False
        Parse again even if there is a cache.
    verbose : bool, optional
        Show a progress bar while parsing; by default on a terminal only.
    cache_dir : str or Path, optional
        Where to keep the cache. Default: the environment variable ``LACONIC_CACHE``, or the
        folder that the platform has for caches (``~/.cache/laconic`` on Linux).

    Returns
    -------
    Corpus
        With texts; `titles` are qualified names such as ``"scipy.stats._stats_py.zscore"``, and
        `labels` say where they belong: the top module in the standard library (``"asyncio"``),
        the public subpackage elsewhere (``"sklearn.linear_model"``).

    Examples
    --------
    >>> from laconic.datasets import load_pydocs
    >>> corpus = load_pydocs()                                              # doctest: +SKIP
    >>> corpus[corpus.labels == "asyncio"].titles[0]                        # doctest: +SKIP
    'asyncio'
    """
    store = _cache_folder(cache_dir) / _pydocs_key()
    if not refresh and store.exists():
        try:
            return _open_whole(store)
        except LaconicError as error:
            logger.info("the cache is made anew: %s", error)
    corpus = _count(_installed_docstrings(verbose))
    try:
        # it may be too damaged to be known as a store, and nothing else lives under this name
        shutil.rmtree(store, ignore_errors=True)
        store.parent.mkdir(parents=True, exist_ok=True)
        corpus.save(store)
        return _open_whole(store)
    except (LaconicError, OSError) as error:
        logger.warning("the corpus could not be cached and will be parsed again: %s", error)
        return corpus


def _open_whole(store: Path) -> Corpus:
    """Open a cached corpus with its documents, so that damage shows while it can be mended."""
    corpus = Corpus.open(store)
    for name in ("ids", "titles", "labels", "texts"):
        if getattr(corpus, name) is None:
            raise ModelFileError(store, f"has no {name}")
    return corpus


def _cache_folder(folder: str | Path | None = None) -> Path:
    """Where caches go: as told, as the environment says, or as the platform has it."""
    folder = folder or os.environ.get("LACONIC_CACHE")
    if folder:
        return Path(folder).expanduser()
    home = Path(os.path.expanduser("~"))
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "laconic"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home)) / "laconic" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "laconic"


def _pydocs_key() -> str:
    """Name of the cache: what the contents depend on."""
    parts = [f"pydocs-{PYDOCS_FORMAT}", f"python-{python_version()}"]
    for project in PACKAGES.values():
        try:
            parts.append(f"{project}-{version(project)}")
        except PackageNotFoundError:
            parts.append(f"{project}-none")
    return "_".join(parts)


def _installed_docstrings(verbose: bool | None) -> list[Docstring]:
    """Docstrings of everything in the corpus, with a progress bar over the files."""
    from rich.console import Console
    from rich.progress import track

    files = source_files(STDLIB)
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations if spec else None) or ():
            files += source_files(Path(folder), package)
    console = Console(stderr=True)
    shown = console.is_terminal if verbose is None else verbose
    progress = track(
        files, "Reading docstrings", console=console, disable=not shown, transient=True
    )
    return [docstring for path, module in progress for docstring in read_docstrings(path, module)]


def _count(docstrings: Iterable[Docstring]) -> Corpus:
    """Corpus of docstrings, each text once."""
    from laconic.text.vectorizer import Vectorizer

    first: dict[str, Docstring] = {}
    for docstring in docstrings:
        first.setdefault(docstring.text, docstring)
    names, modules, texts = zip(*first.values(), strict=True)
    counted: Corpus = Vectorizer(**SETTINGS).fit_transform(texts)
    return counted.replace(
        ids=_distinct(names),
        titles=names,
        labels=np.array([_label(module) for module in modules]),
        texts=texts,
    )


def _label(module: str) -> str:
    """The public subpackage of a package, the top module of the standard library."""
    parts = module.split(".")
    if parts[0] not in PACKAGES or len(parts) == 1 or parts[1].startswith("_"):
        return parts[0]
    return ".".join(parts[:2])


def _distinct(names: Sequence[str]) -> list[str]:
    """Names with "#2", "#3" at the second, third one that is the same (a getter and its setter)."""
    seen: Counter[str] = Counter()
    ids = []
    for name in names:
        seen[name] += 1
        ids.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return ids
