"""The measures of a model by name: each takes a `Subject` and gives one number."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from laconic.errors import LaconicError
from laconic.metrics.classification import accuracy
from laconic.metrics.coherence import coherence
from laconic.metrics.evaluation_data import NotApplicableError, Subject
from laconic.metrics.likelihood import completion_perplexity, unexplained
from laconic.metrics.retrieval import neighbour_precision
from laconic.metrics.stability import agreement
from laconic.metrics.subspace import subspace_distance
from laconic.metrics.topics import diversity, redundancy, zeros

N_REFITS = 4


class Metric(NamedTuple):
    """A measure of a fitted model.

    Attributes
    ----------
    measure : callable
        `Subject` -> float; raises `NotApplicableError` where the model has no such thing.
    better : str
        "higher", "lower", or "" where neither is better.
    about : str
        What it says, in a line.
    usual : bool
        Whether it is taken without being asked for.
    """

    measure: Callable[[Subject], float]
    better: str
    about: str
    usual: bool = True


def _coherence(measure: str) -> Callable[[Subject], float]:
    def mean(subject: Subject) -> float:
        if not any(len(words) > 1 for words in subject.words):
            raise NotApplicableError("no topic has two words")
        return float(np.mean(coherence(subject.words, subject.corpus, measure)))

    return mean


def _diversity(subject: Subject) -> float:
    if not any(subject.words):
        raise NotApplicableError("no topic has words")
    return diversity(subject.words)


def _redundancy(subject: Subject) -> float:
    if subject.components.shape[0] < 2:
        raise NotApplicableError("there is one topic only")
    return redundancy(subject.components)


def _perplexity(subject: Subject) -> float:
    mixtures, held = subject.completion
    if not held.nnz:
        raise NotApplicableError("no document has two words that the model knows")
    assert subject.probabilities is not None  # else there were no mixtures
    return completion_perplexity(subject.probabilities, mixtures, held)


def _accuracy(subject: Subject) -> float:
    codes, classes = subject.labelled
    try:
        return accuracy(codes, classes, random_state=subject.random_state)
    except LaconicError as error:  # too few documents of each class
        raise NotApplicableError(str(error)) from error


def _stability(bootstrap: bool) -> Callable[[Subject], float]:
    def overlap(subject: Subject) -> float:
        if subject.refits is None:
            raise NotApplicableError("the model cannot be fitted again")
        return agreement([subject.words, *subject.refits(N_REFITS, bootstrap)])

    return overlap


def _subspace(subject: Subject) -> float:
    if subject.reference is None:
        raise NotApplicableError("there is no other model to compare with")
    return subspace_distance(subject.components, subject.reference)


METRICS: dict[str, Metric] = {
    "npmi": Metric(_coherence("npmi"), "higher", "words of a topic occur near each other, -1 to 1"),
    "c_v": Metric(_coherence("c_v"), "higher", "words of a topic have the same company, 0 to 1"),
    "diversity": Metric(_diversity, "higher", "share of distinct words among all top words"),
    "redundancy": Metric(_redundancy, "lower", "cosine of a topic with the one most like it"),
    "topic_zeros": Metric(
        lambda subject: zeros(subject.components), "", "share of zeros in the weights of words"
    ),
    "document_zeros": Metric(
        lambda subject: zeros(subject.codes), "", "share of zeros in the codes of documents"
    ),
    "word_zeros": Metric(
        lambda subject: zeros(subject.word_codes), "", "share of zeros in the codes of words"
    ),
    "perplexity": Metric(
        _perplexity, "lower", "choices left for a word, from the other half of its document"
    ),
    "reconstruction": Metric(
        lambda subject: unexplained(subject.weights, subject.codes),
        "lower",
        "share of the squared weights that the codes do not give back",
    ),
    "accuracy": Metric(
        _accuracy,
        "higher",
        "share of documents whose class a linear SVM finds from the codes, 5 folds",
    ),
    "neighbours": Metric(
        lambda subject: neighbour_precision(*subject.labelled, random_state=subject.random_state),
        "higher",
        "mean average precision of finding documents of the same class",
    ),
    "stability": Metric(
        _stability(bootstrap=False),
        "higher",
        f"overlap of topics with those of {N_REFITS} more fits, other seeds",
        usual=False,
    ),
    "bootstrap": Metric(
        _stability(bootstrap=True),
        "higher",
        "the same where each fit has documents drawn anew",
        usual=False,
    ),
    "subspace": Metric(
        _subspace, "lower", "distance of the topics from those of another model", usual=False
    ),
}
