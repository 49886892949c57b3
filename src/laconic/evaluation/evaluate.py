"""How good a fitted model is on documents: every measure that applies, in one mapping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.corpus import Corpus
from laconic.engines import make_engine
from laconic.errors import LaconicError, check_at_least
from laconic.fitted.model import TopicView
from laconic.metrics import METRICS, NotApplicableError, Subject
from laconic.metrics.stability import reseeded
from laconic.models.plsa.estimator import PLSA
from laconic.models.plsa.mixture import mix_codes

N_WORDS = 10


class Evaluation(Mapping[str, float]):
    """Measures of a model by name, in the order of `laconic.metrics.METRICS`.

    Prints as a table. A measure that the model or the documents do not have is not among them;
    `left_out` says why.

    Attributes
    ----------
    left_out : dict of str to str
        Measures that do not apply, and the reason.
    """

    def __init__(self, values: Mapping[str, float], left_out: Mapping[str, str]) -> None:
        self._values = dict(values)
        self.left_out = dict(left_out)

    def __getitem__(self, name: str) -> float:
        try:
            return self._values[name]
        except KeyError:
            reason = self.left_out.get(name)
            raise KeyError(name if reason is None else f"{name}: {reason}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def table(self) -> list[tuple[str, str, str, str]]:
        """For each measure its name, its value as it is shown, which end is better, what it says.

        Examples
        --------
        >>> Evaluation({"npmi": 0.12345}, {}).table()
        [('npmi', '0.123', 'higher', 'words of a topic occur near each other, -1 to 1')]
        """
        return [
            (name, written(value), METRICS[name].better, METRICS[name].about)
            for name, value in self.items()
        ]

    def __repr__(self) -> str:
        return f"Evaluation({', '.join(f'{name}={value:.4g}' for name, value in self.items())})"

    def __str__(self) -> str:
        width = max(map(len, self._values), default=0)
        return "\n".join(
            f"{name:<{width}}  {value:>8}  {about}" for name, value, _, about in self.table()
        )


def written(value: float) -> str:
    """A measure in as many digits as mean something.

    Examples
    --------
    >>> written(0.12345), written(1234.5), written(float("inf"))
    ('0.123', '1,234', 'inf')
    """
    return f"{value:,.0f}" if 100 <= abs(value) < float("inf") else f"{value:.3f}"


def evaluate(
    model: Any,
    corpus: Any,
    metrics: Iterable[str] | None = None,
    *,
    n_words: int = N_WORDS,
    reference: Any = None,
    random_state: int = 0,
) -> Evaluation:
    """Measure a fitted model on documents.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted, with ``components_`` and ``transform``.
    corpus : Corpus, list of str or sparse matrix
        Documents; words are matched by name. How well codes predict and describe is best measured
        on documents that the model was not fitted to.
    metrics : iterable of str, optional
        Names in ``laconic.metrics.METRICS``; by default all that apply, except "stability" and
        "bootstrap", which fit the model again and again, and "subspace", which needs a `reference`.
    n_words : int, default=10
        How many of its strongest words stand for a topic (coherence, diversity, stability).
    reference : estimator or Pipeline, optional
        Another fitted model, to which "subspace" measures the distance.
    random_state : int, default=0
        For the words that are held out, the folds and the refits.

    Returns
    -------
    Evaluation
        A mapping of names to values that prints as a table.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 120, 4)
    >>> model = laconic.pipeline("plsa", n_components=4, random_state=0).fit(corpus)
    >>> found = laconic.evaluate(model, corpus, ["diversity", "accuracy"])
    >>> found["diversity"] > 0.95, found["accuracy"] > 0.8
    (True, True)
    """
    names = _names(metrics, reference is not None)
    subject = subject_of(
        model, corpus, n_words=n_words, reference=reference, random_state=random_state
    )
    return measure(subject, names, strict=metrics is not None)


def _names(metrics: Iterable[str] | None, has_reference: bool) -> list[str]:
    """Which measures to take, in the order of METRICS."""
    if metrics is None:
        return [
            name
            for name, metric in METRICS.items()
            if metric.usual or (name == "subspace" and has_reference)
        ]
    asked = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in asked:
        if name not in METRICS:
            raise LaconicError(f"There is no measure {name!r}; there are {', '.join(METRICS)}.")
    return [name for name in METRICS if name in asked]


def measure(subject: Subject, names: Iterable[str], *, strict: bool = False) -> Evaluation:
    """The named measures; with `strict` one that does not apply is an error."""
    values, left_out = {}, {}
    for name in names:
        try:
            values[name] = float(METRICS[name].measure(subject))
        except NotApplicableError as reason:
            if strict:
                raise LaconicError(f"{name} cannot be measured: {reason}") from reason
            left_out[name] = str(reason)
    return Evaluation(values, left_out)


def subject_of(
    model: Any,
    corpus: Any,
    *,
    n_words: int = N_WORDS,
    reference: Any = None,
    random_state: int = 0,
) -> Subject:
    """What the measures look at, of a model of this library."""
    check_at_least("n_words", n_words)
    view = TopicView(model)
    check_is_fitted(view.estimator, "components_")
    documents = as_corpus(view, corpus)
    return Subject(
        corpus=documents,
        words=view.strongest_words(n_words),
        components=view.estimator.components_,
        encode=model.transform,
        weigh=lambda corpus: view.preprocess(corpus).matrix,
        probabilities=view.probabilities,
        mix=mixtures,
        encode_words=_word_encoder(view),
        refits=lambda n, bootstrap: [
            _refit(view, documents, bootstrap, [random_state, i]).strongest_words(n_words)
            for i in range(n)
        ],
        reference=None if reference is None else _over_words_of(view, reference),
        random_state=random_state,
    )


def as_corpus(view: TopicView, documents: Any) -> Corpus:
    """Documents over the words that the model knows."""
    if isinstance(documents, Corpus):
        documents = view.align(documents)
    elif isinstance(documents, str):
        raise LaconicError("evaluate takes documents, not one string; read files with laconic.read")
    elif not sp.issparse(documents) and len(documents) and isinstance(documents[0], str):
        if not view.is_pipeline:
            raise LaconicError("a bare estimator takes counts; texts need a laconic.pipeline")
        documents = view.model[0].transform(documents)
    else:
        documents = Corpus(documents, view.names)
    if len(documents) == 0:
        raise LaconicError("there are no documents to measure the model on")
    n_words = view.estimator.n_features_in_
    if documents.shape[1] != n_words:
        raise LaconicError(
            f"the documents have {documents.shape[1]:,} words and the model "
            f"{n_words:,}; give a Corpus with its vocabulary"
        )
    if documents.vocabulary is None:
        documents = Corpus(documents.counts, map(str, range(n_words)), labels=documents.labels)
    return documents


def mixtures(probabilities: np.ndarray, counts: sp.csr_matrix) -> np.ndarray:
    """Shares of topics by expectation maximisation: the same for every model that has topics.

    So that a perplexity says how well topics predict, whatever a model's own codes are like.
    """
    words = np.ascontiguousarray(probabilities.T, dtype=np.float64)
    params = words, float(PLSA().doc_smoothing), False
    with make_engine("threads", None) as engine:
        parts = list(engine.map(mix_codes, params, Corpus(counts).chunks(split=4)))
    shares = np.vstack([np.asarray(part) for part in parts])
    empty = shares.sum(axis=1) == 0
    if empty.all():
        shares[:] = 1 / max(shares.shape[1], 1)
    elif empty.any():  # nothing is known of these documents but the average
        shares[empty] = shares[~empty].mean(axis=0)
    return shares


def _refit(view: TopicView, corpus: Corpus, bootstrap: bool, seed: list[int]) -> TopicView:
    """Another fit with other random numbers, if so wanted to documents drawn with replacement."""
    draw = np.random.default_rng(seed)
    if bootstrap:
        corpus = corpus[draw.integers(len(corpus), size=len(corpus))]
    return TopicView(reseeded(view.model, int(draw.integers(2**31 - 1))).fit(corpus))


def _word_encoder(view: TopicView) -> Any:
    if not hasattr(view.estimator, "word_codes"):
        return None
    return lambda corpus: view.estimator.word_codes(view.preprocess(corpus)).entries


def _over_words_of(view: TopicView, reference: Any) -> Any:
    """Topics of another model, their columns in the order of this one's words."""
    other = TopicView(reference)
    check_is_fitted(other.estimator, "components_")
    topics = other.estimator.components_
    if view.names is not None and other.names is not None:
        return view.align_topics(topics, other.names)
    if topics.shape[1] != view.n_columns:
        raise LaconicError("the reference has other words; fit both models to a Corpus")
    return topics
