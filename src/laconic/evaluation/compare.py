"""Compare the speed, size and quality of models on one corpus, one row per model.

All models are fitted to the same four fifths of the documents, with the same vocabulary. The other
documents are used for metrics that need held-out documents. Models can be fitted repeatedly, to
other training documents and with other seeds; then each metric has an interval.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, check_at_least
from laconic.evaluation.contenders import Fitted, check_name, fit, learns_classes, warm_up
from laconic.evaluation.evaluate import N_WORDS, compute_metrics
from laconic.evaluation.repeats import combine, error_of_accuracy
from laconic.evaluation.splitting import (
    MIN_CLASS_SIZE,
    Documents,
    split_documents,
    with_classes,
)
from laconic.files.atomic_file import check_file, write_bytes
from laconic.metrics import train_test_accuracy
from laconic.metrics.likelihood import completion_likelihood
from laconic.progress import progress_bar

logger = logging.getLogger(__name__)

DEFAULT_MODELS = ("sc", "slsa", "plsa", "sctm", "stc", "pcp", "lda", "nmf", "lsa")
DEFAULT_SIZES = (20,)
MAX_SVM_DOCUMENTS = 5000
"""Maximum number of documents to train the SVM; this is enough to distinguish models."""

TOPIC_METRICS = ("npmi", "c_v", "diversity", "redundancy", "topic_zeros")
FITTED_METRICS = ("weak_topics", "lone_topics")
HELD_OUT_METRICS = ("perplexity", "document_zeros", "topics_per_document")


@dataclass
class Row:
    """Results of one model with one number of topics; a metric that does not apply is None.

    Attributes
    ----------
    model : str
    n_components : int
    npmi, c_v, diversity, redundancy : float or None
        Metrics of the topics; co-occurrences are counted in all documents.
    weak_topics : float or None
        Share of topics with low support, see `laconic.metrics.weak_topics`, in the training
        documents.
    lone_topics : float or None
        Share of topics with half or more of their 20 leading training documents from one source;
        None if no sources were passed.
    accuracy : float or None
        Accuracy on held-out documents of a linear SVM fitted to the codes of training documents.
    perplexity : float or None
        Perplexity of held-out documents; half of the words of a document are predicted from the
        other half.
    topic_zeros, document_zeros : float or None
        Shares of zeros in the topics, and in the codes of held-out documents.
    topics_per_document : float or None
        Mean number of topics of held-out documents that have words.
    n_bytes : int or None
        Size of the saved model.
    seconds : float or None
        Time to fit.
    documents_per_second : float or None
        Number of held-out documents encoded per second.
    words : list of list of str
        The top words of each topic.
    error : str or None
        The error message if the model could not be fitted.
    errors : dict of str to float
        Standard errors of `accuracy` and `perplexity` over the test documents, if the model was
        fitted once.
    runs : dict of str to list of float
        Values of each metric in all repeats, if the model was fitted repeatedly. The metric itself
        is then their mean (the geometric mean of perplexity, size and speed), and `words` are the
        words of the first repeat.
    """

    model: str
    n_components: int
    npmi: float | None = None
    c_v: float | None = None
    diversity: float | None = None
    redundancy: float | None = None
    weak_topics: float | None = None
    lone_topics: float | None = None
    accuracy: float | None = None
    perplexity: float | None = None
    topic_zeros: float | None = None
    document_zeros: float | None = None
    topics_per_document: float | None = None
    n_bytes: int | None = None
    seconds: float | None = None
    documents_per_second: float | None = None
    words: list[list[str]] = field(default_factory=list)
    error: str | None = None
    errors: dict[str, float] = field(default_factory=dict)
    runs: dict[str, list[float]] = field(default_factory=dict)


@dataclass
class Comparison:
    """Result of `laconic.compare`; prints as a table.

    Attributes
    ----------
    rows : list of Row
    about : dict
        Numbers of documents, words and classes, and the settings of the comparison.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 120, 4)
    >>> comparison = laconic.compare(corpus, ["slsa", "lsa"], 4)
    >>> comparison.frame["model"].to_list()
    ['slsa', 'lsa']
    """

    rows: list[Row]
    about: dict[str, Any]

    def verdict(self) -> list[str]:
        """Return sentences that say which model wins at what.

        A model wins a metric only if the 95 % interval of its difference to each other model with
        the same number of topics excludes zero. The intervals are over the repeats or, if the
        models were fitted once, over the test documents; then only accuracy and perplexity have
        an interval.
        """
        from laconic.evaluation.verdict import verdict

        return verdict(self)

    @property
    def frame(self) -> pl.DataFrame:
        """The rows as a DataFrame, without the attributes that are lists or dicts."""
        hidden = {"words", "errors", "runs"}
        if not any(row.error for row in self.rows):
            hidden.add("error")
        columns = [name for name in Row.__dataclass_fields__ if name not in hidden]
        return pl.DataFrame(
            [{name: getattr(row, name) for name in columns} for row in self.rows],
            infer_schema_length=None,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return `about` and `rows` as a dict that can be written as JSON."""
        return {"about": self.about, "rows": [asdict(row) for row in self.rows]}

    def save(self, path: Any, *, force: bool = False) -> Any:
        """Write an HTML page with the verdict, the topics, charts and the table.

        An existing file is replaced only if `force` is true.
        """
        from laconic.plots.comparison_page import comparison_page

        check_file(path, force)
        return write_bytes(comparison_page(self).encode(), path)

    def __str__(self) -> str:
        with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=200, float_precision=3):
            return str(self.frame)


def compare(
    corpus: Corpus,
    models: Sequence[str] = DEFAULT_MODELS,
    n_components: int | Sequence[int] = DEFAULT_SIZES,
    *,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    test_size: float = 0.2,
    repeats: int = 1,
    n_words: int = N_WORDS,
    n_jobs: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
    source: Sequence[Any] | np.ndarray | None = None,
) -> Comparison:
    """Fit several models to a corpus and compute the same metrics for all.

    Parameters
    ----------
    corpus : Corpus
        If it has texts, co-occurrences are counted in windows, otherwise in whole documents. If it
        has labels, classification accuracy is computed too.
    models : sequence of str
        Names in ``laconic.models.MODELS``, or names of models of other libraries: "lda", "nmf" and
        "lsa" (scikit-learn), "lda-gensim" and "lda-tomotopy" (if installed).
    n_components : int or sequence of int, default=20
        One or more numbers of topics; every model is fitted with every number.
    params : mapping of str to mapping, optional
        Parameters of each model, such as ``{"slsa": {"words_per_topic": 20}}``; all other
        parameters have their defaults.
    test_size : float, default=0.2
        Share of the documents to hold out.
    repeats : int, default=1
        How often each model is fitted, each time to other training documents and with another seed.
        Repeats show which differences between models would persist; see `laconic.Comparison`.
    n_words : int, default=10
        Number of top words per topic.
    n_jobs : int, optional
        Number of threads for models that support it; all cores by default.
    random_state : int, default=0
        Seed of the split and of the models; each further repeat adds 1.
    verbose : int, default=0
        1 shows progress on a terminal, 2 also logs one line per fit.
    source : sequence of length n_documents, optional
        The source of each document, such as its author, sender or site. The models do not see it;
        it is used to find topics that come from one source.

    Returns
    -------
    Comparison
        One row per model and number of topics; if a model could not be fitted, its row has the
        error message. Ctrl-C ends the comparison and keeps the finished rows.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 120, 4)
    >>> comparison = laconic.compare(corpus, ["plsa", "nmf"], 4)
    >>> [row.model for row in comparison.rows], comparison.rows[0].diversity > 0.9
    (['plsa', 'nmf'], True)
    """
    check_at_least("n_words", n_words)
    if not isinstance(random_state, (int, np.integer)) or not 0 <= random_state < 2**32:
        raise LaconicError(f"random_state must be an integer of at least 0; got {random_state!r}.")
    names, sizes = check_models(models), _sizes(n_components)
    check_at_least("repeats", repeats)
    documents = split_documents(corpus, test_size, random_state, source)
    if documents.classes is None and any(map(learns_classes, names)):
        raise LaconicError(
            f"medstc needs at least two classes with {MIN_CLASS_SIZE} or more documents each, but "
            "the corpus does not have them; set label= when reading it, or leave medstc out."
        )
    settings = {name: dict((params or {}).get(name, {})) for name in names}
    for name in set(params or {}) - set(names):
        raise LaconicError(
            f"params contains {name!r}, which is not one of the compared models; use only their "
            f"names: {', '.join(names)}."
        )
    runs: dict[tuple[int, str], list[Row]] = {}
    interrupted = False
    todo = list(product(range(repeats), sizes, names))
    with progress_bar("comparing", len(todo), shown=bool(verbose)) as update:
        try:
            for done, (repeat, size, name) in enumerate(todo):
                update(description=f"{name}, {size} topics", completed=done)
                seed = (random_state + repeat) % 2**32
                if repeat and (size, name) == (sizes[0], names[0]):
                    documents = split_documents(corpus, test_size, seed, source)
                row = _judge(name, size, documents, settings[name], n_words, n_jobs, seed)
                runs.setdefault((size, name), []).append(row)
                if verbose > 1:
                    logger.info("%s", _summary(row))
        except KeyboardInterrupt:
            if not runs:
                raise
            interrupted = True
    rows = [combine(those) for those in runs.values()]
    about = _about(documents, random_state, repeats, n_words, n_jobs, interrupted)
    return Comparison(rows, about)


def _judge(
    name: str,
    size: int,
    documents: Documents,
    params: dict[str, Any],
    n_words: int,
    n_jobs: int | None,
    seed: int,
) -> Row:
    row = Row(name, size)
    train = documents.train
    if learns_classes(name) and documents.classes is not None:
        train = with_classes(train, documents.classes[documents.train_rows])
    try:
        warm_up(name)
        fitted = fit(name, train, size, params=params, n_jobs=n_jobs, random_state=seed)
        started = time.perf_counter()
        codes = _codes(fitted, documents.test)
        row.documents_per_second = len(documents.test) / max(time.perf_counter() - started, 1e-9)
        row.seconds, row.n_bytes = fitted.seconds, fitted.n_bytes
        _measure(row, fitted, documents, codes, n_words, seed)
    except ValueError as error:  # a model that fails must not stop the comparison
        return Row(name, size, error=str(error))
    return row


def _measure(
    row: Row, fitted: Fitted, documents: Documents, codes: sp.csr_matrix, n_words: int, seed: int
) -> None:
    subject = fitted.subject(documents.all, n_words, seed)
    held_out = fitted.subject(documents.test, n_words, seed)
    held_out.__dict__["codes"] = codes  # reuse the codes computed for the timing
    train_codes = _codes(fitted, documents.train)
    in_fit = fitted.subject(documents.train, n_words, seed)
    in_fit.__dict__["codes"] = train_codes
    if documents.source is not None:
        in_fit.source = documents.source[documents.train_rows]
    values = {
        **compute_metrics(subject, TOPIC_METRICS),
        **compute_metrics(in_fit, FITTED_METRICS),
        **compute_metrics(held_out, HELD_OUT_METRICS),
    }
    for name, value in values.items():
        setattr(row, name, value)
    row.words = [list(words) for words in subject.words]
    row.accuracy = accuracy_of(documents, train_codes, codes, seed)
    if row.accuracy is not None and documents.classes is not None:
        n_labelled = int(np.count_nonzero(documents.classes[documents.test_rows] != ""))
        row.errors["accuracy"] = error_of_accuracy(row.accuracy, n_labelled)
    if row.perplexity is not None and np.isfinite(row.perplexity):
        mixtures, words = held_out.completion
        row.errors["perplexity"] = completion_likelihood(
            fitted.probabilities, mixtures, words
        ).error


def _codes(fitted: Fitted, documents: Corpus) -> sp.csr_matrix:
    return sp.csr_matrix(fitted.model.transform(documents))


def accuracy_of(
    documents: Documents, train_codes: sp.csr_matrix, codes: sp.csr_matrix, seed: int
) -> float | None:
    """Return the accuracy on test documents of an SVM, or None without at least two classes."""
    if documents.classes is None:
        return None
    train, test = documents.classes[documents.train_rows], documents.classes[documents.test_rows]
    train_rows, test_rows = np.flatnonzero(train != ""), np.flatnonzero(test != "")
    if len(np.unique(train[train_rows])) < 2 or not len(test_rows):
        return None
    if len(train_rows) > MAX_SVM_DOCUMENTS:
        random = np.random.default_rng(seed)
        train_rows = np.sort(random.choice(train_rows, MAX_SVM_DOCUMENTS, replace=False))
    return train_test_accuracy(
        train_codes[train_rows],
        train[train_rows],
        codes[test_rows],
        test[test_rows],
        random_state=seed,
    )


# --- models and documents ------------------------------------------------------------------------


def check_models(models: Sequence[str]) -> list[str]:
    """Return the distinct names; raise an error if a model is unknown or not installed."""
    names = [models] if isinstance(models, str) else list(dict.fromkeys(models))
    if not names:
        raise LaconicError("models is empty; name at least one model to compare.")
    for name in names:
        check_name(name)
    return names


def _sizes(n_components: int | Sequence[int]) -> list[int]:
    single = not isinstance(n_components, Iterable) or isinstance(n_components, str)
    sizes: list[Any] = [n_components] if single else list(n_components)  # type: ignore[arg-type]
    if not sizes or not all(isinstance(size, (int, np.integer)) and size >= 1 for size in sizes):
        raise LaconicError(
            f"n_components must be one or more integers of at least 1; got {n_components!r}."
        )
    return list(dict.fromkeys(int(size) for size in sizes))


def _about(
    documents: Documents,
    seed: int,
    repeats: int,
    n_words: int,
    n_jobs: int | None,
    interrupted: bool,
) -> dict[str, Any]:
    return {
        "documents": len(documents.all),
        "words": documents.all.shape[1],
        "fitted_to": len(documents.train),
        "unseen": len(documents.test),
        "classes": 0 if documents.classes is None else len(set(documents.classes) - {""}),
        "window": "texts" if documents.all.texts is not None else "documents",
        "words_of_a_topic": n_words,
        "random_state": seed,
        "repeats": repeats,
        "n_jobs": n_jobs,
        "interrupted": interrupted,
    }


def _summary(row: Row) -> str:
    if row.error is not None:
        return f"{row.model}, {row.n_components} topics: {row.error}"
    return f"{row.model}, {row.n_components} topics: fitted in {row.seconds:.1f} s"
