"""``laconic.explore``: look at a model, in a browser or in the cell of a notebook."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from laconic.extras import require_web
from laconic.web.report.page import report_page
from laconic.web.report.write import material_of, write_report

if TYPE_CHECKING:
    from laconic.web.page_data import PageData
    from laconic.web.server.serving import Server

HEIGHT = 640  # pixels of the page in a notebook
MORE = (
    "The report. For search, and for every document and word, call <code>serve()</code> on this "
    "explorer."
)
N_DOCUMENTS = 3  # of each topic in a notebook, which keeps the page in its file


class Explorer:
    """A model that is being looked at; a notebook shows it as a page.

    Made by `laconic.explore`. As a context manager it ends its server on leaving.

    Attributes
    ----------
    url : str or None
        Where the explorer is served; None while it is not.

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

    def __init__(self, material: PageData) -> None:
        self._material = material
        self._server: Server | None = None
        self._page: tuple[Any, str] | None = None  # what it was made of, and the page

    @property
    def url(self) -> str | None:
        return None if self._server is None else self._server.url

    def serve(self, port: int | None = None, *, browser: bool = True) -> str:
        """Serve the explorer in a thread, until `stop` or the end of the program.

        Parameters
        ----------
        port : int, optional
            Where it listens; 0 for any port that is free.
        browser : bool, default=True
            Open the page in a browser, where there is a screen.

        Returns
        -------
        str
            The address.
        """
        from laconic.web.server.serving import Server, open_browser

        if self._server is None:
            server = Server(self._material, port)
            server.start()
            self._server = server
        url = self._server.url
        if browser:
            open_browser(url)
        return url

    def stop(self) -> None:
        """End the server, if there is one."""
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
        """Write the same as one page; see `laconic.report`."""
        self._material.follow_notes()
        return write_report(self._material, path, n_documents, title, force)

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        place = "not served; serve() opens it" if self.url is None else f"at {self.url}"
        return f"<Explorer of {self._material.title}, {place}>"

    def _repr_html_(self) -> str:
        """The report in a frame that can do nothing to the notebook around it."""
        title = f"Topics of {self._material.title}"
        more = MORE if self.url is None else _link(self.url)
        page = escape(self._inline(), quote=False).replace(
            "'", "&#x27;"
        )  # it is full of the others
        return (
            f"<p>{more}</p><iframe title=\"{escape(title)}\" srcdoc='{page}' "
            f'sandbox="allow-scripts" width="100%" height="{HEIGHT}" loading="lazy" '
            'style="border:1px solid #8884;border-radius:6px"></iframe>'
        )

    def _inline(self) -> str:
        """The page as it is now: what is said of topics may change."""
        self._material.follow_notes()
        notes = dict(self._material.notes)
        if self._page is None or self._page[0] != notes:
            self._page = notes, report_page(self._material, N_DOCUMENTS)
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
) -> Explorer:
    """Look at a model: its topics, documents and words.

    In a notebook the explorer is shown below the cell. Elsewhere a page is served on this machine
    and opened in a browser, until Ctrl-C.

    Parameters
    ----------
    model : estimator, Pipeline, str or Path
        A fitted model, or the folder of a saved one.
    corpus : Corpus, str or Path, optional
        The documents, or the folder of a corpus store; by default those that were kept with the
        model.
    compare : estimator, Pipeline, str or Path, optional
        Another model to show beside it.
    write : bool, default=False
        Whether topics can be named, hidden and noted in the page: in the folder of a saved model,
        else with the model, which takes it along when it is saved.
    port : int, optional
        Where the page is served; 0 for any port that is free. Default: 8484, or the next one that
        is free.
    browser : bool, default=True
        Open the page in a browser, where there is a screen.
    block : bool, optional
        True serves the page and returns after Ctrl-C, False serves it and returns at once. By
        default a notebook gets the explorer without a server, and anything else waits.

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
    explorer = Explorer(material_of(model, corpus, other=compare, write=write))
    if block is None and in_notebook():
        return explorer
    if block is False:
        url = explorer.serve(port, browser=browser)
        if not in_notebook():  # which shows the address with the page
            sys.stderr.write(f"The explorer is at {url}\n")
        return explorer
    from laconic.web.server.serving import serve

    serve(explorer._material, port, browser=browser, announce=_announce)
    return explorer


def in_notebook() -> bool:
    """Whether this runs in the kernel of a notebook, where results are shown below their cell."""
    shells = sys.modules.get("IPython")
    shell = None if shells is None else shells.get_ipython()
    return getattr(shell, "kernel", None) is not None


def _announce(url: str) -> None:
    """Say where the page is; not by the log, which shows nothing unless it is set up."""
    sys.stderr.write(f"The explorer is at {url}; Ctrl-C ends it.\n")


def _link(url: str) -> str:
    return (
        f'The whole explorer: <a href="{escape(url)}" target="_blank" rel="noopener">'
        f"{escape(url)}</a>"
    )
