"""``laconic.report``: write the HTML report of a model."""

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
MOST_DOCUMENTS = 100  # maximum number of documents per topic


def report(
    model: Any,
    corpus: Any = None,
    path: str | Path = "report.html",
    *,
    n_documents: int = 5,
    title: str | None = None,
    terms: str | None = None,
    items: str | None = None,
    force: bool = False,
    vocabulary: Any = None,
) -> Path:
    """Write an HTML report of a model, to read, share or print.

    The report is one self-contained file that opens without a network connection. The same input
    always gives a byte-identical file.

    Parameters
    ----------
    model : estimator, Pipeline, str or Path
        A fitted model, or the folder of a saved one. The report shows the names and notes of topics
        and omits hidden topics.
    corpus : Corpus, str or Path, optional
        Documents to show, or the folder of a corpus store. Default: the documents that were saved
        with the model.
    path : str or Path, default="report.html"
        The output file. It is written atomically.
    n_documents : int, default=5
        Number of documents per topic, from 0 to 100. If the model has more than 200 topics, the 200
        largest topics show this number of documents, and the other topics show one document.
    title : str, optional
        Title of the report. Default: the name of the model.
    terms, items : str, optional
        Plural nouns for the columns and rows of the data, such as "genes" and "samples", instead of
        "words" and "documents". Default: the nouns that were saved with the model, see
        `laconic.with_nouns`.
    force : bool, default=False
        Overwrite an existing file.
    vocabulary : optional
        The words of the columns, if the model and the corpus have no words; see `laconic.topics`.

    Returns
    -------
    Path
        The output file.

    Raises
    ------
    LaconicError
        If the file exists or cannot be written, or if the model cannot be read.

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
    page_data = page_data_of(model, corpus, vocabulary=vocabulary, terms=terms, items=items)
    return write_report(page_data, path, n_documents, title, force)


def write_report(
    page_data: Any,
    path: str | Path,
    n_documents: int,
    title: str | None,
    force: bool,
    progress: Progress | None = None,
) -> Path:
    """Build and write the report; before writing, check again that the file does not exist."""
    check_settings(path, n_documents, force)
    page = report_page(page_data, int(n_documents), title, progress)
    data = page.encode("utf-8", "replace")
    check_settings(path, n_documents, force)
    return write_bytes(data, path)


def check_settings(path: str | Path, n_documents: int, force: bool) -> None:
    """Raise `LaconicError` if a setting is invalid or the file cannot be written."""
    is_integer = isinstance(n_documents, Integral) and not isinstance(n_documents, bool)
    if not is_integer or not 0 <= n_documents <= MOST_DOCUMENTS:
        raise LaconicError(
            f"n_documents must be an integer from 0 to {MOST_DOCUMENTS}; got {n_documents!r}."
        )
    require("vl_convert")
    target = Path(os.path.realpath(path))
    if target.suffix.lower() not in ENDINGS and not target.is_dir():
        raise LaconicError(
            f"{path}: a report is an HTML file; use a name that ends in .html. To get a PDF, print "
            "the report from a browser."
        )
    check_file(path, force)


def page_data_of(model: Any, corpus: Any = None, **options: Any) -> Any:
    """Return the `PageData` of a fitted model or of a saved one."""
    from laconic.web.page_data import PageData

    make = PageData.open if isinstance(model, (str, Path)) else PageData.of
    return make(model, corpus, **options)
