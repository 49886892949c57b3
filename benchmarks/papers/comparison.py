"""The systems that the STC paper compares STC with, all with the same interface.

A system is created for a number of topics and a seed, and fitted to counts and labels. Then
``codes`` returns an array (documents x topics) that does not depend on labels. If the system has
its own classifier, ``predict`` returns classes. For systems without a classifier, a linear SVM
classifies the codes (`svm_accuracy`), with settings chosen on the validation part of the training
half.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from benchmarks.papers.entropic_lda import EntropicLDA
from laconic import Weighting

C_GRID = (0.01, 0.1, 1.0, 10.0, 100.0)
SCALINGS = ("codes as they are", "codes as unit rows")


class System(Protocol):
    """Interface of all comparison systems."""

    def fit(self, X: sp.csr_matrix, labels: np.ndarray) -> System: ...

    def codes(self, X: sp.csr_matrix) -> np.ndarray: ...


class Classifier(System, Protocol):
    """System with its own classifier."""

    def predict(self, X: sp.csr_matrix) -> np.ndarray: ...


# --- the systems ---------------------------------------------------------------------------------


class SklearnLDA:
    """Variational LDA of scikit-learn, in batches ("online") or over all documents ("batch")."""

    def __init__(
        self,
        n_topics: int,
        seed: int = 0,
        method: str = "online",
        passes: int = 5,
        **options: Any,
    ):
        self.model = LatentDirichletAllocation(
            n_topics, learning_method=method, max_iter=passes, random_state=seed, **options
        )

    def fit(self, X: sp.csr_matrix, labels: np.ndarray | None = None) -> SklearnLDA:
        self.model.fit(X)
        return self

    def codes(self, X: sp.csr_matrix) -> np.ndarray:
        return self.model.transform(X)


class SklearnNMF:
    """NMF of scikit-learn on tf-idf, which classifies better than frequencies."""

    def __init__(self, n_topics: int, seed: int = 0, weighting: str = "tfidf-balanced"):
        self.weighting = Weighting(weighting, dtype="float32")
        self.model = NMF(n_topics, init="nndsvd", random_state=seed)

    def fit(self, X: sp.csr_matrix, labels: np.ndarray | None = None) -> SklearnNMF:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.model.fit(self.weighting.fit_transform(X))
        return self

    def codes(self, X: sp.csr_matrix) -> np.ndarray:
        return self.model.transform(self.weighting.transform(X))

    def word_code_zeros(self, X: sp.csr_matrix) -> float:
        """Return the share of zeros in document codes, because words have no codes of their own."""
        return float(np.mean(self.codes(X) == 0))


class TomotopyLDA:
    """LDA by collapsed Gibbs sampling."""

    iterations_to_infer = 100

    def __init__(
        self,
        n_topics: int,
        seed: int = 0,
        iterations: int = 200,
        workers: int = 1,
        **options: Any,
    ):
        self.n_topics = n_topics
        self.seed = seed
        self.iterations = iterations
        self.workers = workers
        self.options = options

    def fit(self, X: sp.csr_matrix, labels: np.ndarray | None = None) -> TomotopyLDA:
        self.prepare(X, labels)
        self.train()
        return self

    def prepare(self, X: sp.csr_matrix, labels: np.ndarray | None = None) -> None:
        """Convert the documents to the format of the library."""
        labels = np.zeros(X.shape[0]) if labels is None else labels
        self.model = self._model(labels)
        for number, words in enumerate(_tokens(X)):
            if words:
                self._add(words, labels[number])

    def train(self) -> None:
        self.model.train(self.iterations, workers=self.workers)

    def codes(self, X: sp.csr_matrix) -> np.ndarray:
        filled, documents = self.make_documents(X)
        self.infer(documents, self.workers)
        codes = np.zeros((X.shape[0], self.n_topics))
        if documents:
            codes[filled] = [document.get_topic_dist() for document in documents]
        return codes

    def _model(self, labels: np.ndarray) -> Any:
        import tomotopy

        return tomotopy.LDAModel(k=self.n_topics, seed=self.seed, **self.options)

    def _add(self, words: list[str], label: Any) -> None:
        self.model.add_doc(words)

    def make_documents(self, X: sp.csr_matrix) -> tuple[list[int], list[Any]]:
        """Return the rows that have known words, and these documents in the format of tomotopy."""
        known = set(self.model.used_vocabs)
        filled, documents = [], []
        for number, words in enumerate(_tokens(X)):
            words = [word for word in words if word in known]
            if words:
                filled.append(number)
                documents.append(self.model.make_doc(words))
        return filled, documents

    def infer(self, documents: list[Any], workers: int) -> None:
        """Infer the topics of documents, which are changed in place."""
        if documents:
            self.model.infer(documents, iterations=self.iterations_to_infer, workers=workers)


class TomotopySLDA(TomotopyLDA):
    """Supervised LDA with one response per class; the class with the largest estimate is predicted.

    `variable` is the letter that tomotopy uses: "l" for linear and "b" for binary responses.
    """

    def __init__(
        self,
        n_topics: int,
        seed: int = 0,
        iterations: int = 200,
        workers: int = 1,
        variable: str = "b",
        **options: Any,
    ):
        super().__init__(n_topics, seed, iterations, workers, **options)
        self.variable = variable

    def predict(self, X: sp.csr_matrix) -> np.ndarray:
        filled, documents = self.make_documents(X)
        self.infer(documents, self.workers)
        predicted = np.full(X.shape[0], self.classes[0])
        if documents:
            estimates = np.array(self.model.estimate(documents))
            predicted[filled] = self.classes[estimates.argmax(axis=1)]
        return predicted

    def _model(self, labels: np.ndarray) -> Any:
        import tomotopy

        self.classes = np.unique(labels)
        return tomotopy.SLDAModel(
            k=self.n_topics,
            vars=self.variable * len(self.classes),
            seed=self.seed,
            **self.options,
        )

    def _add(self, words: list[str], label: Any) -> None:
        self.model.add_doc(words, y=(self.classes == label).astype(float).tolist())


class RegularisedLDA:
    """Entropic LDA with the common interface."""

    def __init__(self, n_topics: int, seed: int = 0, regularization: float = 0.1, **options: Any):
        self.model = EntropicLDA(n_topics, regularization, random_state=seed, **options)

    def fit(self, X: sp.csr_matrix, labels: np.ndarray | None = None) -> RegularisedLDA:
        self.model.fit(X)
        return self

    def codes(self, X: sp.csr_matrix) -> np.ndarray:
        return self.model.transform(X)

    def word_code_zeros(self, X: sp.csr_matrix) -> float:
        return self.model.word_code_zeros(X)


def _tokens(X: sp.csr_matrix) -> list[list[str]]:
    """Return the words of each document as column numbers; each is repeated by its count."""
    names = np.arange(X.shape[1]).astype(str)
    counts = np.rint(X.data).astype(np.int64)
    return [
        np.repeat(names[X.indices[a:b]], counts[a:b]).tolist()
        for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
    ]


def _lda_batch(n_topics: int, seed: int = 0) -> SklearnLDA:
    return SklearnLDA(n_topics, seed, "batch", 20)


SYSTEMS: dict[str, Callable[[int, int], System]] = {
    "LDA, scikit-learn online": SklearnLDA,
    "LDA, scikit-learn batch": _lda_batch,
    "LDA, tomotopy": TomotopyLDA,
    "NMF, scikit-learn": SklearnNMF,
    "regLDA": RegularisedLDA,
    "sLDA, tomotopy": TomotopySLDA,
}
"""Maps names of systems to functions that create them from a number of topics and a seed."""

NEEDS_TOMOTOPY = tuple(name for name in SYSTEMS if "tomotopy" in name)


def available_systems() -> dict[str, Callable[[int, int], System]]:
    """Return the systems whose libraries are installed."""
    installed = has_tomotopy()
    return {name: make for name, make in SYSTEMS.items() if installed or name not in NEEDS_TOMOTOPY}


def has_tomotopy() -> bool:
    return find_spec("tomotopy") is not None


# --- a linear SVM on codes -----------------------------------------------------------------------


class Judged(NamedTuple):
    """Test accuracy of a linear SVM on codes, and the settings that were chosen for it."""

    accuracy: float
    validation: float
    C: float
    scaling: str


class Chosen(NamedTuple):
    """Settings of the linear SVM with the best accuracy on the validation part."""

    validation: float
    C: float
    scaling: str


def choose_svm(codes: np.ndarray, labels: np.ndarray, is_validation: np.ndarray) -> Chosen:
    """Choose C and the scaling of the codes on the validation part."""
    options = []
    for scaling in SCALINGS:
        rows = scaled(codes, scaling)
        for C in C_GRID:
            svm = _fit_svm(C, rows[~is_validation], labels[~is_validation])
            accuracy = svm.score(rows[is_validation], labels[is_validation])
            options.append(Chosen(float(accuracy), C, scaling))
    return max(options, key=lambda option: option.validation)


def svm_accuracy(
    train_codes: np.ndarray,
    labels: np.ndarray,
    is_validation: np.ndarray,
    test_codes: np.ndarray,
    test_labels: np.ndarray,
) -> Judged:
    """Choose C and scaling on the validation part, then fit on all training codes and test."""
    chosen = choose_svm(train_codes, labels, is_validation)
    svm = _fit_svm(chosen.C, scaled(train_codes, chosen.scaling), labels)
    accuracy = svm.score(scaled(test_codes, chosen.scaling), test_labels)
    return Judged(float(accuracy), *chosen)


def scaled(codes: np.ndarray, scaling: str) -> np.ndarray:
    return normalize(codes) if scaling == SCALINGS[1] else codes


def _fit_svm(C: float, codes: np.ndarray, labels: np.ndarray) -> LinearSVC:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVC(C=C, dual=False).fit(codes, labels)
