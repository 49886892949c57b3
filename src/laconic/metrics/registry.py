"""Registry of metrics by name; each metric maps a `Subject` to one number.

If a metric used a sample of the documents, the number is an `Estimate` with a standard error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.metrics.classification import accuracy
from laconic.metrics.coherence import coherence
from laconic.metrics.estimates import Estimate, error_of_mean, error_of_share, unseen_share
from laconic.metrics.evaluation_data import NotApplicableError, Subject
from laconic.metrics.likelihood import completion_likelihood
from laconic.metrics.retrieval import neighbour_precisions
from laconic.metrics.sources import are_lone, merge_sources, source_numbers
from laconic.metrics.stability import agreement, agreement_error
from laconic.metrics.subspace import subspace_distance
from laconic.metrics.support import least_support
from laconic.metrics.topics import diversity, effective_dimension, redundancy, zeros

N_REFITS = 4  # number of refits for the stability metrics


class Metric(NamedTuple):
    """A metric of a fitted model.

    Attributes
    ----------
    measure : callable
        `Subject` -> float; raises `NotApplicableError` if the metric does not apply.
    better : str
        "higher", "lower", or "" if neither is better.
    about : str
        One-line description.
    usual : bool
        Whether `laconic.evaluate` computes the metric by default.

    Examples
    --------
    >>> from laconic.metrics import METRICS
    >>> METRICS["diversity"].better
    'higher'
    >>> METRICS["diversity"].about
    'share of distinct words among all top words'
    """

    measure: Callable[[Subject], float]
    better: str
    about: str
    usual: bool = True


def _coherence(measure: str) -> Callable[[Subject], float]:
    def mean(subject: Subject) -> float:
        if not any(len(words) > 1 for words in subject.words):
            raise NotApplicableError("no topic has two or more words")
        return float(np.mean(subject.coherence[measure]))

    return mean


def _diversity(subject: Subject) -> float:
    if not any(subject.words):
        raise NotApplicableError("no topic has any words")
    return diversity(subject.words)


def _redundancy(subject: Subject) -> float:
    if subject.components.shape[0] < 2:
        raise NotApplicableError("the model has fewer than two topics")
    return redundancy(subject.components)


def _topics_per_document(subject: Subject) -> float:
    filled = subject.sums.filled
    n_topics = subject.components.shape[0]
    if not filled.size:
        raise NotApplicableError("no document has words of the model's vocabulary")
    return filled.nonzero / (filled.size // n_topics)


def _weak_topics(subject: Subject) -> float:
    support = subject.sums.totals.effective_documents
    return float(np.mean(support < least_support(support, subject.sums.n_documents)))


def _perplexity(subject: Subject) -> float:
    mixtures, held_out = subject.completion
    if not held_out.nnz:
        raise NotApplicableError("no document has two words from the vocabulary of the model")
    assert subject.probabilities is not None  # otherwise, `completion` has raised an error
    likelihood = completion_likelihood(subject.probabilities, mixtures, held_out)
    n_sampled, n_documents = held_out.shape[0], len(subject.corpus)
    if n_sampled == n_documents:
        return likelihood.perplexity
    error = likelihood.error * unseen_share(n_sampled, n_documents)
    return Estimate(likelihood.perplexity, error, n_sampled)


def _accuracy(subject: Subject) -> float:
    codes, classes = subject.labelled
    try:
        value = accuracy(codes, classes, random_state=subject.random_state)
    except LaconicError as error:  # raised if the classes have too few documents
        raise NotApplicableError(str(error)) from error
    if len(classes) == subject.n_labelled:
        return value
    share = unseen_share(len(classes), subject.n_labelled)
    return Estimate(value, error_of_share(value, len(classes)) * share, len(classes))


def _neighbours(subject: Subject) -> float:
    codes, classes = subject.labelled
    values = neighbour_precisions(codes, classes, random_state=subject.random_state)
    value = float(np.mean(values)) if len(values) else 0.0
    if len(classes) == subject.n_labelled:
        return value
    return Estimate(value, error_of_mean(values), len(classes))


def _stability(bootstrap: bool) -> Callable[[Subject], float]:
    def overlap(subject: Subject) -> float:
        if subject.refits is None:
            raise NotApplicableError("the model cannot be refitted")
        fits = [subject.words, *subject.refits(N_REFITS, bootstrap)]
        limit = subject.max_documents
        if not bootstrap or limit is None or len(subject.corpus) <= limit:
            return agreement(fits)
        return Estimate(agreement(fits), agreement_error(fits), limit)

    return overlap


def _subspace(subject: Subject) -> float:
    if subject.reference is None:
        raise NotApplicableError("no other model was passed as reference")
    return subspace_distance(subject.components, subject.reference)


def _sources(subject: Subject) -> np.ndarray:
    """Return the number of the source of each document."""
    if subject.source is None:
        raise NotApplicableError("no sources of the documents were passed (source=)")
    numbers = source_numbers(subject.source, len(subject.corpus))
    if not numbers.any():
        raise NotApplicableError("all documents have the same source")
    return numbers


def _lone_topics(subject: Subject) -> float:
    numbers = _sources(subject)
    assert subject.sums.leading is not None
    return float(np.mean(are_lone(subject.sums.leading, numbers)))


def _npmi_sources(subject: Subject) -> float:
    numbers = _sources(subject)
    if not any(len(words) > 1 for words in subject.words):
        raise NotApplicableError("no topic has two or more words")
    assert subject.corpus.words is not None
    columns = subject.corpus.words.columns({word for topic in subject.words for word in topic})
    columns = np.sort(columns[columns >= 0])  # merging needs only the columns of top words
    words = subject.corpus.words.words[columns]
    counts = sp.vstack(
        [chunk.load()[:, columns] for chunk in subject.corpus.weighted(None).chunks()], format="csr"
    )
    merged = merge_sources(Corpus(counts, words), numbers)
    return float(np.mean(coherence(subject.words, merged, "npmi")))


METRICS: dict[str, Metric] = {
    "npmi": Metric(_coherence("npmi"), "higher", "top words of a topic co-occur, -1 to 1"),
    "c_v": Metric(
        _coherence("c_v"), "higher", "top words of a topic co-occur with the same words, 0 to 1"
    ),
    "diversity": Metric(_diversity, "higher", "share of distinct words among all top words"),
    "redundancy": Metric(
        _redundancy, "lower", "cosine between a topic and its most similar topic, mean over topics"
    ),
    "support": Metric(
        lambda subject: float(np.median(subject.sums.totals.effective_documents)),
        "higher",
        "effective number of documents of a topic, median over topics",
    ),
    "weak_topics": Metric(
        _weak_topics,
        "lower",
        "share of topics with support below half of the median, or below documents / topics / 5",
    ),
    "topic_zeros": Metric(
        lambda subject: zeros(subject.components), "", "share of zeros in the topics"
    ),
    "effective_dimension": Metric(
        lambda subject: effective_dimension(subject.components),
        "",
        "number of topics in which a word has a weight, mean over words",
        usual=False,
    ),
    "document_zeros": Metric(
        lambda subject: subject.sums.entries.zeros, "", "share of zeros in the codes of documents"
    ),
    "topics_per_document": Metric(
        _topics_per_document, "", "mean number of non-zero codes of documents that have words"
    ),
    "word_zeros": Metric(
        lambda subject: subject.word_entries.zeros, "", "share of zeros in the codes of words"
    ),
    "perplexity": Metric(
        _perplexity, "lower", "perplexity of held-out words, given the other half of the document"
    ),
    "reconstruction": Metric(
        lambda subject: subject.products.unexplained,
        "lower",
        "share of the squared norm of the documents that the codes do not explain",
    ),
    "accuracy": Metric(
        _accuracy,
        "higher",
        "accuracy of a linear SVM that predicts the class from the codes, 5-fold cross-validation",
    ),
    "neighbours": Metric(
        _neighbours,
        "higher",
        "mean average precision of the retrieval of documents of the same class",
    ),
    "lone_topics": Metric(
        _lone_topics,
        "lower",
        "share of topics with half or more of their 20 leading documents from one source",
        usual=False,
    ),
    "npmi_sources": Metric(
        _npmi_sources,
        "higher",
        "top words of a topic are used by the same sources, -1 to 1",
        usual=False,
    ),
    "stability": Metric(
        _stability(bootstrap=False),
        "higher",
        f"overlap of the top words of matched topics across {N_REFITS} refits with other seeds",
        usual=False,
    ),
    "bootstrap": Metric(
        _stability(bootstrap=True),
        "higher",
        "like stability, but each refit uses a bootstrap sample of the documents",
        usual=False,
    ),
    "subspace": Metric(
        _subspace, "lower", "distance between the topic spaces of two models", usual=False
    ),
}
