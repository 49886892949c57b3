"""Evaluate a fitted model on documents; return all metrics that apply as a mapping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.corpus import Corpus
from laconic.engines import make_engine
from laconic.errors import LaconicError, check_at_least
from laconic.fitted.kept_corpus import kept_corpus
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import takes_texts
from laconic.metrics import METRICS, NotApplicableError, Subject
from laconic.metrics.cooccurrence import columns_occur
from laconic.metrics.estimates import Estimate
from laconic.metrics.sources import source_numbers
from laconic.metrics.stability import reseeded
from laconic.models.plsa.estimator import PLSA
from laconic.models.plsa.mixture import mix_codes
from laconic.wording import plural

N_WORDS = 10  # default number of top words per topic
MAX_DOCUMENTS = 20_000  # default maximum number of documents for metrics that need a sample
GIVEN, SAVED = "given", "saved"  # the documents that a metric uses
COHERENCE = ("npmi", "c_v")  # metrics that use the saved documents, if there are any
# Metrics that need no documents
OF_TOPICS = ("diversity", "redundancy", "topic_zeros", "effective_dimension", "subspace")
OF_CLASSES = ("accuracy", "neighbours")


class Evaluation(Mapping[str, float]):
    """Mapping from metric names to values, in the order of `laconic.metrics.METRICS`.

    It prints as a table. Metrics that do not apply are missing; `left_out` gives the reasons.

    Attributes
    ----------
    left_out : dict of str to str
        The reason for each metric that does not apply.
    documents : dict of str to str
        The documents that each metric used: "given", "saved" (with the model), or "" for metrics of
        the topics alone.
    unseen_words : list of str
        The top words of topics that never occur in the given documents.
    notes : list of str
        Sentences about the documents, printed below the table.
    errors : dict of str to float
        The standard error of each metric that was estimated from a sample of the documents.
    sampled : dict of str to int
        The number of documents in the sample, for each of these metrics.

    Examples
    --------
    >>> evaluation = Evaluation({"npmi": 0.125}, {"accuracy": "the documents have no labels"})
    >>> evaluation["npmi"], list(evaluation)
    (0.125, ['npmi'])
    >>> evaluation.left_out["accuracy"]
    'the documents have no labels'
    """

    def __init__(
        self,
        values: Mapping[str, float],
        left_out: Mapping[str, str],
        documents: Mapping[str, str] | None = None,
        unseen_words: Sequence[str] = (),
        notes: Sequence[str] = (),
    ) -> None:
        self._values = {name: float(value) for name, value in values.items()}
        estimates = {n: value for n, value in values.items() if isinstance(value, Estimate)}
        self.errors = {name: value.error for name, value in estimates.items()}
        self.sampled = {name: value.n_documents for name, value in estimates.items()}
        self.left_out = dict(left_out)
        self.documents = dict(documents or {})
        self.unseen_words = list(unseen_words)
        self.notes = list(notes)

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
        """Return (name, formatted value, better, description) of each metric.

        Examples
        --------
        >>> Evaluation({"npmi": 0.12345}, {}).table()
        [('npmi', '0.123', 'higher', 'top words of a topic co-occur, -1 to 1')]
        """
        return [
            (name, format_value(value), METRICS[name].better, METRICS[name].about)
            for name, value in self.items()
        ]

    def __repr__(self) -> str:
        return f"Evaluation({', '.join(f'{name}={value:.4g}' for name, value in self.items())})"

    def __str__(self) -> str:
        width = max(map(len, self._values), default=0)
        used = self.documents if SAVED in self.documents.values() else {}
        column = 7 if used else 0
        errors = {name: f" ± {format_error(error)}" for name, error in self.errors.items()}
        error_width = max(map(len, errors.values()), default=0)
        lines = [
            f"{name:<{width}}  {value:>8}{errors.get(name, ''):<{error_width}}  "
            f"{used.get(name, ''):<{column}}{about}"
            for name, value, _, about in self.table()
        ]
        return "\n".join([*lines, *([""] if self.notes else []), *self.notes])


def format_value(value: float) -> str:
    """Format a metric with three decimals, or without decimals if it is 100 or more.

    Examples
    --------
    >>> format_value(0.12345), format_value(1234.5), format_value(float("inf"))
    ('0.123', '1,234', 'inf')
    """
    return f"{value:,.0f}" if 100 <= abs(value) < float("inf") else f"{value:.3f}"


def format_error(error: float) -> str:
    """Format a standard error with two significant digits.

    Examples
    --------
    >>> format_error(0.00345), format_error(12.34), format_error(0.0)
    ('0.0034', '12', '0')
    """
    return f"{error:.2g}" if error < 100 else f"{error:,.0f}"


def evaluate(
    model: Any,
    corpus: Any = None,
    metrics: Iterable[str] | None = None,
    *,
    n_words: int = N_WORDS,
    reference: Any = None,
    random_state: int = 0,
    source: Sequence[Any] | np.ndarray | None = None,
    max_documents: int | None = MAX_DOCUMENTS,
) -> Evaluation:
    """Compute metrics of a fitted model on documents.

    Documents on disk are read part by part, so their number does not change the memory needed.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model that has ``components_`` and ``transform``.
    corpus : Corpus, list of str or sparse matrix, optional
        Documents. Words are matched by spelling with the words of the model. For perplexity,
        reconstruction, accuracy and neighbours, use documents that the model was not fitted to.
        Coherence is measured on the documents whose texts were saved with the model, if there are
        any, because words of the topics may be rare or missing in a small corpus. By default, all
        metrics use the saved documents.
    metrics : iterable of str, optional
        Names in ``laconic.metrics.METRICS``. By default, all metrics that apply are computed,
        except "stability" and "bootstrap", which refit the model several times. "subspace" applies
        only if `reference` is passed, "lone_topics" and "npmi_sources" only if `source` is passed.
    n_words : int, default=10
        Number of top words per topic (for coherence, diversity and stability).
    reference : estimator or Pipeline, optional
        Another fitted model, for the metric "subspace".
    random_state : int, default=0
        Seed of the held-out words, the folds and the refits.
    source : sequence of length n_documents, optional
        The source of each document, such as its author, sender or site. A document without a source
        (None, NaN or "") counts as its own source.
    max_documents : int or None, default=20,000
        Maximum number of documents for the metrics "perplexity", "accuracy", "neighbours" and
        "bootstrap". If there are more documents, these metrics are estimated from a random sample,
        and the result states their standard errors. The sample depends only on `random_state` and
        on the number of documents. None means all documents. The other metrics always use all
        documents.

    Returns
    -------
    Evaluation
        A mapping of names to values that prints as a table.

    Examples
    --------
    >>> import laconic
    >>> corpus, _ = laconic.datasets.make_topics(200, 120, 4)
    >>> model = laconic.pipeline("plsa", n_components=4, random_state=0).fit(corpus)
    >>> evaluation = laconic.evaluate(model, corpus, ["diversity", "accuracy"])
    >>> evaluation["diversity"] > 0.95, evaluation["accuracy"] > 0.8
    (True, True)
    """
    names = _names(metrics, reference is not None, source is not None)
    if max_documents is not None and max_documents < 1:
        raise LaconicError(
            f"max_documents must be at least 1, or None for all documents; got {max_documents}."
        )
    view = TopicView(model)
    needs_saved = corpus is None or any(name in COHERENCE for name in names)
    saved = kept_corpus(view) if needs_saved else None
    if corpus is None and saved is None:
        raise LaconicError(
            "No texts of documents were saved with this model; pass the documents as corpus=."
        )
    subject = subject_of(
        model,
        saved if corpus is None else corpus,
        n_words=n_words,
        reference=reference,
        random_state=random_state,
        source=source,
        max_documents=max_documents,
    )
    if corpus is None or saved is None:
        evaluation = compute_metrics(subject, names, strict=metrics is not None)
        used = dict.fromkeys(names, SAVED if corpus is None else GIVEN)
    else:
        parts = [
            (subject, [name for name in names if name not in COHERENCE]),
            (replace(subject, corpus=view.align(saved)), [n for n in names if n in COHERENCE]),
        ]
        evaluation = _combined(
            [compute_metrics(*part, strict=metrics is not None) for part in parts], names
        )
        used = {name: SAVED if name in COHERENCE else GIVEN for name in names}
    used |= dict.fromkeys(OF_TOPICS, "")
    evaluation.documents = {name: used[name] for name in evaluation}
    evaluation.unseen_words = [] if corpus is None else _unseen_words(subject)
    evaluation.notes = _notes(subject, evaluation, saved)
    return evaluation


def _combined(evaluations: Sequence[Evaluation], names: Sequence[str]) -> Evaluation:
    """Return several evaluations as one, with the metrics in the order of `names`."""
    values = {name: value for part in evaluations for name, value in part.items()}
    left_out = {name: why for part in evaluations for name, why in part.left_out.items()}
    combined = Evaluation(
        {name: values[name] for name in names if name in values},
        {name: left_out[name] for name in names if name in left_out},
    )
    for part in evaluations:
        combined.errors |= part.errors
        combined.sampled |= part.sampled
    return combined


def _unseen_words(subject: Subject) -> list[str]:
    """Return the top words that never occur in the documents, in alphabetical order."""
    assert subject.corpus.words is not None
    words = sorted({word for topic in subject.words for word in topic})
    occurs = columns_occur(subject.corpus, subject.corpus.words.columns(words))
    return [word for word, found in zip(words, occurs, strict=True) if not found]


def _notes(subject: Subject, evaluation: Evaluation, saved: Corpus | None) -> list[str]:
    """Return sentences about the documents that the metrics used."""
    used = set(evaluation.documents.values())
    n_given = plural(len(subject.corpus), "given document")
    sentences = []
    if SAVED in used and saved is not None:
        n_saved = plural(len(saved), "document")
        about = "Coherence is measured" if GIVEN in used else "The metrics are measured"
        sentences.append(f"{about} on the {n_saved} saved with the model (saved).")
        if GIVEN in used:
            sentences.append(f"The other metrics use the {n_given} (given).")
    if evaluation.unseen_words:
        n_words = len({word for topic in subject.words for word in topic})
        sentences.append(
            f"{len(evaluation.unseen_words):,} of {n_words:,} top words never occur in the "
            f"{n_given}."
        )
    if any(name in evaluation for name in OF_CLASSES):
        n_labelled = subject.n_labelled
        if n_labelled < len(subject.corpus):
            metrics = [name for name in OF_CLASSES if name in evaluation]
            names = " and ".join(metrics).capitalize()
            verb = "leaves" if len(metrics) == 1 else "leave"
            sentences.append(
                f"{names} {verb} out {len(subject.corpus) - n_labelled:,} of "
                f"{len(subject.corpus):,} documents, which have no label or no words."
            )
    if evaluation.sampled:
        *rest, last = evaluation.sampled
        names = " and ".join([", ".join(rest), last] if rest else [last]).capitalize()
        verb = "is" if len(evaluation.sampled) == 1 else "are"
        n_sampled = max(evaluation.sampled.values())
        sentences.append(
            f"{names} (±) {verb} estimated from {plural(n_sampled, 'document')} drawn at random."
        )
    return sentences


def _names(metrics: Iterable[str] | None, has_reference: bool, has_source: bool) -> list[str]:
    """Return the names of the metrics to compute, in the order of METRICS."""
    if metrics is None:
        of_sources = dict.fromkeys(("lone_topics", "npmi_sources"), has_source)
        applicable = {"subspace": has_reference, **of_sources}
        return [name for name, metric in METRICS.items() if metric.usual or applicable.get(name)]
    requested = [metrics] if isinstance(metrics, str) else list(metrics)
    for name in requested:
        if name not in METRICS:
            raise LaconicError(f"Unknown metric {name!r}; choose from {', '.join(METRICS)}.")
    return [name for name in METRICS if name in requested]


def compute_metrics(subject: Subject, names: Iterable[str], *, strict: bool = False) -> Evaluation:
    """Compute the named metrics; if `strict`, raise an error if a metric does not apply."""
    names = list(names)
    values, left_out = {}, {}
    # "reconstruction" is computed first, because it also computes the sums of other metrics.
    for name in sorted(names, key=lambda name: name != "reconstruction"):
        try:
            values[name] = METRICS[name].measure(subject)
        except NotApplicableError as reason:
            if strict:
                raise LaconicError(f"{name} cannot be computed: {reason}.") from reason
            left_out[name] = str(reason)
    return Evaluation(
        {name: values[name] for name in names if name in values},
        {name: left_out[name] for name in names if name in left_out},
    )


def subject_of(
    model: Any,
    corpus: Any,
    *,
    n_words: int = N_WORDS,
    reference: Any = None,
    random_state: int = 0,
    source: Any = None,
    max_documents: int | None = None,
) -> Subject:
    """Build the input of the metrics from a model of this library."""
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
            refit(view, documents, bootstrap, [random_state, i], max_documents).strongest_words(
                n_words
            )
            for i in range(n)
        ],
        reference=None if reference is None else _over_words_of(view, reference),
        random_state=random_state,
        source=None if source is None else source_numbers(source, len(documents)),
        max_documents=max_documents,
    )


def as_corpus(view: TopicView, documents: Any) -> Corpus:
    """Convert documents to a Corpus with the words of the model."""
    if takes_texts(view.model):
        raise LaconicError(
            f"evaluate needs a pipeline that accepts word counts, but "
            f"{type(view.model[0]).__name__} accepts only texts; use laconic.Vectorizer as the "
            "first step, or laconic.pipeline."
        )
    if isinstance(documents, Corpus):
        documents = view.align(documents)
    elif isinstance(documents, str):
        raise LaconicError(
            "evaluate needs a list of documents, not one string; to read a file, use laconic.read."
        )
    elif not sp.issparse(documents) and len(documents) and isinstance(documents[0], str):
        if not view.is_pipeline:
            raise LaconicError(
                "An estimator without a pipeline needs counts, not texts; pass a Corpus, or fit a "
                "laconic.pipeline."
            )
        documents = view.model[0].transform(documents)
    else:
        documents = Corpus(documents, view.names)
    if len(documents) == 0:
        raise LaconicError("There are no documents to evaluate the model on; pass at least one.")
    n_words = view.estimator.n_features_in_
    if documents.shape[1] != n_words:
        raise LaconicError(
            f"The documents have {documents.shape[1]:,} words (columns), but the model has "
            f"{n_words:,}; pass a Corpus with a vocabulary, so that words can be matched."
        )
    if documents.vocabulary is None:
        documents = Corpus(documents.counts, map(str, range(n_words)), labels=documents.labels)
    return documents


def mixtures(probabilities: np.ndarray, counts: sp.csr_matrix) -> np.ndarray:
    """Infer topic shares by expectation maximisation, in the same way for every model.

    Thus the perplexity depends only on the topics, not on how the model computes codes.
    """
    words = np.ascontiguousarray(probabilities.T, dtype=np.float64)
    params = words, float(PLSA().doc_smoothing), 0.0, False
    with make_engine("threads", None) as engine:
        parts = list(engine.map(mix_codes, params, Corpus(counts).chunks(split=4)))
    shares = np.vstack([np.asarray(part) for part in parts])
    empty = shares.sum(axis=1) == 0
    if empty.all():
        shares[:] = 1 / max(shares.shape[1], 1)
    elif empty.any():  # documents without words get the average shares
        shares[empty] = shares[~empty].mean(axis=0)
    return shares


def refit(
    view: TopicView, corpus: Corpus, bootstrap: bool, seed: list[int], max_documents: int | None
) -> TopicView:
    """Refit the model with another seed, and to a bootstrap sample if `bootstrap` is true."""
    random = np.random.default_rng(seed)
    if bootstrap:
        n_documents = len(corpus)
        rows = random.integers(n_documents, size=min(n_documents, max_documents or n_documents))
        corpus = corpus[rows if len(rows) == n_documents else np.sort(rows)]
    return TopicView(reseeded(view.model, int(random.integers(2**31 - 1))).fit(corpus))


def _word_encoder(view: TopicView) -> Any:
    if not hasattr(view.estimator, "word_codes"):
        return None
    return lambda corpus: view.estimator.word_codes(view.preprocess(corpus)).entries


def _over_words_of(view: TopicView, reference: Any) -> Any:
    """Return the topics of another model, with the words of this model as columns."""
    other = TopicView(reference)
    check_is_fitted(other.estimator, "components_")
    topics = other.estimator.components_
    if view.names is not None and other.names is not None:
        return view.align_topics(topics, other.names)
    if topics.shape[1] != view.n_columns:
        raise LaconicError(
            f"The reference has {topics.shape[1]:,} columns, but the model has "
            f"{view.n_columns:,}; fit both to a Corpus with a vocabulary, so that words can be "
            "matched."
        )
    return topics
