"""``laconic.report``: a model as one page that opens from disk."""

from __future__ import annotations

import os
from numbers import Integral
from pathlib import Path
from typing import Any

from laconic.errors import LaconicError
from laconic.extras import require
from laconic.files.atomic_file import check_file, write_bytes
from laconic.web.report.page import Progress, report_page

ENDINGS = (".html", ".htm")
MOST_DOCUMENTS = 100  # of a topic


def report(
    model: Any,
    corpus: Any = None,
    path: str | Path = "report.html",
    *,
    n_documents: int = 5,
    title: str | None = None,
    force: bool = False,
) -> Path:
    """Write what a model found as one page of HTML, to be read, sent or printed.

    The page needs nothing but itself: it opens from disk, without a network, and is the same
    byte for byte when it is written again.

    Parameters
    ----------
    model : estimator, Pipeline, str or Path
        A fitted model, or the folder of a saved one. Names, notes and hidden topics of a saved
        model are respected.
    corpus : Corpus, str or Path, optional
        Documents to show, or the folder of a corpus store; by default those that were kept with
        the model.
    path : str or Path, default="report.html"
        The file. It appears whole or not at all.
    n_documents : int, default=5
        Documents of each topic, at most 100; 0 for none. With more than 200 topics the smaller ones
        get one.
    title : str, optional
        Title of the page; by default the name of the model.
    force : bool, default=False
        Replace a file that is already there.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    LaconicError
        The file exists or cannot be written, or the model cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from laconic import Corpus, SparseLSA, report
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> model = SparseLSA(2, alpha=0.1).fit(corpus)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = report(model, corpus, f"{folder}/cats.html").read_text()
    >>> "purr" in page
    True
    """
    check_settings(path, n_documents, force)
    return write_report(material_of(model, corpus), path, n_documents, title, force)


def write_report(
    material: Any,
    path: str | Path,
    n_documents: int,
    title: str | None,
    force: bool,
    progress: Progress | None = None,
) -> Path:
    """Make the page and write it, unless a file has appeared there meanwhile."""
    check_settings(path, n_documents, force)
    page = report_page(material, int(n_documents), title, progress)
    data = page.encode("utf-8", "replace")
    check_settings(path, n_documents, force)
    return write_bytes(data, path)


def check_settings(path: str | Path, n_documents: int, force: bool) -> None:
    """Complain before the work begins."""
    whole = isinstance(n_documents, Integral) and not isinstance(n_documents, bool)
    if not whole or not 0 <= n_documents <= MOST_DOCUMENTS:
        raise LaconicError(
            f"n_documents must be a whole number from 0 to {MOST_DOCUMENTS}; got {n_documents!r}."
        )
    require("vl_convert")
    target = Path(os.path.realpath(path))
    if target.suffix.lower() not in ENDINGS and not target.is_dir():
        raise LaconicError(
            f"{path}: a report is a page of HTML; name a file that ends in .html, which a browser "
            "prints to PDF"
        )
    check_file(path, force)


def material_of(model: Any, corpus: Any = None, **options: Any) -> Any:
    """What the views look at, from a model or the folder of one."""
    from laconic.web.page_data import PageData

    make = PageData.open if isinstance(model, (str, Path)) else PageData.of
    return make(model, corpus, **options)
