"""Document completion: PLSA and SCTM compared with LDA.

The words of a test document are split at random into two halves. The topic mixture that is inferred
from the first half must predict the second half. Each library infers its own topics and mixtures.
Settings (priors of the fit, prior of the mixtures) are chosen on held-out validation documents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import LatentDirichletAllocation

from benchmarks.harness import Goal, Run, at_least, at_most, faster, race, threads
from benchmarks.newsgroups import Halves, newsgroup_halves
from benchmarks.papers.comparison import TomotopyLDA, svm_accuracy
from laconic import PLSA, SCTM
from laconic.models.plsa.mixture import mix

PRIORS = (0.005, 0.02, 0.05, 0.1, 0.2, 0.5)
SPARSE = -0.05
OWN, EM = "its own mixtures", "mixtures by EM"


class Mixture(Protocol):
    """Model in which each document is a mixture of topics."""

    priors: tuple[float | None, ...]  # candidates for the prior of the model's own mixtures

    def fit(self, X: sp.csr_matrix) -> Mixture: ...

    def topics(self) -> np.ndarray: ...

    def mixtures(self, X: sp.csr_matrix, prior: float | None) -> np.ndarray:
        """Return topic shares; `prior` is added to the count of each topic.

        If `prior` is None, the prior of the fit is used.
        """
        ...


# --- the models ----------------------------------------------------------------------------------


class OurPLSA:
    """PLSA on one thread."""

    priors: tuple[float | None, ...] = PRIORS

    def __init__(self, n_topics: int, seed: int, **options: Any):
        self.model = PLSA(n_topics, random_state=seed, n_jobs=1, **options)
        self.prior = self.model.doc_smoothing

    def fit(self, X: sp.csr_matrix) -> OurPLSA:
        self.model.fit(X)
        return self

    def topics(self) -> np.ndarray:
        return self.model.components_

    def mixtures(self, X: sp.csr_matrix, prior: float | None) -> np.ndarray:
        self.model.set_params(doc_smoothing=self.prior if prior is None else prior)
        return self.model.transform(X).toarray()


class OurSCTM:
    """SCTM on one thread, with smoothed topics and with codes that are scaled to sum to one."""

    priors: tuple[float | None, ...] = (None,)

    def __init__(self, n_topics: int, seed: int, **options: Any):
        self.model = SCTM(n_topics, random_state=seed, n_jobs=1, **options)

    def fit(self, X: sp.csr_matrix) -> OurSCTM:
        self.model.fit(X)
        return self

    def topics(self) -> np.ndarray:
        return self.model.probabilities_

    def mixtures(self, X: sp.csr_matrix, prior: float | None) -> np.ndarray:
        return shares(self.model.transform(X).toarray(), self.model.topic_shares_)


class SklearnLDA:
    """Variational LDA over all documents."""

    priors: tuple[float | None, ...] = PRIORS

    def __init__(self, n_topics: int, seed: int, passes: int, **options: Any):
        self.model = LatentDirichletAllocation(
            n_topics, learning_method="batch", max_iter=passes, random_state=seed, **options
        )

    def fit(self, X: sp.csr_matrix) -> SklearnLDA:
        self.model.fit(X)
        self.prior = self.model.doc_topic_prior_
        return self

    def topics(self) -> np.ndarray:
        return self.model.components_ / self.model.components_.sum(axis=1, keepdims=True)

    def mixtures(self, X: sp.csr_matrix, prior: float | None) -> np.ndarray:
        self.model.doc_topic_prior_ = self.prior if prior is None else prior
        return self.model.transform(X)


class GensimLDA:
    """Variational LDA in batches; the documents are converted before timing."""

    priors: tuple[float | None, ...] = (None, *PRIORS)

    def __init__(self, n_topics: int, seed: int, passes: int, **options: Any):
        self.make = lambda documents, words: _gensim_model(
            documents, words, num_topics=n_topics, random_state=seed, passes=passes, **options
        )

    def prepare(self, X: sp.csr_matrix) -> None:
        self.documents = bags(X)

    def fit(self, X: sp.csr_matrix) -> GensimLDA:
        self.model = self.make(self.documents, X.shape[1])
        self.prior = self.model.alpha.copy()
        return self

    def topics(self) -> np.ndarray:
        return self.model.get_topics()

    def mixtures(self, X: sp.csr_matrix, prior: float | None) -> np.ndarray:
        self.model.alpha = self.prior if prior is None else np.full_like(self.prior, prior)
        gamma, _ = self.model.inference(bags(X))
        return gamma / gamma.sum(axis=1, keepdims=True)


def _gensim_model(documents: list[list[tuple[int, float]]], n_words: int, **options: Any) -> Any:
    from gensim.models import LdaModel

    return LdaModel(documents, id2word={word: str(word) for word in range(n_words)}, **options)


def bags(X: sp.csr_matrix) -> list[list[tuple[int, float]]]:
    return [
        list(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True))
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]


class Tomotopy:
    """LDA by Gibbs sampling, which estimates its own prior of mixtures."""

    priors: tuple[float | None, ...] = (None,)

    def __init__(self, n_topics: int, seed: int, iterations: int, **options: Any):
        self.system = TomotopyLDA(n_topics, seed, iterations, **options)

    def prepare(self, X: sp.csr_matrix) -> None:
        self.n_words = X.shape[1]
        self.system.prepare(X)

    def fit(self, X: sp.csr_matrix) -> Tomotopy:
        self.system.train()
        return self

    def topics(self) -> np.ndarray:
        model = self.system.model
        columns = np.array(list(model.used_vocabs), dtype=np.int64)
        topics = np.zeros((self.system.n_topics, self.n_words))
        topics[:, columns] = [model.get_topic_word_dist(k) for k in range(self.system.n_topics)]
        return topics

    def mixtures(self, X: sp.csr_matrix, prior: float | None) -> np.ndarray:
        return self.system.codes(X)


def candidates(run: Run, K: int) -> dict[str, list[tuple[str, Callable[[], Any]]]]:
    """Return the candidate fits of each model."""
    passes, iterations = (2, 10) if run.smoke else (10, 300)
    seed = run.seed
    models: dict[str, list[tuple[str, Callable[[], Any]]]] = {
        "PLSA": [("default", lambda: OurPLSA(K, seed))],
        f"PLSA, smoothing={SPARSE:g}": [("", lambda: OurPLSA(K, seed, smoothing=SPARSE))],
        f"LDA, scikit-learn, batch, {passes} passes": [
            ("default priors", lambda: SklearnLDA(K, seed, passes)),
            (
                "priors 0.1 and 0.1",
                lambda: SklearnLDA(K, seed, passes, doc_topic_prior=0.1, topic_word_prior=0.1),
            ),
        ],
    }
    if find_spec("gensim") is None:
        run.note("gensim is not installed and is left out; install laconic[bench].")
    else:
        models[f"LDA, gensim, {passes} passes"] = [
            ("default priors", lambda: GensimLDA(K, seed, passes)),
            ("priors estimated", lambda: GensimLDA(K, seed, passes, alpha="auto", eta="auto")),
        ]
    if find_spec("tomotopy") is None:
        run.note("tomotopy is not installed and is left out.")
    else:
        models[f"LDA, tomotopy, {iterations} iterations"] = [
            ("default priors", lambda: Tomotopy(K, seed, iterations)),
            ("word prior 0.05", lambda: Tomotopy(K, seed, iterations, eta=0.05)),
        ]
    return {name: fits[:1] if run.smoke else fits for name, fits in models.items()}


# --- scoring -------------------------------------------------------------------------------------


class Dealt(NamedTuple):
    """Documents whose words are split into two halves; both halves have words."""

    seen: sp.csr_matrix
    hidden: sp.csr_matrix


def deal(X: sp.csr_matrix, seed: int) -> Dealt:
    """Assign each word occurrence of a document at random to one of two halves."""
    counts = np.rint(X.data).astype(np.int64)
    first = np.random.default_rng(seed).binomial(counts, 0.5)
    halves = []
    for part in (first, counts - first):
        half = sp.csr_matrix((part.astype(np.float32), X.indices, X.indptr), shape=X.shape)
        half = half.copy()
        half.eliminate_zeros()
        halves.append(half)
    both = (halves[0].getnnz(axis=1) > 0) & (halves[1].getnnz(axis=1) > 0)
    return Dealt(halves[0][both], halves[1][both])


def perplexity(topics: np.ndarray, mixtures: np.ndarray, hidden: sp.csr_matrix) -> float:
    """Return the perplexity of the hidden words."""
    by_word = np.ascontiguousarray(topics.T, dtype=np.float64)
    total = 0.0
    for row in range(hidden.shape[0]):
        words = slice(hidden.indptr[row], hidden.indptr[row + 1])
        probability = by_word[hidden.indices[words]] @ mixtures[row]
        total += float(hidden.data[words] @ np.log(np.maximum(probability, 1e-300)))
    return float(np.exp(-total / hidden.data.sum(dtype=np.float64)))


def shares(codes: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """Scale codes to sum to one; use `otherwise` for documents whose codes are all zero."""
    totals = codes.sum(axis=1, keepdims=True)
    return np.where(totals > 0, codes / np.where(totals > 0, totals, 1), otherwise)


class Way(NamedTuple):
    """Settings of a fit, and the way in which its mixtures are inferred."""

    perplexity: float  # perplexity on the validation part
    fit: str
    make: Callable[[], Any]
    mixtures: str
    prior: float | None

    def of(self, model: Any, X: sp.csr_matrix) -> np.ndarray:
        if self.mixtures == OWN:
            return model.mixtures(X, self.prior)
        return mix(np.ascontiguousarray(model.topics().T, dtype=np.float32), self.prior or 0, X)[0]


def choose(
    fits: Iterable[tuple[str, Callable[[], Any]]], train: sp.csr_matrix, dealt: Dealt
) -> list[Way]:
    """Choose the best setting on validation documents, for each way to infer mixtures."""
    ways = []
    for name, make in fits:
        model = make()
        fit(model, train)
        ways += ways_of(model, name, make, dealt)
    return best_of_each_kind(ways)


def ways_of(model: Any, name: str, make: Callable[[], Any], dealt: Dealt) -> list[Way]:
    """Return all ways to infer the mixtures of a fitted model, with the perplexity of each."""
    kinds: list[tuple[str, float | None]] = [(OWN, prior) for prior in model.priors]
    if not isinstance(model, OurPLSA):
        kinds += [(EM, prior) for prior in PRIORS]
    topics = model.topics()
    ways = []
    for kind, prior in kinds:
        way = Way(0.0, name, make, kind, prior)
        score = perplexity(topics, way.of(model, dealt.seen), dealt.hidden)
        ways.append(way._replace(perplexity=score))
    return ways


def best_of_each_kind(ways: list[Way]) -> list[Way]:
    return [
        min((way for way in ways if way.mixtures == kind), key=lambda way: way.perplexity)
        for kind in dict.fromkeys(way.mixtures for way in ways)
    ]


def fit(model: Any, X: sp.csr_matrix) -> float:
    """Fit the model and return the time in seconds, without the conversion of the documents."""
    if hasattr(model, "prepare"):
        model.prepare(X)
    return race({"fit": lambda: model.fit(X)}, 1)["fit"].seconds


# --- the benchmark -------------------------------------------------------------------------------


class Found(NamedTuple):
    """Results of a model that are shown as rows."""

    perplexity: dict[str, float]  # maps the way to infer mixtures to the perplexity
    seconds: float
    accuracy: float
    zeros: float


def plsa_perplexity(run: Run) -> None:
    """Document completion, fit time and accuracy of PLSA and LDA of three libraries."""
    halves = newsgroup_halves(run)
    K = 5 if run.smoke else 50
    part = halves.train[~halves.is_validation]
    known = part.getnnz(axis=0) > 0
    unseen = halves.train[halves.is_validation] @ sp.diags(known.astype(np.float32))
    validation, test = deal(sp.csr_matrix(unseen), run.seed), deal(halves.test, run.seed)
    run.note(
        f"K={K}; {halves.train.shape[0]:,} training documents, {test.seen.shape[0]:,} test "
        f"documents with {test.hidden.data.sum():,.0f} hidden words. Each model is fitted once on "
        "one thread; the time excludes the conversion of the documents. Each library infers its "
        "own mixtures; if EM on its topics is better, EM has a separate row, and PLSA is compared "
        "with the better result. Accuracy is the accuracy of a linear SVM on mixtures of whole "
        "documents, with the priors of the fit."
    )
    with threads(1):
        found = {
            name: _judge(run, name, fits, part, validation, halves, test)
            for name, fits in candidates(run, K).items()
        }
    _show(run, found)


def _judge(
    run: Run,
    name: str,
    fits: list[tuple[str, Callable[[], Any]]],
    part: sp.csr_matrix,
    validation: Dealt,
    halves: Halves,
    test: Dealt,
) -> Found:
    ways = choose(fits, part, validation)
    scores, models = {}, {}
    for way in ways:
        if way.fit not in models:
            model = way.make()
            models[way.fit] = model, fit(model, halves.train)
        model, _ = models[way.fit]
        scores[way.mixtures] = perplexity(model.topics(), way.of(model, test.seen), test.hidden)
        run.note(
            f"{name}, {way.mixtures}: {way.fit or 'as named'}, prior of mixtures "
            f"{'as fitted' if way.prior is None else way.prior}, perplexity on the validation "
            f"part {way.perplexity:,.0f}, on the test half {scores[way.mixtures]:,.0f}."
        )
    best = min(ways, key=lambda way: way.perplexity)
    model, seconds = models[best.fit]
    judged = svm_accuracy(
        model.mixtures(halves.train, None),
        halves.train_labels,
        halves.is_validation,
        model.mixtures(halves.test, None),
        halves.test_labels,
    )
    topics = model.topics()
    zeros = 100 * (1 - np.count_nonzero(topics) / topics.size)
    return Found(scores, seconds, 100 * judged.accuracy, zeros)


def _show(run: Run, found: dict[str, Found]) -> None:
    (ours, plsa), (sparse_name, sparse), *peers = found.items()
    perplexity_of = plsa.perplexity[OWN]
    for name, peer in peers:
        for kind, value in peer.perplexity.items():
            goal = at_most(1.0) if value == min(peer.perplexity.values()) else None
            run.row(
                f"perplexity, {ours}",
                perplexity_of,
                "",
                peer=f"{name}, {kind}",
                peer_value=value,
                goal=goal,
            )
    for name, peer in peers:
        run.row(
            f"fit, {ours}",
            plsa.seconds,
            "s",
            peer=name,
            peer_value=peer.seconds,
            goal=faster(10),
        )
    for name, peer in peers:
        run.row(f"SVM accuracy, {ours}", plsa.accuracy, "%", peer=name, peer_value=peer.accuracy)
    run.row(f"zeros in topics, {sparse_name}", sparse.zeros, "%", goal=at_least(90))
    run.row(
        f"perplexity, {sparse_name}",
        sparse.perplexity[OWN],
        "",
        peer=ours,
        peer_value=perplexity_of,
        goal=at_most(1.02),
    )
    least = plsa.accuracy - 1
    run.row(
        f"SVM accuracy, {sparse_name}",
        sparse.accuracy,
        "%",
        peer=ours,
        peer_value=plsa.accuracy,
        goal=Goal("at most 1 point below", lambda value: value >= least, "value"),
    )
    run.row(f"fit, {sparse_name}", sparse.seconds, "s", peer=ours, peer_value=plsa.seconds)
