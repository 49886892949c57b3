"""One interface to laconic's models and to models of other libraries ("peers")."""

from __future__ import annotations

import logging
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from laconic.corpus.corpus import Corpus
from laconic.datasets import make_topics
from laconic.errors import LaconicError
from laconic.evaluation.evaluate import mixtures
from laconic.evaluation.peers import PEERS, Peer, saved_bytes
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import last_step
from laconic.metrics import Subject
from laconic.models import MODELS
from laconic.models.pipeline import pipeline
from laconic.saving.describe import describe
from laconic.saving.models import save

logger = logging.getLogger(__name__)

SHARES_FROM = 2000
"""Approximate number of documents used to estimate the topic shares of a peer."""


class Fitted(NamedTuple):
    """A fitted model, with the time of the fit.

    Attributes
    ----------
    model : estimator
        The fitted model, which accepts a Corpus.
    topics : object
        An object with ``components_``, ``topic_shares_`` and ``feature_names_in_``, so that the top
        words of all models are ranked by the same rule.
    probabilities : ndarray or None
        The topics, if they are distributions over words.
    seconds : float
        Wall-clock time of the fit.
    cpu_seconds : float
        CPU time of the fit, summed over all threads.
    n_bytes : int
        Size of the saved model.
    """

    model: Any
    topics: Any
    probabilities: np.ndarray | None
    seconds: float
    cpu_seconds: float
    n_bytes: int

    def subject(self, corpus: Corpus, n_words: int, seed: int) -> Subject:
        """Return the input of the metrics for the documents in `corpus`."""
        return Subject(
            corpus=corpus,
            words=TopicView(self.topics).strongest_words(n_words),
            components=self.topics.components_,
            encode=self.model.transform,
            probabilities=self.probabilities,
            mix=mixtures,
            random_state=seed,
        )


def check_name(name: str) -> None:
    """Raise an error if a model is unknown or its library is not installed."""
    if name in MODELS:
        return
    if name not in PEERS:
        names = ", ".join([*MODELS, *PEERS])
        raise LaconicError(f"Unknown model {name!r}; choose from {names}.")
    if not PEERS[name].installed:
        package = PEERS[name].package
        raise LaconicError(
            f"{name} needs {package}; install it with: pip install {package}, or leave {name} out."
        )


def learns_classes(name: str) -> bool:
    return hasattr(MODELS.get(name), "predict")


def warm_up(name: str) -> None:
    """Compile the kernels of a model, so that compilation is not timed."""
    if name in MODELS:
        corpus, _ = make_topics(60, 80, 3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            pipeline(name, n_components=3, max_iter=2, random_state=0).fit(corpus).transform(corpus)


def fit(
    name: str,
    corpus: Corpus,
    n_components: int,
    *,
    params: dict[str, Any],
    n_jobs: int | None,
    random_state: int,
) -> Fitted:
    """Fit one model and time it."""
    if name in MODELS:
        settings = {"random_state": random_state, "n_jobs": n_jobs, **params}
        model = pipeline(name, n_components=n_components, **settings)
    else:
        model = PEERS[name].make(n_components, random_state, n_jobs)
        last_step(model).set_params(**params)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        wall, cpu = time.perf_counter(), time.process_time()
        model.fit(corpus)
        clocks = time.perf_counter() - wall, time.process_time() - cpu
    for warning in caught:
        logger.info("%s, %d topics: %s", name, n_components, warning.message)
    if name in MODELS:
        view = TopicView(model)
        return Fitted(model, view.estimator, view.probabilities, *clocks, _own_bytes(model))
    return _fitted_peer(PEERS[name], model, corpus, clocks)


def _fitted_peer(peer: Peer, model: Any, corpus: Corpus, clocks: tuple[float, float]) -> Fitted:
    """Wrap a fitted peer; topics that are distributions are scaled to sum to one."""
    components = np.asarray(last_step(model).components_, dtype=np.float64)
    if peer.distributions:
        components /= np.maximum(components.sum(axis=1, keepdims=True), 1e-300)
    sample = corpus[:: max(1, len(corpus) // SHARES_FROM)]
    codes = np.abs(sp.csr_matrix(model.transform(sample)).sum(axis=0)).ravel()
    topics = SimpleNamespace(
        components_=components,
        topic_shares_=np.asarray(codes / max(codes.sum(), 1e-300)).ravel(),
        feature_names_in_=corpus.vocabulary,
        TOPICS_ARE_DISTRIBUTIONS=peer.distributions,
    )
    probabilities = components if peer.distributions else None
    return Fitted(model, topics, probabilities, *clocks, saved_bytes(model))


def _own_bytes(model: Any) -> int:
    with TemporaryDirectory() as folder:
        return int(describe(save(model, Path(folder) / "model"))["bytes"])
