"""Validate the input of estimators: align the words of a Corpus, check the width of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError

FLOATS = [np.float64, np.float32]


def check_corpus(estimator: Any, corpus: Corpus, *, reset: bool) -> Corpus:
    """Align `corpus` to the words of `estimator`, or store the words of `corpus` if `reset`."""
    if reset:
        if len(corpus) == 0:
            raise LaconicError(
                f"{type(estimator).__name__} needs at least one document to fit; the corpus is "
                "empty."
            )
        estimator.n_features_in_ = corpus.shape[1]
        estimator.fitted_on_corpus_ = True
        if corpus.vocabulary is not None:
            estimator.feature_names_in_ = corpus.vocabulary
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        return corpus
    fitted_words = getattr(estimator, "feature_names_in_", None)
    if fitted_words is not None and corpus.vocabulary is not None:
        return corpus.align(fitted_words)
    _check_width(estimator, corpus.shape[1])
    return corpus


def check_matrix(estimator: Any, X: Any, *, reset: bool) -> sp.csr_matrix:
    """Convert a sparse matrix or array to canonical CSR of floats."""
    if isinstance(X, (list, tuple, np.ndarray)) and len(X) and isinstance(X[0], str):
        raise LaconicError(
            f"{type(estimator).__name__} needs word counts, not texts; use laconic.read(texts), or "
            "laconic.pipeline, which counts words first."
        )
    if reset:
        estimator.fitted_on_corpus_ = False
    try:
        X = sp.csr_matrix(_validate(estimator, X, reset))
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        # The message of scikit-learn advises to use other estimators, which are not topic models.
        raise LaconicError(
            f"Input X contains NaN. {type(estimator).__name__} accepts no missing values; impute "
            "them first, for example with sklearn.impute.SimpleImputer."
        ) from None
    if not X.has_canonical_format or not X.data.all():
        X = X.copy()
        X.sum_duplicates()
        X.eliminate_zeros()
    return _with_short_indices(X)


def _with_short_indices(X: sp.csr_matrix) -> sp.csr_matrix:
    """Return a matrix with 32-bit indices if they suffice.

    They take half the memory, and the kernels need not be compiled for 64-bit indices too.
    """
    if X.indices.dtype == np.int32 or max(X.nnz, X.shape[1]) > np.iinfo(np.int32).max:
        return X
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sp.csr_matrix((X.data, indices, indptr), shape=X.shape)


def _validate(estimator: Any, X: Any, reset: bool) -> Any:
    if reset or not estimator.fitted_on_corpus_ or hasattr(X, "columns"):
        return validate_data(estimator, X, reset=reset, accept_sparse="csr", dtype=FLOATS)
    # Avoid scikit-learn's warning about missing feature names, which a matrix never has.
    X = check_array(X, accept_sparse="csr", dtype=FLOATS, input_name="X", estimator=estimator)
    _check_width(estimator, X.shape[1])
    return X


def check_not_negative(estimator: Any, X: sp.csr_matrix) -> None:
    """Raise an error if a matrix of counts has negative values."""
    if X.data.min(initial=0) < 0:
        raise LaconicError(
            f"Negative values in data passed to {type(estimator).__name__}; counts must not be "
            "negative."
        )


def _check_width(estimator: Any, width: int) -> None:
    if width != estimator.n_features_in_:
        raise LaconicError(
            f"X has {width} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
