"""What transformers return: a Corpus, or CSR that any scikit-learn estimator takes."""

from __future__ import annotations

from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError


def check_output(transformer: Any) -> None:
    """Raise an error for an unknown `output`."""
    if transformer.output not in ("corpus", "csr"):
        raise LaconicError(
            f"The 'output' parameter of {type(transformer).__name__} must be 'corpus' or 'csr'. "
            f"Got {transformer.output!r} instead."
        )


def as_output(transformer: Any, X: Any) -> Any:
    """A Corpus as the transformer's `output` says; a matrix as it is."""
    return X.matrix if isinstance(X, Corpus) and transformer.output == "csr" else X
