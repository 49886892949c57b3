"""Several models on one corpus: what each costs and how good it is, a row for each.

All see the same words of the same documents, four fifths of them to fit to; the rest is for what
must be measured on documents that a model has not seen.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, check_at_least
from laconic.evaluation.contenders import Fitted, check_name, fit, learns_classes, warm_up
from laconic.evaluation.evaluate import N_WORDS, measure
from laconic.files.atomic_file import check_file, write_bytes
from laconic.metrics import train_test_accuracy
from laconic.progress import progress_bar

logger = logging.getLogger(__name__)

DEFAULT_MODELS = ("slsa", "stc", "sctm", "pcp", "lda", "nmf", "lsa")
DEFAULT_SIZES = (20,)
FEWEST_OF_A_CLASS = 10
"""Documents that a class needs to be learned and tested; smaller ones are left unlabelled."""

MOST_FOR_CLASSES = 5000
"""Training documents from which classes are learned: enough to tell models apart."""

OF_TOPICS = ("npmi", "c_v", "diversity", "redundancy", "topic_zeros")
OF_UNSEEN = ("perplexity", "document_zeros")


@dataclass
class Row:
    """One model with one number of topics. What does not apply is None.

    Attributes
    ----------
    model : str
    n_components : int
    npmi, c_v, diversity, redundancy : float or None
        Of the strongest words of the topics, counted in all documents.
    accuracy : float or None
        Of a linear SVM on the codes, fitted on the training documents, on unseen ones.
    perplexity : float or None
        By document completion, on unseen documents.
    topic_zeros, document_zeros : float or None
        Shares of zeros in the weights of words, and in the codes of unseen documents.
    n_bytes : int or None
        The saved model.
    seconds : float or None
        To fit.
    documents_per_second : float or None
        Codes of unseen documents.
    words : list of list of str
        The strongest words of each topic.
    error : str or None
        Why the model could not be fitted.
    """

    model: str
    n_components: int
    npmi: float | None = None
    c_v: float | None = None
    diversity: float | None = None
    redundancy: float | None = None
    accuracy: float | None = None
    perplexity: float | None = None
    topic_zeros: float | None = None
    document_zeros: float | None = None
    n_bytes: int | None = None
    seconds: float | None = None
    documents_per_second: float | None = None
    words: list[list[str]] = field(default_factory=list)
    error: str | None = None


@dataclass
class Comparison:
    """Models side by side; prints as a table.

    Attributes
    ----------
    rows : list of Row
    about : dict
        How many documents, words and classes there were, and the settings.
    """

    rows: list[Row]
    about: dict[str, Any]

    @property
    def frame(self) -> pl.DataFrame:
        """The rows as a table, without the words."""
        hidden = ("words", "error") if not any(row.error for row in self.rows) else ("words",)
        columns = [name for name in Row.__dataclass_fields__ if name not in hidden]
        return pl.DataFrame(
            [{name: getattr(row, name) for name in columns} for row in self.rows],
            infer_schema_length=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {"about": self.about, "rows": [asdict(row) for row in self.rows]}

    def save(self, path: Any, *, force: bool = False) -> Any:
        """Write a page with the table, charts and topics, which opens without a network.

        A file that exists is replaced only with `force`.
        """
        from laconic.plots.comparison import comparison_page

        check_file(path, force)
        return write_bytes(comparison_page(self).encode(), path)

    def __str__(self) -> str:
        with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, float_precision=3):
            return str(self.frame)


@dataclass
class _Documents:
    """What every model is given."""

    all: Corpus
    train: Corpus
    test: Corpus
    classes: np.ndarray | None  # of all documents; "" for those without
    train_rows: np.ndarray
    test_rows: np.ndarray


def compare(
    corpus: Corpus,
    models: Sequence[str] = DEFAULT_MODELS,
    n_components: int | Sequence[int] = DEFAULT_SIZES,
    *,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    test_size: float = 0.2,
    n_words: int = N_WORDS,
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> Comparison:
    """Fit several models to a corpus and measure them all in the same way.

    Parameters
    ----------
    corpus : Corpus
        With texts, words count as near each other within a window; without, within a document.
        With labels, codes are also judged by how well they classify.
    models : sequence of str
        Names in ``laconic.models.MODELS``, and of peers: "lda", "nmf" and "lsa" (scikit-learn),
        "lda-gensim" and "lda-tomotopy" (where these are installed).
    n_components : int or sequence of int, default=20
        Numbers of topics; each model is fitted with each.
    params : mapping of str to mapping, optional
        Parameters of models by name, such as ``{"slsa": {"words_per_topic": 20}}``; all models
        have their defaults otherwise.
    test_size : float, default=0.2
        Share of the documents that no model is fitted to.
    n_words : int, default=10
        How many words stand for a topic.
    n_jobs : int, optional
        Threads for all that can use them; by default all cores.
    random_state : int, default=0
        For the split of the documents and for the models.
    verbose : int, default=0
        1 shows progress on a terminal, 2 also logs a line for each row.

    Returns
    -------
    Comparison
        A row for each model and number of topics. A model that cannot be fitted has a row that
        says why. Ctrl-C ends the comparison with the rows so far.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 120, 4)
    >>> found = laconic.compare(corpus, ["plsa", "nmf"], 4)
    >>> [row.model for row in found.rows], found.rows[0].diversity > 0.9
    (['plsa', 'nmf'], True)
    """
    check_at_least("n_words", n_words)
    if not isinstance(random_state, (int, np.integer)) or not 0 <= random_state < 2**32:
        raise LaconicError(f"random_state is a whole number from 0; got {random_state!r}.")
    names, sizes = check_models(models), _sizes(n_components)
    given = _split(corpus, test_size, random_state)
    if given.classes is None and any(map(learns_classes, names)):
        raise LaconicError("medstc learns classes, and these documents have none; leave it out.")
    settings = {name: dict((params or {}).get(name, {})) for name in names}
    for name in set(params or {}) - set(names):
        raise LaconicError(f"params are for {name!r}, which is not compared.")
    rows: list[Row] = []
    interrupted = False
    with progress_bar("comparing", len(names) * len(sizes), shown=bool(verbose)) as update:
        try:
            for size in sizes:
                for name in names:
                    update(description=f"{name}, {size} topics", completed=len(rows))
                    rows.append(
                        _judge(name, size, given, settings[name], n_words, n_jobs, random_state)
                    )
                    if verbose > 1:
                        logger.info("%s", _in_words(rows[-1]))
        except KeyboardInterrupt:
            if not rows:
                raise
            interrupted = True
    about = _about(given, random_state, n_words, n_jobs, interrupted)
    return Comparison(rows, about)


def _judge(
    name: str,
    size: int,
    given: _Documents,
    params: dict[str, Any],
    n_words: int,
    n_jobs: int | None,
    seed: int,
) -> Row:
    row = Row(name, size)
    train = given.train
    if learns_classes(name) and given.classes is not None:
        train = _with_classes(train, given.classes[given.train_rows])
    try:
        warm_up(name)
        fitted = fit(name, train, size, params=params, n_jobs=n_jobs, random_state=seed)
        started = time.perf_counter()
        codes = sp.csr_matrix(fitted.model.transform(given.test))
        row.documents_per_second = len(given.test) / max(time.perf_counter() - started, 1e-9)
        row.seconds, row.n_bytes = fitted.seconds, fitted.n_bytes
        _measure(row, fitted, given, codes, n_words, seed)
    except ValueError as error:  # one model that cannot take these documents stops no other
        return Row(name, size, error=str(error))
    return row


def _measure(
    row: Row, fitted: Fitted, given: _Documents, codes: sp.csr_matrix, n_words: int, seed: int
) -> None:
    subject = fitted.subject(given.all, n_words, seed)
    unseen = fitted.subject(given.test, n_words, seed)
    unseen.__dict__["codes"] = codes  # the clock has run over them already
    found = {**measure(subject, OF_TOPICS), **measure(unseen, OF_UNSEEN)}
    for name, value in found.items():
        setattr(row, name, value)
    row.words = [list(words) for words in subject.words]
    row.accuracy = _accuracy(fitted, given, codes, seed)


def _accuracy(fitted: Fitted, given: _Documents, codes: sp.csr_matrix, seed: int) -> float | None:
    if given.classes is None:
        return None
    train, test = given.classes[given.train_rows], given.classes[given.test_rows]
    known, asked = np.flatnonzero(train != ""), np.flatnonzero(test != "")
    if len(np.unique(train[known])) < 2 or not len(asked):
        return None
    if len(known) > MOST_FOR_CLASSES:
        draw = np.random.default_rng(seed)
        known = np.sort(draw.choice(known, MOST_FOR_CLASSES, replace=False))
    seen = fitted.model.transform(given.train[known])
    return train_test_accuracy(seen, train[known], codes[asked], test[asked], random_state=seed)


# --- what is compared ----------------------------------------------------------------------------


def check_models(models: Sequence[str]) -> list[str]:
    """The names, each once; one that is not known or not installed is refused."""
    names = [models] if isinstance(models, str) else list(dict.fromkeys(models))
    if not names:
        raise LaconicError("There is no model to compare; name at least one.")
    for name in names:
        check_name(name)
    return names


def _sizes(n_components: int | Sequence[int]) -> list[int]:
    single = not isinstance(n_components, Iterable) or isinstance(n_components, str)
    sizes: list[Any] = [n_components] if single else list(n_components)  # type: ignore[arg-type]
    if not sizes or not all(isinstance(size, (int, np.integer)) and size >= 1 for size in sizes):
        raise LaconicError(f"n_components are whole numbers of 1 or more; got {n_components!r}.")
    return list(dict.fromkeys(int(size) for size in sizes))


def _split(corpus: Corpus, test_size: float, seed: int) -> _Documents:
    if not isinstance(corpus, Corpus):
        raise LaconicError("compare takes a Corpus; make one with laconic.read.")
    if corpus.vocabulary is None:
        raise LaconicError("compare needs the words of the corpus; read it with vocabulary=.")
    if not 0 < test_size < 1:
        raise LaconicError(f"test_size is a share between 0 and 1; got {test_size}.")
    n_test = round(test_size * len(corpus))
    if not 1 <= n_test <= len(corpus) - 2:
        raise LaconicError(f"{len(corpus)} documents are too few to compare models on.")
    order = np.random.default_rng(seed).permutation(len(corpus))
    test_rows, train_rows = np.sort(order[:n_test]), np.sort(order[n_test:])
    train = corpus[train_rows]
    return _Documents(
        corpus,
        train,
        _only_words_of(train, corpus[test_rows]),
        _classes(corpus.labels),
        train_rows,
        test_rows,
    )


def _only_words_of(train: Corpus, test: Corpus) -> Corpus:
    """Test documents without the words that no training document has: no model can know them."""
    seen = np.zeros(train.shape[1], dtype=bool)
    seen[train.counts.indices] = True
    counts = sp.csr_matrix(test.counts, copy=True)
    counts.data = counts.data * seen[counts.indices]
    return Corpus(counts, test.vocabulary)


def _classes(labels: Any) -> np.ndarray | None:
    """Class of each document; none for those of rare classes. None if fewer than two are left."""
    if labels is None:
        return None
    named = np.array(["" if one is None or one != one else str(one) for one in labels], object)
    names, sizes = np.unique(named.astype(str), return_counts=True)
    rare = set(names[sizes < FEWEST_OF_A_CLASS])
    classes = np.array(["" if one in rare else one for one in named], object)
    return classes if len(set(classes) - {""}) > 1 else None


def _with_classes(corpus: Corpus, classes: np.ndarray) -> Corpus:
    """The documents that have a class, for a model that learns from it."""
    names, sizes = np.unique(classes.astype(str), return_counts=True)
    usable = np.isin(classes.astype(str), names[(sizes > 1) & (names != "")])
    rows = np.flatnonzero(usable)
    counts = corpus.counts[rows]
    return Corpus(counts, corpus.vocabulary, labels=classes[rows].astype(str))


def _about(
    given: _Documents, seed: int, n_words: int, n_jobs: int | None, interrupted: bool
) -> dict[str, Any]:
    return {
        "documents": len(given.all),
        "words": given.all.shape[1],
        "fitted_to": len(given.train),
        "unseen": len(given.test),
        "classes": 0 if given.classes is None else len(set(given.classes) - {""}),
        "window": "texts" if given.all.texts is not None else "documents",
        "words_of_a_topic": n_words,
        "random_state": seed,
        "n_jobs": n_jobs,
        "interrupted": interrupted,
    }


def _in_words(row: Row) -> str:
    if row.error is not None:
        return f"{row.model}, {row.n_components} topics: {row.error}"
    return f"{row.model}, {row.n_components} topics: fitted in {row.seconds:.1f} s"
