"""Value of the topic graph, measured with SCTM with and without ``correlated``.

The objective of the joint fit must fall at every step, and the fit must converge. The model must
predict held-out words no worse than without the graph, and the edges of the graph must recur if it
is fitted to other documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.stats import hypergeom

from benchmarks.harness import Goal, Run, at_least, at_most, threads
from benchmarks.likelihood import EM, OWN, PRIORS, Dealt, OurSCTM, Way, deal, perplexity
from benchmarks.newsgroups import newsgroup_halves
from benchmarks.nips import nips, without_words
from laconic import SCTM, topic_graph
from laconic.corpus.chunks import MemoryChunk
from laconic.models.sctm.graph_prior import GraphPrior
from laconic.models.sctm.solver import Prior, code_sums

N_SPLITS = 5
MOST_PASSES = 100
ROUNDING = 1e-9  # maximum relative rise of an objective that counts as a rounding error


class Parts(NamedTuple):
    """Training counts, and validation and test documents whose words are split in two halves."""

    train: sp.csr_matrix
    validation: Dealt
    test: Dealt
    vocabulary: np.ndarray


def sctm_graph(run: Run) -> None:
    """Correlated topics on NIPS and 20 Newsgroups: convergence, held-out words, stable edges."""
    p = 4 if run.smoke else 50
    for name, parts in {"NIPS": _nips(run), "20 Newsgroups": _newsgroups(run)}.items():
        run.note(
            f"{name}: p={p}, {parts.train.shape[0]:,} training documents, "
            f"{parts.test.seen.shape[0]:,} test documents."
        )
        with threads(1):
            plain = OurSCTM(p, run.seed).fit(parts.train)
            joint = OurSCTM(p, run.seed, correlated=True).fit(parts.train)
            _convergence(run, name, joint.model)
            _held_out(run, name, plain, joint, parts)
            _edges_alone(run, name, joint, parts)
            _repeated_edges(run, name, joint.model, parts.train)
        _strongest(run, name, joint.model, parts.vocabulary)


def _nips(run: Run) -> Parts:
    papers = nips(run)
    dealt = (deal(papers.part(part), run.seed) for part in (papers.is_validation, papers.is_test))
    return Parts(papers.part(papers.is_train), *dealt, papers.vocabulary)


def _newsgroups(run: Run) -> Parts:
    halves = newsgroup_halves(run)
    train = halves.train[~halves.is_validation]
    known = train.getnnz(axis=0) > 0
    dealt = (
        deal(without_words(part, known), run.seed)
        for part in (halves.train[halves.is_validation], halves.test)
    )
    return Parts(train, *dealt, halves.vocabulary)


def _convergence(run: Run, name: str, model: SCTM) -> None:
    objective = np.asarray(model.objective_)
    rises = np.diff(objective) / np.abs(objective[:-1])
    run.row(
        f"largest relative rise of the objective, {name}",
        max(0.0, float(rises.max(initial=0.0))),
        "",
        goal=at_most(ROUNDING, of="value"),
    )
    run.row(
        f"passes until it stops by its tolerance, {name}",
        model.n_iter_,
        "passes",
        goal=Goal("stops by itself", lambda _: bool(model.converged_), "value"),
    )
    pairs = _pairs(model.topic_precision_)
    run.row(f"edges, {name}", np.count_nonzero(pairs), "", goal=at_least(1))
    run.row(f"edges of all pairs of topics, {name}", 100 * np.mean(pairs != 0), "%")


def _pairs(precision: np.ndarray) -> np.ndarray:
    """Return the entries above the diagonal, one for each pair of topics."""
    return precision[np.triu_indices(len(precision), 1)]


# --- held-out words ------------------------------------------------------------------------------


def _held_out(run: Run, name: str, plain: OurSCTM, joint: OurSCTM, parts: Parts) -> None:
    """Compare document completion with and without the graph, for mixtures by SCTM and by EM.

    The prior of the mixtures is chosen on the validation documents.
    """
    for kind in (OWN, EM):
        scores = {}
        for which, ours in (("plain", plain), ("joint", joint)):
            priors = (None,) if kind == OWN else PRIORS
            ways = [Way(0.0, which, _same(ours), kind, prior) for prior in priors]
            best = min(ways, key=lambda way: _score(ours, way, parts.validation))
            scores[which] = _score(ours, best, parts.test)
        run.row(
            f"perplexity, {name}, correlated, {kind}",
            scores["joint"],
            "",
            peer="not correlated",
            peer_value=scores["plain"],
            goal=at_most(1.0),
        )


def _same(ours: OurSCTM) -> Callable[[], Any]:
    return lambda: ours


def _score(ours: OurSCTM, way: Way, dealt: Dealt) -> float:
    return perplexity(ours.topics(), way.of(ours, dealt.seen), dealt.hidden)


def _edges_alone(run: Run, name: str, joint: OurSCTM, parts: Parts) -> None:
    """Compare codes with and without the edges, for the same topics and variances.

    Two separate fits could end in different optima; here, only the edges differ.
    """
    model = joint.model
    graph = model._prior()
    variances = np.diag(np.linalg.inv(graph.precision))
    scores = []
    for precision in (graph.precision, np.diag(1 / variances)):
        model.topic_precision_ = precision
        mixtures = joint.mixtures(parts.test.seen, None)
        scores.append(perplexity(joint.topics(), mixtures, parts.test.hidden))
    model.topic_precision_ = graph.precision
    run.row(
        f"perplexity, {name}, codes with the edges",
        scores[0],
        "",
        peer="the same topics and variances without edges",
        peer_value=scores[1],
        goal=at_most(1.0),
    )


# --- edges that recur on other documents ---------------------------------------------------------


class Overlap(NamedTuple):
    """Common edges of two graphs with the same topics."""

    common: int  # number of edges that both graphs have with the same sign
    expected: float  # expected number if the edges of one graph were random pairs of topics
    unlikely: float  # 95 % quantile of this number


def overlap(first: np.ndarray, second: np.ndarray) -> Overlap:
    """Count the common edges of two precision matrices; add the number expected by chance."""
    a, b = _pairs(first), _pairs(second)
    n_a, n_b = np.count_nonzero(a), np.count_nonzero(b)
    common = int(np.count_nonzero((a != 0) & (np.sign(a) == np.sign(b))))
    return Overlap(common, n_a * n_b / len(a), float(hypergeom.ppf(0.95, len(a), n_a, n_b)))


def _repeated_edges(run: Run, name: str, model: SCTM, X: sp.csr_matrix) -> None:
    random = np.random.default_rng(run.seed)
    found = []
    for _ in range(1 if run.smoke else N_SPLITS):
        first = random.permutation(X.shape[0]) % 2 == 0
        graphs = [precision_of(model, X[rows]) for rows in (first, ~first)]
        found.append(overlap(*graphs))
    common, expected, unlikely = (float(np.mean(column)) for column in zip(*found, strict=True))
    run.row(
        f"edges of one half of the documents that the other half has, {name}",
        common,
        "",
        peer="by chance",
        peer_value=expected,
        goal=Goal("more than 19 of 20 draws by chance", lambda value: value > unlikely, "value"),
    )


def precision_of(model: SCTM, X: sp.csr_matrix) -> np.ndarray:
    """Fit the scales, means and edges of the graph to other documents, with the same topics."""
    words = np.ascontiguousarray(model.components_.T)
    chunk, plain = MemoryChunk(X, 0, X.shape[0]), Prior(model.alpha_)
    params = plain.params(words)
    sums, codes = code_sums(params, chunk, None)
    prior = GraphPrior.after(plain, params, sums, model.graph_alpha)
    objective = prior.objective(params.gram, sums)
    for _ in range(MOST_PASSES):
        prior.improve(sums)
        sums, codes = code_sums(prior.params(words), chunk, codes)
        before, objective = objective, prior.objective(params.gram, sums)
        if before - objective <= model.tol * abs(objective):
            break
    return prior.precision


def _strongest(run: Run, name: str, model: SCTM, vocabulary: np.ndarray) -> None:
    for edge in topic_graph(model, n_words=3).head(8).rows(named=True):
        words = [_named(edge[side], model, edge[topic], vocabulary)
                 for side, topic in (("words", "topic"), ("other_words", "other"))]  # fmt: skip
        run.note(f"{name}, {edge['weight']:+.2f}: {words[0]} and {words[1]}.")


def _named(words: Any, model: SCTM, topic: int, vocabulary: np.ndarray) -> str:
    """Return the top words of a topic; needed because the model was fitted without a vocabulary."""
    order = np.argsort(-model.components_[topic], kind="stable")[:3]
    return " ".join(str(word) for word in vocabulary[order])
