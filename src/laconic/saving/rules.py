"""What each fitted attribute of a saved model must be, so that using the model is safe.

Kernels do not check bounds, and NaN in an array becomes NaN in a result, so every attribute that is
read from a folder is checked against the rule with its name: type, shape, and range of values. An
attribute without a rule needs only to be finite if it is numeric.

The axes of a rule are names of sizes: "topics" and "words" come from ``components_`` and
``n_features_in_``, None allows any length.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from laconic.files.arrays import MAX_WORDS
from laconic.saving.edits import edits_problem

MAX_TOPICS = 1 << 20
LARGEST = {4: 1e15, 8: 1e100}  # of a weight, by bytes; the sum of squares must not overflow
LARGEST_NUMBER = 1e100
SMALLEST_NUMBER = 1e-100  # of a number other than zero, because it may be a divisor

Sizes = dict[str, int]
# A rule returns what the value should be, or None if the value is valid.
Rule = Callable[[Any, Sizes], str | None]


@dataclass(frozen=True)
class Array:
    """Rule for an array or a CSR matrix of floats or integers.

    Parameters
    ----------
    axes : names of sizes, or None for any length
    least : minimum value
    positive : whether zero is refused
    sparse : whether the value is a CSR matrix, or None for either
    bounded : whether values must be at most `LARGEST`, so that their squares can be summed
    finite : whether NaN and infinity are refused
    """

    axes: tuple[str | int | None, ...]
    least: float = -math.inf
    positive: bool = False
    most: float = math.inf
    sparse: bool | None = False
    bounded: bool = True
    finite: bool = True
    integer: bool = False

    def __call__(self, value: Any, sizes: Sizes) -> str | None:
        shape = tuple(sizes[axis] if isinstance(axis, str) else axis for axis in self.axes)
        is_sparse = sp.issparse(value)
        if not (is_sparse or isinstance(value, np.ndarray)) or self.sparse not in (None, is_sparse):
            return f"be {'a sparse matrix' if self.sparse else 'an array'} of shape {_text(shape)}"
        if len(value.shape) != len(shape) or any(
            need is not None and have != need for have, need in zip(value.shape, shape, strict=True)
        ):
            return f"have shape {_text(shape)}, not {_text(value.shape)}"
        kinds = "iu" if self.integer else "f"
        if value.dtype.kind not in kinds or value.dtype.itemsize < 4:
            return f"contain {'integers' if self.integer else 'float32 or float64'}"
        return self._check_values(value.data if is_sparse else value)

    def _check_values(self, values: np.ndarray) -> str | None:
        if not values.size or not self.finite:
            return None
        limit = LARGEST.get(values.dtype.itemsize, math.inf) if self.bounded else math.inf
        least, most = max(self.least, -limit), min(self.most, limit)
        lowest, highest = values.min(), values.max()  # NaN if any value is NaN
        if not (math.isfinite(lowest) and math.isfinite(highest)):
            return "contain only finite numbers, not NaN or infinity"
        if self.positive and lowest <= 0:
            return "contain only positive numbers"
        if lowest < least or highest > most:
            return f"contain only numbers from {least:g} to {most:g}"
        return None


@dataclass(frozen=True)
class Number:
    """Rule for a single number."""

    least: float = 0.0
    most: float = LARGEST_NUMBER
    positive: bool = False
    integer: bool = False
    smallest: float = SMALLEST_NUMBER
    floating: bool = False  # whether integers are refused, for which kernels would be compiled

    def __call__(self, value: Any, sizes: Sizes) -> str | None:
        kind = Integral if self.integer else Real
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, kind):
            return f"be {'an integer' if self.integer else 'a number'}"
        if self.floating and isinstance(value, Integral):
            return "be a floating-point number"
        number = float(value)
        is_tiny = 0 < abs(number) < self.smallest
        if not self.least <= number <= self.most or is_tiny or (self.positive and number <= 0):
            least = max(self.least, self.smallest) if self.positive else self.least
            above = f"at least {least:g}"
            return f"be {above} and at most {self.most:g}"
        return None


@dataclass(frozen=True)
class Strings:
    """Rule for an array of strings, such as a vocabulary."""

    axis: str
    unique: bool = False

    def __call__(self, value: Any, sizes: Sizes) -> str | None:
        size = sizes[self.axis]
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "OU":
            return "be an array of strings"
        if value.shape != (size,):
            return f"contain {size:,} strings"
        kinds = set(map(type, value.tolist())) if value.dtype == object else set()
        if not all(issubclass(kind, str) for kind in kinds):
            return "contain only strings"
        if self.unique and len(set(value.tolist())) < size:
            return "not contain the same string twice"
        return None


@dataclass(frozen=True)
class Items:
    """Rule for a tuple, with a rule for each item."""

    rules: tuple[Rule, ...]

    def __call__(self, value: Any, sizes: Sizes) -> str | None:
        if not isinstance(value, tuple) or len(value) != len(self.rules):
            return f"be a tuple of {len(self.rules)} values"
        problems = (rule(item, sizes) for rule, item in zip(self.rules, value, strict=True))
        return next((f"have items that {problem}" for problem in problems if problem), None)


def either(*rules: Rule) -> Rule:
    """Return a rule that accepts a value if one of several rules does."""

    def rule(value: Any, sizes: Sizes) -> str | None:
        problems = [rule(value, sizes) for rule in rules]
        return None if None in problems else problems[0]

    return rule


def flag(value: Any, sizes: Sizes) -> str | None:
    """Rule for a boolean."""
    return None if isinstance(value, (bool, np.bool_)) else "be true or false"


def nothing(value: Any, sizes: Sizes) -> str | None:
    """Rule for None."""
    return None if value is None else "be None"


def a_dict(value: Any, sizes: Sizes) -> str | None:
    """Rule for a dictionary whose keys are strings."""
    fits = isinstance(value, dict) and all(isinstance(key, str) for key in value)
    return None if fits else "be a dictionary"


def class_names(value: Any, sizes: Sizes) -> str | None:
    """Rule for the classes of a classifier: different strings or numbers, in ascending order."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or len(value) < 2:
        return "be an array of at least two classes"
    items = value.tolist()
    strings = all(isinstance(item, str) for item in items)
    numbers = all(isinstance(item, (bool, int, float)) and item == item for item in items)
    if not (strings or numbers) or any(a >= b for a, b in pairwise(items)):
        return "be an array of different strings or numbers in ascending order"
    return None


def precision_matrix(value: Any, sizes: Sizes) -> str | None:
    """Rule for a symmetric, positive definite matrix of topics x topics."""
    problem = Array(("topics", "topics"))(value, sizes)
    if problem is not None:
        return problem
    try:
        np.linalg.cholesky(value)
        is_valid = np.allclose(value, value.T)
    except np.linalg.LinAlgError:
        is_valid = False
    return None if is_valid else "be symmetric and positive definite"


def simplex(value: Any, sizes: Sizes) -> str | None:
    """Rule for word distributions, none of which is zero everywhere."""
    problem = SHARES(value, sizes)
    if problem is None and value.size and not value.max(axis=1).min() > 0:
        return "have a positive weight in each topic"
    return problem


def per_topic(**options: Any) -> Array:
    return Array(("topics",), **options)


def per_word(**options: Any) -> Array:
    return Array(("words",), **options)


COUNT = Number(integer=True)
PENALTY = Number(most=1e15)
KERNEL_PENALTY = Number(most=1e15, floating=True)
SCALE = Number(most=1e15, positive=True, smallest=1e-15)  # a factor or a divisor
SUMS = Array(("words", "topics"), bounded=False)  # sums that `partial_fit` continues
PASSES = Array((None,), finite=False)  # one value per pass, which is only shown
TOPICS = Array(("topics", "words"))
SHARES = Array(("topics", "words"), least=0)  # word distributions of topics
SQUARE = Array(("topics", "topics"), bounded=False)
WEIGHTS = per_word(least=1e-15, most=1e15)

COMMON: dict[str, Rule] = {
    "n_features_in_": Number(integer=True, most=MAX_WORDS),
    "fitted_on_corpus_": flag,
    "feature_names_in_": Strings("words"),
    "n_iter_": COUNT,
    "converged_": flag,
    "objective_": PASSES,
    "divergence_": PASSES,
    "topic_shares_": per_topic(least=0, most=1.001),
    "topic_support_": per_topic(least=0),
    "topic_mass_": per_topic(least=0, bounded=False),
    "topic_moments_": SQUARE,
    "topic_counts_": per_topic(least=0, bounded=False),
    "word_counts_": per_word(least=0, bounded=False),
    "n_documents_": Number(),
    "code_threshold_": Number(most=1.0),
    "components_": SHARES,
    "alpha_": PENALTY,
    "edits_": edits_problem,
}


def seed_words(value: Any, sizes: Sizes) -> str | None:
    """Rule for the words of seeds: no more seeds than topics, and known roles."""
    problem = Array(("seeds", "words"), least=-1, most=2, sparse=True)(value, sizes)
    if problem is None and value.shape[0] > sizes["topics"]:
        return f"have at most {sizes['topics']:,} rows"
    if problem is None and not np.isin(value.data, (-1, 1, 2)).all():
        return "contain only the numbers -1, 1 and 2"
    return problem


SEEDED: dict[str, Rule] = {
    **COMMON,
    "seed_names_": Strings("seeds"),
    "seed_words_": seed_words,
    "seed_totals_": Array(("seed_entries",), least=0, bounded=False),
    "seed_documents_": Array(("seeds",), least=0, integer=True),
}

RULES: dict[str, dict[str, Rule]] = {
    "vectorizer": {
        "n_features_in_": COMMON["n_features_in_"],
        "vocabulary_": either(nothing, Strings("words", unique=True)),
        "settings_": a_dict,
    },
    "weighting": {
        **{name: COMMON[name] for name in ("n_features_in_", "fitted_on_corpus_")},
        "feature_names_in_": Strings("words"),
        "scale_": either(nothing, per_word(least=0, most=1e15)),
        "center_": per_word(),
    },
    "sc": {
        **SEEDED,
        "components_": TOPICS,
        "coding_components_": TOPICS,
        "word_squares_": per_word(least=0, bounded=False),
        "statistics_": Items((SUMS, per_topic(bounded=False))),
    },
    "slsa": {
        **SEEDED,
        "components_": Array(("topics", "words"), sparse=True),
        "coding_components_": Array(("topics", "words"), sparse=True),
        "alpha_": per_topic(least=0),
        "statistics_": Items(
            (
                Items((SQUARE, SUMS, per_topic(bounded=False), Number())),
                Number(),
                Number(positive=True),
            )
        ),
        "group_names_": Strings("groups"),
        "group_members_": Array(("groups", "words"), positive=True, sparse=True),
        "group_found_": Array(("groups",), least=0, integer=True),
        "group_sizes_": Array(("groups",), least=0, integer=True),
        "group_components_": Array(("topics", "copies"), sparse=True),
    },
    "plsa": {
        **SEEDED,
        "statistics_": Items((SUMS, per_topic(bounded=False), Number(positive=True))),
    },
    "sctm": {
        **SEEDED,
        "components_": simplex,
        "probabilities_": simplex,
        "word_weights_": WEIGHTS,
        "topic_precision_": precision_matrix,
        "topic_means_": per_topic(),
        "topic_scales_": per_topic(positive=True),
        "residual_variance_": Number(most=1e15, positive=True, smallest=0.0),
        "statistics_": Items((SUMS, per_topic(bounded=False), Number())),
    },
    "stc": {
        **SEEDED,
        "word_topics_": Array(("words", "topics"), least=0, sparse=True, bounded=False),
        "word_penalty_": KERNEL_PENALTY,
        "doc_penalty_": KERNEL_PENALTY,
        "statistics_": Items(
            (
                SUMS,
                either(SUMS, Array((0, "topics")), Number()),
                per_topic(bounded=False),
                Number(positive=True),
            )
        ),
    },
    "medstc": {
        **SEEDED,
        "word_topics_": Array(("words", "topics"), least=0, sparse=True, bounded=False),
        "word_penalty_": KERNEL_PENALTY,
        "doc_penalty_": KERNEL_PENALTY,
        "classes_": class_names,
        "coef_": Array(("scores", "topics")),
        "intercept_": Array(("scores",)),
    },
    "pcp": {
        **COMMON,
        "components_": Array(("topics", "words"), least=-1.001, most=1.001),
        "rotation_": Array(("topics", "topics"), least=-1.001, most=1.001),
        "rank_": COUNT,
        "singular_values_": per_topic(least=0),
        "shrinkage_": per_topic(least=0, most=1.001),
        "keywords_": Array((None, "words"), sparse=True),
        "document_length_": SCALE,
        "alpha_": Number(most=1e15, positive=True),
        "gap_": either(Number(least=-math.inf, most=math.inf), lambda value, sizes: None),
    },
}

# Parameters whose extreme values would give NaN.
PARAMETERS: dict[str, Rule] = {"coupling": SCALE, "offset": SCALE}
ANY_NUMBER = Number(least=-1e15, most=1e15, smallest=0.0)  # any other number

# Attributes without which a model of the class cannot be used.
INPUT = ("n_features_in_", "fitted_on_corpus_")
MODEL = (*INPUT, "components_", "topic_shares_", "n_iter_", "converged_", "objective_")
REQUIRED: dict[str, tuple[str, ...]] = {
    "vectorizer": ("vocabulary_", "settings_"),
    "weighting": (*INPUT, "scale_"),
    "sc": (
        *MODEL, "alpha_", "n_documents_", "word_squares_", "topic_moments_", "topic_mass_"
    ),
    "slsa": (*MODEL, "alpha_"),
    "plsa": (*MODEL, "topic_mass_", "n_documents_"),
    "sctm": (*MODEL, "alpha_", "topic_mass_", "topic_moments_", "word_counts_", "n_documents_"),
    "stc": (*MODEL, "doc_penalty_", "word_penalty_", "word_topics_"),
    "medstc": (
        *MODEL, "doc_penalty_", "word_penalty_", "word_topics_", "classes_", "coef_", "intercept_"
    ),
    "pcp": (
        *MODEL, "rotation_", "rank_", "singular_values_", "shrinkage_", "alpha_", "keywords_"
    ),
}  # fmt: skip
TOGETHER = (  # groups of attributes of which a model has all or none
    ("topic_precision_", "topic_means_", "topic_scales_", "residual_variance_"),
    ("group_names_", "group_members_", "group_found_", "group_sizes_"),
    ("probabilities_", "topic_counts_"),
    ("seed_names_", "seed_words_", "seed_totals_", "seed_documents_"),
)


def _text(shape: tuple[Any, ...]) -> str:
    return " x ".join("any" if axis is None else str(axis) for axis in shape)
