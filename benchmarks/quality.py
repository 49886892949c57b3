"""Coherence of topics and accuracy of codes on 20 Newsgroups with 50 topics.

Every model goes through the same protocol. *Reading*: the model is fitted to all posts, and c_v (as
counted by gensim) and diversity are computed for the ten strongest words of each topic.
*Classification*: the vocabulary, the weights and the model come from the training half only. C, the
scaling of the codes and the settings of a model are chosen on a held-out part of the training half,
and the test half is scored once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from benchmarks.data import VECTORIZER, Posts, newsgroups
from benchmarks.harness import Goal, Run, at_least, at_most
from laconic import SparseLSA, Vectorizer, Weighting
from laconic.metrics import coherence, diversity
from laconic.models.sparse_lsa.estimator import ALPHA_SCALE

TOP = 10
C_GRID = (0.01, 0.1, 1.0, 10.0)
SCALINGS = ("codes as they are", "codes as unit rows")
ALPHA_FACTORS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # candidates for alpha / default alpha
MEASURES = {  # metric -> unit
    "c_v": "",
    "diversity": "",
    "accuracy": "",
    "zeros": "%",
    "non-zeros, training half": "%",
    "seconds": "s",
}
MOST_NONZERO = 10.0  # maximum % of non-zeros in the components of the model for classification


class Protocol(NamedTuple):
    """Data and settings shared by all models."""

    run: Run
    X: sp.csr_matrix  # all posts
    words: np.ndarray
    tokens: list[list[str]]  # words of all posts in order, without stop words
    train: sp.csr_matrix  # training half, with its own vocabulary and weights
    test: sp.csr_matrix
    labels: np.ndarray
    test_labels: np.ndarray


class Scored(NamedTuple):
    """A setting for classification, and its accuracy on the held-out posts."""

    accuracy: float
    make: Callable[[int], Any]  # creates a model, given the number of documents
    scaling: str
    C: float


def slsa_quality(run: Run) -> None:
    """Coherence, diversity, accuracy, zeros and time of Sparse LSA, NMF and TruncatedSVD."""
    K = 5 if run.smoke else 50
    given = _prepare(run, newsgroups(run))
    seed = run.seed
    run.note(
        f"{given.X.shape[0]:,} posts x {given.X.shape[1]:,} words, balanced tf-idf, {K} topics; "
        f"the training half has {given.train.shape[0]:,} posts x {given.train.shape[1]:,} words. "
        f"LinearSVC classifies codes. C from {C_GRID} and the scaling (codes as they are, or rows "
        "of unit length) are chosen on a fifth of the training half."
    )
    bar = _judge(given, "NMF", lambda n: NMF(K, init="nndsvd", random_state=seed), {})
    twenty = "Sparse LSA, words_per_topic=20"
    _judge(
        given,
        twenty,
        lambda n: SparseLSA(K, words_per_topic=20, positive=True, random_state=seed),
        bar,
        goals={"c_v": at_least(0.82), "diversity": at_least(0.93)},
        word_goals=True,
    )
    default = "Sparse LSA, pipeline default"
    _judge(given, default, lambda n: SparseLSA(K, positive=True, random_state=seed), bar)
    _judge_chosen(given, K, bar)
    _judge(given, "TruncatedSVD", lambda n: TruncatedSVD(K, n_iter=5, random_state=seed), bar)


# --- the protocol --------------------------------------------------------------------------------


def _prepare(run: Run, posts: Posts) -> Protocol:
    corpus = posts.counted()
    vectorizer = Vectorizer(**VECTORIZER)
    weighting = Weighting("tfidf-balanced")
    train_rows, test_rows = np.flatnonzero(posts.is_train), np.flatnonzero(~posts.is_train)
    train = weighting.fit_transform(
        vectorizer.fit_transform([posts.bodies[row] for row in train_rows]).counts
    )
    test = weighting.transform(
        vectorizer.transform([posts.bodies[row] for row in test_rows]).counts
    )
    return Protocol(
        run,
        Weighting("tfidf-balanced").fit_transform(corpus.counts),
        corpus.vocabulary,
        _tokens(posts.bodies),
        train,
        test,
        posts.labels[train_rows],
        posts.labels[test_rows],
    )


def _judge(
    given: Protocol,
    name: str,
    make: Callable[[int], Any],
    bar: Mapping[str, float],
    *,
    goals: Mapping[str, Goal] | None = None,
    word_goals: bool = False,
    scored: Scored | None = None,
) -> dict[str, float]:
    """Add all rows of a model, compared with NMF.

    `scored` is the setting for classification; if it is None, it is chosen here.
    """
    start = time.perf_counter()
    model = make(given.X.shape[0]).fit(given.X)
    seconds = time.perf_counter() - start
    components = sp.csr_matrix(model.components_)
    topics = top_words(components, given.words)
    chosen = scored or choose(given, make)
    figures = {"diversity": diversity(topics)}
    figures["accuracy"], nonzero = test_accuracy(given, chosen)
    figures["c_v"] = float(coherence(topics, given.tokens, "c_v", compatible=True).mean())
    figures["zeros"] = 100 - nonzeros(model)
    figures["non-zeros, training half"] = nonzero
    figures["seconds"] = seconds
    for measure in MEASURES:
        if measure in figures:
            given.run.row(
                f"{measure}, {name}",
                figures[measure],
                MEASURES[measure],
                peer="NMF" if bar else None,
                peer_value=bar.get(measure),
                goal=(goals or {}).get(measure),
            )
    given.run.note(
        f"{name}: C={chosen.C:g}, {chosen.scaling}, accuracy on the held-out posts "
        f"{chosen.accuracy:.3f}."
    )
    if word_goals:
        _word_rows(given.run, name, np.diff(components.indptr))
    return figures


def _word_rows(run: Run, name: str, counts: np.ndarray) -> None:
    run.row(f"fewest words in a topic, {name}", counts.min(), "words", goal=at_least(15))
    run.row(
        f"mean words in a topic, {name}",
        counts.mean(),
        "words",
        goal=Goal("18 to 22", lambda value: 18 <= value <= 22, "value"),
    )
    run.row(f"most words in a topic, {name}", counts.max(), "words", goal=at_most(25, of="value"))


# --- classifying ---------------------------------------------------------------------------------


def _judge_chosen(given: Protocol, K: int, bar: Mapping[str, float]) -> None:
    """Evaluate the sparse setting with the best accuracy on the held-out posts."""
    best: tuple[Scored, str] | None = None
    for positive in (False, True):
        for factor in ALPHA_FACTORS if not given.run.smoke else (1.0, 4.0):

            def make(n: int, positive: bool = positive, factor: float = factor) -> SparseLSA:
                alpha = factor * ALPHA_SCALE * np.sqrt(n)
                return SparseLSA(K, alpha=alpha, positive=positive, random_state=given.run.seed)

            scored = choose(given, make, most_nonzero=MOST_NONZERO)
            if scored is not None and (best is None or scored.accuracy > best[0].accuracy):
                best = scored, f"alpha={factor:g} x default{', positive' if positive else ''}"
    if best is None:
        given.run.note(f"No setting has at most {MOST_NONZERO:g} % non-zeros.")
        return
    name = f"Sparse LSA, chosen to classify ({best[1]})"
    goals = {
        "accuracy": at_least(0.73),
        "non-zeros, training half": at_most(MOST_NONZERO, of="value"),
    }
    _judge(given, name, best[0].make, bar, goals=goals, scored=best[0])


def choose(
    given: Protocol, make: Callable[[int], Any], most_nonzero: float | None = None
) -> Scored | None:
    """Choose C and the scaling of codes on a fifth of the training half.

    Return None if the model has more than `most_nonzero` % non-zeros.
    """
    rows = np.arange(given.train.shape[0])
    fit_rows, held_out = train_test_split(
        rows, test_size=0.2, random_state=given.run.seed, stratify=given.labels
    )
    # the limit on non-zeros applies to the model fitted to the whole training half
    if most_nonzero is not None and nonzeros(make(len(rows)).fit(given.train)) > most_nonzero:
        return None
    model = make(len(fit_rows)).fit(given.train[fit_rows])
    codes = model.transform(given.train)
    options = []
    for scaling in SCALINGS:
        scaled = scale(codes, scaling, codes[fit_rows])
        for C in C_GRID:
            svm = LinearSVC(C=C).fit(scaled[fit_rows], given.labels[fit_rows])
            accuracy = svm.score(scaled[held_out], given.labels[held_out])
            options.append(Scored(accuracy, make, scaling, C))
    return max(options, key=lambda option: option.accuracy)


def test_accuracy(given: Protocol, chosen: Scored) -> tuple[float, float]:
    """Return the accuracy on the test half and the % of non-zeros of the model."""
    model = chosen.make(given.train.shape[0]).fit(given.train)
    codes, test_codes = model.transform(given.train), model.transform(given.test)
    svm = LinearSVC(C=chosen.C).fit(scale(codes, chosen.scaling, codes), given.labels)
    accuracy = svm.score(scale(test_codes, chosen.scaling, codes), given.test_labels)
    return accuracy, nonzeros(model)


def scale(codes: Any, scaling: str, reference: Any) -> Any:
    """Scale each code to unit length, or all codes by one number.

    The number makes values of C comparable between models.
    """
    if scaling == SCALINGS[1]:
        return normalize(codes)
    squares = reference.multiply(reference) if sp.issparse(reference) else reference**2
    return codes / np.sqrt(squares.mean() * reference.shape[1])


def nonzeros(model: Any) -> float:
    components = model.components_
    count = components.nnz if sp.issparse(components) else np.count_nonzero(components)
    return 100 * count / np.prod(components.shape)


# --- reading -------------------------------------------------------------------------------------


def top_words(components: sp.csr_matrix, words: np.ndarray) -> list[list[str]]:
    """Return the words of each topic with the largest absolute weights."""
    topics = []
    for start, stop in zip(components.indptr[:-1], components.indptr[1:], strict=True):
        order = np.argsort(-np.abs(components.data[start:stop]), kind="stable")[:TOP]
        topics.append([str(words[column]) for column in components.indices[start:stop][order]])
    return topics


def _tokens(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text in order, without stop words."""
    analyze = CountVectorizer(**VECTORIZER).build_analyzer()
    return [analyze(text) for text in texts]
