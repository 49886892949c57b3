"""Max-margin sparse topical coding (MedSTC), which learns topics for classification.

The model is described in Zhu, Xing: Sparse Topical Coding, UAI 2011, section 4. The paper adds the
hinge loss of a linear classifier on document codes to the objective of STC, and minimises over
topics, codes and classifier in turn. As a consequence, codes depend on the labels during training,
but not during prediction. In addition, the loss-augmented label of a document jumps between rounds,
so the paper's algorithm diverges if the loss is scaled wrongly.

Here, codes never depend on labels. Topics are first fitted to each class, and then fitted together
with the classifier, using the derivative of the loss *through* the codes. A step that does not
lower the objective is undone. See `laconic.models.stc.margin`.

=====================  =========================================================================
paper                  here
=====================  =========================================================================
C, ℓ                   ``C``, ``margin``
η                      ``coef_``, for codes scaled to unit length
hinge of the worst y   squared hinge loss of each class against all other classes
=====================  =========================================================================
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from laconic.corpus.chunks import Chunk
from laconic.corpus.corpus import Corpus
from laconic.corpus.matrices import unit_rows
from laconic.engines import Engine
from laconic.engines.callbacks import with_callbacks
from laconic.errors import LaconicError
from laconic.models.base import as_codes, draw_seed
from laconic.models.few_topics import drop_weak
from laconic.models.first_topics import admit_words, given_topics, total_counts
from laconic.models.stc.base import CodingModel, encode_documents
from laconic.models.stc.class_topics import ClassTopics, init_class_topics, refine_topics
from laconic.models.stc.margin import (
    CodeParams,
    Machine,
    Margin,
    collect_codes,
    collect_sample,
    sampled_rows,
)


class MedSTC(ClassifierMixin, CodingModel):
    """Sparse topical coding classifier; ``components_`` is a dense array of word distributions.

    Topics and a max-margin linear classifier on document codes are fitted together.

    Parameters
    ----------
    n_components : int, default=60
        Number of topics. Each class gets an equal number of topics, and the remaining topics are
        shared by all classes. If there are fewer topics than classes, all topics are shared.
    C : float, default=0.1
        Weight of the classification errors relative to the norm of ``coef_``, as in ``LinearSVC``.
    margin : float, default=10
        The margin ℓ. Its square is the weight of the classifier relative to the likelihood of the
        topics.
    loss : {"poisson", "gaussian"}, default="poisson"
        Loss between the count of a word and the count that its code predicts.
    doc_penalty : float, optional
        λ, the penalty on document codes. The default is 0.1 with the Poisson loss and 0.001 with
        the Gaussian loss.
    coupling : float, default=1
        γ, which determines how strongly the code of a word is pulled towards the code of its
        document.
    word_penalty : float, optional
        ρ, the penalty on word codes. The default is 0.01 with the Poisson loss and 0.00001 with the
        Gaussian loss.
    doc_norm : {"l1", "l2"}, optional
        Norm in the penalty on document codes. The default is "l1" if `topics_per_document` is a
        number, otherwise "l2".
    word_norm : {"l1", "l2"}, default="l1"
        Norm in the penalty on word codes.
    offset : float, default=0.001
        ε, which is added in the logarithm of the Poisson loss.
    topics_per_word : float, optional
        Target for the mean number of topics per word, instead of `word_penalty`.
    topics_per_document : float, "auto" or None, default=None
        Target for the mean number of topics per document, instead of `doc_penalty`. With
        "auto", the fit does not change, but `transform` drops the topics with the smallest shares
        in each document, so that documents have at most 5.5 topics on average; see
        `laconic.models.few_topics`.
    max_iter : int, default=20
        Maximum number of passes over the documents. Steps that are undone count as passes; the
        initialisation does not.
    tol : float, default=0.03
        The fit stops when a step lowers the objective by less than this share of the classifier's
        terms of the objective.
    init : array or sparse matrix of shape (n_components, n_words), optional
        Initial topics, such as ``components_`` of another model. By default, the initial topics are
        fitted to each class.
    seeds : mapping of str to list of str, optional
        Names of topics, and words that belong to them, such as ``{"space": ["nasa", "orbit"]}``.
        The first topics are the topics of the seeds, in the given order. ``"nasa!"`` keeps the word
        out of all other topics, and ``"-car"`` keeps the word out of this topic: these weights are
        exactly zero. If the columns have no names, use column numbers instead of words.
    seed_strength : float, default=1
        Strength of the prior that holds the topics of the seeds during the whole fit, see
        `laconic.models.seed_priors`. With 0, the seeds only determine the initial topics.
    random_state : int, RandomState or None, default=0
        Seed of the initialisation.
    engine : str, default="threads"
        Where to run the fit: "serial", "threads", "dask" or the address of a Dask scheduler. The
        engine does not change the result.
    n_jobs : int or None, default=None
        Number of workers. None means all cores (unlike scikit-learn, where it means 1).
    checkpoint : str or Path, optional
        Folder for the state of the fit after each pass. If a fit is interrupted, for example
        because the process was killed, the same fit continues where it stopped, and the result is
        the same. The state is deleted when the fit has finished.
    sparse_output : bool, default=True
        Whether `transform` returns CSR instead of a dense array. Data frames requested by
        ``set_output`` are always dense.
    verbose : int, default=0
        1 shows a progress bar on a terminal, 2 also logs each pass.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (n_classes, n_components), or one row for two classes
        Weights of the topics in the classifier, for codes scaled to unit length.
    intercept_ : ndarray of shape (n_classes,) or (1,)
    components_, topic_shares_, doc_penalty_, word_penalty_, word_topics_
        The same as in `STC`.
    objective_ : ndarray
        The objective J of `laconic.models.stc.margin` after each accepted step; it decreases.
    seed_names_ : ndarray of str of shape (n_seeds,)
        Only with `seeds`, like the following attributes: names of the first topics.
    seed_documents_ : ndarray of int of shape (n_seeds,)
        Number of fitted documents in which the topic of the seed is the strongest topic.
    seed_words_ : csr_matrix of shape (n_seeds, n_words)
        Words of the seeds: 1 for a word, 2 for an exclusive word, and -1 for an excluded word.
    seed_totals_ : ndarray
        Weight of each seed word in the documents, which `partial_fit` updates.
    n_iter_ : int
    converged_ : bool

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[3, 2, 0, 0], [2, 3, 0, 0], [0, 0, 1, 2], [0, 0, 2, 1]])
    >>> model = MedSTC(n_components=2).fit(X, ["cats", "cats", "dogs", "dogs"])
    >>> model.predict([[1, 1, 0, 0], [0, 1, 5, 5]]).tolist()
    ['cats', 'dogs']
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **CodingModel._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "margin": [Interval(Real, 0, None, closed="neither")],
    }
    PENALTIES = {**CodingModel.PENALTIES, "poisson": (0.1, 0.01)}

    def __init__(
        self,
        n_components: int = 60,
        *,
        C: float = 0.1,
        margin: float = 10.0,
        loss: str = "poisson",
        doc_penalty: float | None = None,
        coupling: float = 1.0,
        word_penalty: float | None = None,
        doc_norm: str | None = None,
        word_norm: str = "l1",
        offset: float = 0.001,
        topics_per_word: float | None = None,
        topics_per_document: float | str | None = None,
        max_iter: int = 20,
        tol: float = 0.03,
        init: Any = None,
        seeds: Mapping[str, Any] | None = None,
        seed_strength: float = 1.0,
        random_state: Any = 0,
        engine: str = "threads",
        n_jobs: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        sparse_output: bool = True,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.C = C
        self.margin = margin
        self.loss = loss
        self.doc_penalty = doc_penalty
        self.coupling = coupling
        self.word_penalty = word_penalty
        self.doc_norm = doc_norm
        self.word_norm = word_norm
        self.offset = offset
        self.topics_per_word = topics_per_word
        self.topics_per_document = topics_per_document
        self.max_iter = max_iter
        self.tol = tol
        self.init = init
        self.seeds = seeds
        self.seed_strength = seed_strength
        self.random_state = random_state
        self.engine = engine
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.sparse_output = sparse_output
        self.verbose = verbose

    # --- fitting ---------------------------------------------------------------------------------

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn topics and a classifier.

        Parameters
        ----------
        X : Corpus, sparse matrix or array
        y : sequence, optional
            Class of each document. By default, the labels of the Corpus are used.
        """
        self.check_parameters()
        with self._fitting(X, y) as (engine, chunks):
            labels = self._learn_classes(self._labels(X, y), chunks)
            self._fit_chunks(engine, chunks, labels)
        return self

    def _fit_chunks(self, engine: Engine, chunks: list[Chunk], labels: np.ndarray) -> None:
        self._check_size(self.n_features_in_)
        seed = draw_seed(self.random_state)
        if self.init is None:
            n_classes = len(self.classes_)
            start = init_class_topics(
                engine, chunks, labels, n_classes, self.n_components, seed, self._seeding()
            )
        else:
            totals = engine.map_reduce(total_counts, None, chunks)
            words = admit_words(given_topics(self, totals), totals.words)
            start = refine_topics(engine, chunks, totals, words)
        start = self._with_seeds(engine, chunks, start)
        penalties = self._find_penalties(engine, chunks, start.words)
        machine = Machine(labels, self.C, seed)
        solver = Margin(start, penalties, labels, machine, self.margin, self.tol, engine, chunks)
        self._iterate(solver, engine, chunks)
        self._finish(engine, chunks, solver.words, penalties, None)
        # The classifier is trained on codes computed from zero, like the codes of new documents.
        params = CodeParams(self._words_topics(), penalties, sampled_rows(machine, chunks))
        if self._collects_codes or params.rows is None:
            codes = engine.map_reduce(collect_codes, params._replace(rows=None), chunks).all
            theta = codes[machine.rows] if machine.is_sampled else codes
            if self._collects_codes:
                strong = codes.copy()
                drop_weak(strong, self.code_threshold_)
                self._codes = as_codes(strong, self._sparse_codes())
        else:
            theta = engine.map_reduce(collect_sample, params, chunks).all
        classifier = machine.train(theta, engine.run_tasks)
        self.coef_ = self.margin * classifier.coef
        self.intercept_ = self.margin * classifier.intercept

    def _with_seeds(self, engine: Engine, chunks: list[Chunk], start: ClassTopics) -> ClassTopics:
        """Add the prior of the seeds to the counts, which the fit keeps the topics close to."""
        if not hasattr(self, "seed_words_"):
            return start
        prior = self._seed_prior(engine.map_reduce(total_counts, None, chunks).words)
        assert prior is not None
        rows = slice(0, len(start.words))
        for array in start:
            prior.exclude(array, rows)
        prior.add(start.counts, rows)
        return ClassTopics(start.words / start.words.sum(axis=0), start.counts)

    def _labels(self, X: Any, y: Any) -> np.ndarray:
        if y is None and isinstance(X, Corpus):
            y = X.labels
        if y is None:
            raise LaconicError(
                "MedSTC requires y to be passed, but the target y is None; pass the class of each "
                "document as y, or a Corpus with labels."
            )
        y = column_or_1d(y, warn=True)
        if missing := _n_missing(y):
            raise LaconicError(
                f"{missing} of {len(y)} documents have no label; label these documents, or leave "
                "them out, as in corpus[corpus.labels != '']."
            )
        if y.dtype == object and all(isinstance(label, (int, np.integer)) for label in y):
            y = np.array(y.tolist())  # integer labels stored with dtype object
        with warnings.catch_warnings():
            # The warning about many classes is not needed, because `_learn_classes` rejects classes
            # with only one document.
            warnings.simplefilter("ignore")
            check_classification_targets(y)
        return y

    def _learn_classes(self, y: np.ndarray, chunks: list[Chunk]) -> np.ndarray:
        """Set `classes_` and return the class index of each document."""
        n_documents = chunks[-1].stop - chunks[0].start
        if len(y) != n_documents:
            check_consistent_length(np.empty(n_documents), y)
        self.classes_, labels, sizes = np.unique(y, return_inverse=True, return_counts=True)
        names = self.classes_.tolist()
        if len(self.classes_) < 2:
            raise LaconicError(
                f"There is only one class, {names[0]!r}; MedSTC needs at least two classes."
            )
        if sizes.min() < 2:
            raise LaconicError(
                f"The class {names[sizes.argmin()]!r} has only one document; MedSTC needs at least "
                "two documents per class. Remove the class, or merge it with another class."
            )
        return labels

    # --- using -----------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the score of each class for each document.

        If there are two classes, the result is a vector with the scores of the second class.
        """
        check_is_fitted(self, "coef_")
        codes = sp.csr_matrix(self.all_codes(X)).toarray()
        values = unit_rows(codes, np.float64) @ self.coef_.T + self.intercept_
        return values.ravel() if len(self.coef_) == 1 else values

    def all_codes(self, X: Any) -> Any:
        """Return the codes of the classifier, which also contain the weakest topics."""
        topics = self._unedited()._words_topics()
        params = topics, self._fitted_penalties(), 0.0, self._sparse_codes()
        return self._encode(X, encode_documents, params)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each document."""
        values = self.decision_function(X)
        indices = (values > 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[indices]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy of the predicted classes.

        If `y` is None, the labels of the Corpus `X` are used.
        """
        if y is None:
            y = self._labels(X, y)
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Useful codes need many words; the two or three features in scikit-learn's tests are too
        # few.
        tags.classifier_tags.poor_score = True
        return tags


def _n_missing(labels: np.ndarray) -> int:
    """Return the number of labels that are None, NaN or empty."""
    if labels.dtype.kind in "biu":
        return 0
    if labels.dtype.kind == "U":
        return int(np.count_nonzero(labels == ""))
    return sum(label is None or label == "" or label != label for label in labels)
