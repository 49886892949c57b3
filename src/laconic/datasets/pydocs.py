"""A labelled corpus that needs no download: docstrings of Python and scientific packages."""

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

PYDOCS_FORMAT = 1  # Increase this number when documents or SETTINGS change, to rebuild caches.
STDLIB = Path(sysconfig.get_path("stdlib"))
PACKAGES = {
    "numpy": "numpy",
    "scipy": "scipy",
    "sklearn": "scikit-learn",
}  # import name and project name
SETTINGS: dict[str, Any] = {
    "token_pattern": r"(?u)[^\W\d_]{3,}",  # only letters, so that float64 becomes float
    "stop_words": "english",
    "min_df": 5,
}


def load_pydocs(
    *,
    refresh: bool = False,
    verbose: bool | None = None,
    cache_dir: str | Path | None = None,
) -> Corpus:
    """Load the docstrings of the installed Python, numpy, scipy and scikit-learn.

    The corpus has about 13,000 documents and 1.6 million words. Each document is the docstring of a
    module, class, function or method, and has at least ten words. On first use, the source files
    are parsed without importing them, which takes about ten seconds, and the result is cached. If
    several objects have the same docstring, it is included only once, under the first name in the
    order of modules, so that no test document is a copy of a training document. The contents depend
    on the installed versions.

    Parameters
    ----------
    refresh : bool, default=False
        Whether to parse the source files again even if the result is cached.
    verbose : bool, optional
        Whether to show a progress bar during parsing. By default, it is shown only on a terminal.
    cache_dir : str or Path, optional
        Folder of the cache. The default is the value of the environment variable ``LACONIC_CACHE``
        or, if it is not set, the cache folder of the platform (``~/.cache/laconic`` on Linux).

    Returns
    -------
    Corpus
        Corpus with texts. Its `titles` are qualified names such as
        ``"scipy.stats._stats_py.zscore"``. Its `labels` are top-level modules of the standard
        library, such as ``"asyncio"``, and public subpackages of the other packages, such as
        ``"sklearn.linear_model"``.

    Examples
    --------
    >>> from laconic.datasets import load_pydocs
    >>> corpus = load_pydocs()                                              # doctest: +SKIP
    >>> corpus[corpus.labels == "asyncio"].titles[0]                        # doctest: +SKIP
    'asyncio'
    """
    store = _cache_folder(cache_dir) / _pydocs_key()
    cached = None if refresh else _cached(store)
    if cached is not None:
        return cached
    corpus = _count(_installed_docstrings(verbose))
    # Another process may have written the cache in the meantime, and may be reading it now.
    cached = None if refresh else _cached(store)
    return _save(corpus, store) if cached is None else cached


def _cached(store: Path) -> Corpus | None:
    """Return the cached corpus, or None if there is none or it is damaged."""
    if not store.exists():
        return None
    try:
        return _open_cache(store)
    except LaconicError as error:
        logger.info("the cache is rebuilt, because it cannot be read: %s", error)
        return None


def _save(corpus: Corpus, store: Path) -> Corpus:
    """Replace the cache, and return the corpus from there, or `corpus` if this is impossible."""
    try:
        # Corpus.save might not replace a damaged cache. No other folder has this name.
        shutil.rmtree(store, ignore_errors=True)
        store.parent.mkdir(parents=True, exist_ok=True)
        corpus.save(store)
        return _open_cache(store)
    except (LaconicError, OSError) as error:
        cached = _cached(store)  # another process may have been faster
        if cached is None:
            logger.warning(
                "the corpus could not be cached, so it will be parsed again next time: %s", error
            )
        return corpus if cached is None else cached


def _open_cache(store: Path) -> Corpus:
    """Open a cached corpus and read its metadata; raise an error if the cache is damaged."""
    corpus = Corpus.open(store)
    for name in ("ids", "titles", "labels", "texts"):
        if getattr(corpus, name) is None:
            raise ModelFileError(store, f"has no {name}")
    return corpus


def _cache_folder(folder: str | Path | None = None) -> Path:
    """Return `folder`, the folder in ``LACONIC_CACHE``, or the cache folder of the platform."""
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
    """Return the name of the cache, which contains the versions of Python and all packages."""
    parts = [f"pydocs-{PYDOCS_FORMAT}", f"python-{python_version()}"]
    for project in PACKAGES.values():
        try:
            parts.append(f"{project}-{version(project)}")
        except PackageNotFoundError:
            parts.append(f"{project}-none")
    return "_".join(parts)


def _installed_docstrings(verbose: bool | None) -> list[Docstring]:
    """Parse the source files of Python and all packages, and show a progress bar."""
    from rich.console import Console
    from rich.progress import track

    files = source_files(STDLIB)
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations if spec else None) or ():
            files += source_files(Path(folder), package)
    console = Console(stderr=True)
    has_bar = console.is_terminal if verbose is None else verbose
    progress = track(
        files, "Reading docstrings", console=console, disable=not has_bar, transient=True
    )
    return [docstring for path, module in progress for docstring in read_docstrings(path, module)]


def _count(docstrings: Iterable[Docstring]) -> Corpus:
    """Count the words of the docstrings; docstrings with the same text are included once."""
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
    """Return the label of a module: its public subpackage, or its top-level module."""
    parts = module.split(".")
    if parts[0] not in PACKAGES or len(parts) == 1 or parts[1].startswith("_"):
        return parts[0]
    return ".".join(parts[:2])


def _distinct(names: Sequence[str]) -> list[str]:
    """Append "#2", "#3", ... to repeated names, such as the names of a getter and its setter."""
    seen: Counter[str] = Counter()
    ids = []
    for name in names:
        seen[name] += 1
        ids.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return ids
