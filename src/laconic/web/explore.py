"""``laconic.explore``: explore a model in a browser or in a notebook cell."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic.extras import require_web
from laconic.web.report.page import report_page
from laconic.web.report.write import page_data_of, write_report

if TYPE_CHECKING:
    from laconic.web.page_data import PageData
    from laconic.web.server.serving import Server

HEIGHT = 640  # height of the frame in a notebook, in pixels
MORE = (
    "This is the report. To search and to browse all documents and words, call "
    "<code>serve()</code> on this explorer."
)
# Number of documents per topic in a notebook; small, because the notebook file stores the report
N_DOCUMENTS = 3


class Explorer:
    """Explorer of a fitted model; a notebook displays it as an HTML report.

    `laconic.explore` returns it. Used as a context manager, it stops its server on exit.

    Attributes
    ----------
    url : str or None
        URL of the server, or None if the server is not running.

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA, explore
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> model = SparseLSA(2, alpha=0.1).fit(corpus)
    >>> with explore(model, corpus, port=0, browser=False, block=False) as explorer:
    ...     explorer.url[:17]
    'http://127.0.0.1:'
    >>> explorer.url is None
    True
    """

    def __init__(self, page_data: PageData) -> None:
        self._page_data = page_data
        self._server: Server | None = None
        self._page: tuple[Any, str] | None = None  # (notes, report built with these notes)

    @property
    def url(self) -> str | None:
        return None if self._server is None else self._server.url

    def serve(self, port: int | None = None, *, browser: bool = True) -> str:
        """Serve the explorer in a background thread until `stop` is called or the program ends.

        Parameters
        ----------
        port : int, optional
            The port; 0 for any free port.
        browser : bool, default=True
            Open the explorer in a browser, if there is a display.

        Returns
        -------
        str
            The URL.
        """
        from laconic.web.server.serving import Server, open_browser

        if self._server is None:
            server = Server(self._page_data, port)
            server.start()
            self._server = server
        url = self._server.url
        if browser:
            open_browser(url)
        return url

    def stop(self) -> None:
        """Stop the server if it is running."""
        if self._server is not None:
            self._server.stop()
            self._server = None

    def report(
        self,
        path: str | Path = "report.html",
        *,
        n_documents: int = 5,
        title: str | None = None,
        force: bool = False,
    ) -> Path:
        """Write an HTML report; see `laconic.report`."""
        self._page_data.follow_notes()
        return write_report(self._page_data, path, n_documents, title, force)

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        state = "not running; call serve()" if self.url is None else f"at {self.url}"
        return f"<Explorer of {self._page_data.title}, {state}>"

    def _repr_html_(self) -> str:
        """Return the report in a sandboxed frame that has no access to the notebook."""
        title = f"Topics of {self._page_data.title}"
        more = MORE if self.url is None else _link(self.url)
        # the attribute srcdoc is in single quotes, because the report has many double quotes
        page = escape(self._inline(), quote=False).replace("'", "&#x27;")
        return (
            f"<p>{more}</p><iframe title=\"{escape(title)}\" srcdoc='{page}' "
            f'sandbox="allow-scripts" width="100%" height="{HEIGHT}" loading="lazy" '
            'style="border:1px solid #8884;border-radius:6px"></iframe>'
        )

    def _inline(self) -> str:
        """Return the report, and build it again only if the notes on topics have changed."""
        self._page_data.follow_notes()
        notes = dict(self._page_data.notes)
        if self._page is None or self._page[0] != notes:
            self._page = notes, report_page(self._page_data, N_DOCUMENTS)
        return self._page[1]


def explore(
    model: Any,
    corpus: Any = None,
    *,
    compare: Any = None,
    write: bool = False,
    port: int | None = None,
    browser: bool = True,
    block: bool | None = None,
    vocabulary: Any = None,
) -> Explorer:
    """Explore the topics, documents and words of a model.

    In a notebook, the HTML report is shown below the cell. Elsewhere, a server runs on this machine
    until Ctrl-C is pressed, and the explorer opens in a browser.

    Parameters
    ----------
    model : estimator, Pipeline, str or Path
        A fitted model, or the folder of a saved one.
    corpus : Corpus, str or Path, optional
        The documents, or the folder of a corpus store. Default: the documents that were saved with
        the model.
    compare : estimator, Pipeline, str or Path, optional
        A second model to compare with.
    write : bool, default=False
        Allow naming, annotating and hiding topics. For a saved model, changes are written
        to its folder; for other models, they are attached to the model and saved with it.
    port : int, optional
        The port; 0 for any free port. Default: 8484, or the next free port.
    browser : bool, default=True
        Open the explorer in a browser, if there is a display.
    block : bool, optional
        If True, the function serves the explorer and returns after Ctrl-C. If False, it returns
        immediately and the server runs in the background. Default: in a notebook, the function
        returns without starting a server; elsewhere, the default is True.
    vocabulary : optional
        The words of the columns, if the model and the corpus have no words; see `laconic.topics`.

    Returns
    -------
    Explorer

    Examples
    --------
    >>> from laconic import Corpus, SparseLSA, explore
    >>> corpus = Corpus([[4, 2, 0], [4, 3, 0], [0, 0, 2]], ["cat", "purr", "dog"])
    >>> model = SparseLSA(2, alpha=0.1).fit(corpus)
    >>> explorer = explore(model, corpus, port=0, browser=False, block=False)
    >>> explorer.url is not None
    True
    >>> explorer.stop()
    """
    require_web()
    explorer = Explorer(
        page_data_of(model, corpus, other=compare, write=write, vocabulary=vocabulary)
    )
    if block is None and in_notebook():
        return explorer
    if block is False:
        url = explorer.serve(port, browser=browser)
        if not in_notebook():  # a notebook shows the URL above the report
            sys.stderr.write(f"The explorer is at {url}\n")
        return explorer
    from laconic.web.server.serving import serve

    serve(explorer._page_data, port, browser=browser, announce=_announce)
    return explorer


def in_notebook() -> bool:
    """Tell whether the code runs in a notebook kernel."""
    shells = sys.modules.get("IPython")
    shell = None if shells is None else shells.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _announce(url: str) -> None:
    """Print the URL, because a log message is visible only if logging is configured."""
    sys.stderr.write(f"The explorer is at {url}; press Ctrl-C to stop it.\n")


def _link(url: str) -> str:
    return (
        f'Full explorer: <a href="{escape(url)}" target="_blank" rel="noopener">{escape(url)}</a>'
    )
