"""Vectorizer: check parameters and texts, and select the vocabulary.

The module `laconic.text.counting` tokenises and counts texts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.corpus import Corpus
from laconic.corpus.outputs import as_output, check_output
from laconic.corpus.vocabulary import Vocabulary, as_strings
from laconic.engines.callbacks import CallbackSupportMixin, with_callbacks
from laconic.engines.threads import count_workers
from laconic.errors import LaconicError
from laconic.text.counting import ACCENTS, Analyzer, Lexicon, Tally, compile_pattern, count
from laconic.text.language import first_texts, guess_from_texts
from laconic.text.stop_words import language_name

logger = logging.getLogger(__name__)

NO_SETTINGS = ("vocabulary", "output", "n_jobs")
"""Names of the parameters that do not affect how a text is tokenised and counted."""


class Vectorizer(TransformerMixin, CallbackSupportMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Count the words of texts, like scikit-learn's ``CountVectorizer`` but several times faster.

    Parameters
    ----------
    lowercase : bool, default=True
        Convert texts to lower case.
    strip_accents : {"ascii", "unicode"}, callable or None, default=None
        How to strip accents, as in scikit-learn; a callable takes and returns a str.
    token_pattern : str, default=r"(?u)\\b\\w\\w+\\b"
        Regular expression of a token; if it has a capturing group, the group is the token. Patterns
        for runs of one class of characters (``\\w+``, ``[a-z]{3,}``, ``\\b[^\\W\\d_]+\\b``) are
        matched by compiled code.
    tokenizer : callable, optional
        Function that takes a str and returns its tokens; used instead of `token_pattern`.
    stop_words : str, collection of str or None, default=None
        Words to exclude: a list of words, the name or code of a language ("german", "de"), or
        "auto" to detect the language of the texts from their stop words. For "english",
        scikit-learn's list is used.
    ngram_range : (int, int), default=(1, 1)
        Minimum and maximum length of the n-grams to count.
    min_df, max_df : int or float, default=1 and 1.0
        Minimum and maximum number of documents that contain a word; a float is a share of the
        documents.
    max_features : int, optional
        Maximum number of words; the most frequent are kept.
    vocabulary : iterable of str or mapping of str to int, optional
        Count only these words, in this order.
    output : {"corpus", "csr"}, default="corpus"
        Return type of `transform`: a `Corpus`, which includes its words, or only the counts as CSR,
        which any scikit-learn estimator accepts.
    n_jobs : int, optional
        Number of threads; None or -1 for all cores, -2 for all but one, and so on. The result does
        not depend on the number of threads.

    Attributes
    ----------
    vocabulary_ : ndarray of str or None
        The words in column order; None if the Vectorizer was fitted on a matrix or a Corpus without
        words.
    settings_ : dict
        The settings that are used, including the settings of a fitted Corpus and a detected
        language.
    n_features_in_ : int
        Number of columns, if the Vectorizer was fitted on a Corpus or a matrix.

    Examples
    --------
    >>> vectorizer = Vectorizer(stop_words="english", min_df=2)
    >>> corpus = vectorizer.fit_transform(["A cat and a dog", "the dog", "cats, dogs, a cat"])
    >>> corpus.vocabulary.tolist(), corpus.counts.toarray().tolist()
    (['cat', 'dog'], [[1, 1], [0, 1], [1, 0]])
    """

    def __init__(
        self,
        *,
        lowercase: bool = True,
        strip_accents: str | Callable[[str], str] | None = None,
        token_pattern: str | None = r"(?u)\b\w\w+\b",
        tokenizer: Callable[[str], Iterable[str]] | None = None,
        stop_words: str | Iterable[str] | None = None,
        ngram_range: tuple[int, int] = (1, 1),
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        max_features: int | None = None,
        vocabulary: Iterable[str] | Mapping[str, int] | None = None,
        output: str = "corpus",
        n_jobs: int | None = None,
    ) -> None:
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.token_pattern = token_pattern
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.ngram_range = ngram_range
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.output = output
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: Any, y: Any = None) -> Vectorizer:
        """Learn the vocabulary from texts, or use the vocabulary of a Corpus.

        Parameters
        ----------
        X : iterable of str, Corpus, or matrix of shape (n_documents, n_words)
        y : ignored
        """
        self._fit(X)
        return self

    @with_callbacks
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the vocabulary from texts and count their words.

        Parameters
        ----------
        X : iterable of str, Corpus, or matrix of shape (n_documents, n_words)
            A matrix is returned unchanged.
        y : ignored

        Returns
        -------
        Corpus or csr_matrix, depending on `output`
        """
        return self._fit(X)

    def _fit(self, X: Any) -> Any:
        task = self._init_callback_context()
        task.call_on_fit_task_begin(estimator=self, X=X)
        counts = self._fit_vocabulary(X)
        task.call_on_fit_task_end(estimator=self, X=X)
        return counts

    def _fit_vocabulary(self, X: Any) -> Any:
        check_output(self)
        settings = check_settings(self.get_params(deep=False))
        fixed = None if self.vocabulary is None else _fixed_words(self.vocabulary)
        if _is_table(X):
            return self._fit_table(X, settings, fixed)
        texts = _checked(X)
        if settings["stop_words"] == "auto":
            settings["stop_words"], texts = _guess_stop_words(texts, settings)
        self.vocabulary_: np.ndarray | None
        lexicon = Lexicon(fixed)
        tally = count(texts, Analyzer(settings), lexicon, count_workers(self.n_jobs))
        if fixed is None:
            counts, self.vocabulary_ = _prune(tally, lexicon, settings)
        else:
            counts, self.vocabulary_ = _sorted_csr(tally, len(fixed)), fixed
        self.settings_ = settings
        self.__dict__.pop("n_features_in_", None)
        return self._as_output(counts)

    def _as_output(self, counts: sp.csr_matrix) -> Any:
        if self.output == "csr":
            return counts
        return Corpus(counts, self._words(), vectorizer=self.settings_)

    def transform(self, X: Any) -> Any:
        """Count the words of the vocabulary in texts.

        Parameters
        ----------
        X : iterable of str, Corpus, or matrix of shape (n_documents, n_words)
            The columns of a Corpus are aligned by word; a matrix is returned unchanged.

        Returns
        -------
        Corpus or csr_matrix, depending on `output`
        """
        if self.vocabulary is not None and not hasattr(self, "vocabulary_"):
            return self._fit(X)
        check_is_fitted(self, "vocabulary_")
        if _is_table(X):
            return self._align(X)
        if self.vocabulary_ is None:
            raise LaconicError(
                "This model cannot count words of texts, since it was fitted on a matrix without "
                "words; fit it on texts, or on a Corpus with a vocabulary."
            )
        analyzer = Analyzer(self.settings_)
        tally = count(_checked(X), analyzer, self._lexicon(), count_workers(self.n_jobs))
        counts = _sorted_csr(tally, len(self.vocabulary_))
        return self._as_output(counts)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the words in column order."""
        check_is_fitted(self, "vocabulary_")
        if self.vocabulary_ is None:
            raise LaconicError(
                "This Vectorizer has no words, since it was fitted on a matrix without words; fit "
                "it on texts, or on a Corpus with a vocabulary."
            )
        return self.vocabulary_

    def set_output(self, *, transform: str | None = None) -> Vectorizer:
        """Do nothing, because the next step of a pipeline always needs a Corpus as input."""
        return self

    def _fit_table(self, X: Any, settings: dict[str, Any], fixed: np.ndarray | None) -> Any:
        """Fit on a Corpus (use its words and settings) or a matrix (use its number of columns)."""
        words = getattr(X, "vocabulary", None)
        of_corpus = getattr(X, "vectorizer", None) or {}
        combined = {name: of_corpus.get(name, value) for name, value in settings.items()}
        if combined["stop_words"] == "auto":  # there are no texts to detect the language from
            combined["stop_words"] = None
        self.settings_ = combined
        self.vocabulary_ = words if fixed is None else fixed
        self.n_features_in_ = X.shape[1] if fixed is None else len(fixed)
        return self._align(X)

    def _align(self, X: Any) -> Any:
        if isinstance(X, Corpus) and X.vocabulary is not None and self.vocabulary_ is not None:
            return as_output(self, X.align(self._words()))
        width = self.n_features_in_ if self.vocabulary_ is None else len(self.vocabulary_)
        if X.shape[1] != width:
            raise LaconicError(
                f"The matrix has {X.shape[1]:,} columns, but this Vectorizer was fitted with "
                f"{width:,}; pass a matrix with {width:,} columns, or a Corpus with words."
            )
        return as_output(self, X)

    def _words(self) -> Vocabulary:
        """Return the Vocabulary, which is cached in case texts are transformed one by one."""
        words: Vocabulary | None = self.__dict__.get("_cached_words")
        if words is None or words.words is not self.vocabulary_:
            assert self.vocabulary_ is not None
            words = self._cached_words = Vocabulary(self.vocabulary_)
            self.vocabulary_ = words.words
            self.__dict__.pop("_cached_lexicon", None)
        return words

    def _lexicon(self) -> Lexicon:
        """Return the Lexicon of the vocabulary, which is cached."""
        words = self._words()
        if "_cached_lexicon" not in self.__dict__:
            self._cached_lexicon = Lexicon(words)
        return self._cached_lexicon

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if not name.startswith("_cached")}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags


# --- settings ------------------------------------------------------------------------------------


def check_settings(params: dict[str, Any]) -> dict[str, Any]:
    """Check the settings that affect the counts; convert all except callables to JSON values."""
    settings = {name: params[name] for name in params if name not in NO_SETTINGS}
    for name in ("min_df", "max_df"):
        settings[name] = _document_limit(name, settings[name])
    settings["ngram_range"] = _ngram_range(settings["ngram_range"])
    limit = settings["max_features"]
    if limit is not None:
        if not isinstance(limit, (int, np.integer)) or limit < 1:
            raise LaconicError(f"max_features must be None or an int of 1 or more; got {limit!r}.")
        settings["max_features"] = int(limit)
    stop = settings["stop_words"]
    if isinstance(stop, str):
        settings["stop_words"] = stop if stop == "auto" else language_name(stop)
    elif stop is not None:
        settings["stop_words"] = _strings(stop, "stop_words")
    accents = settings["strip_accents"]
    if accents is not None and not callable(accents) and accents not in ACCENTS:
        raise LaconicError(
            f"strip_accents must be 'ascii', 'unicode', None or a callable; got {accents!r}."
        )
    settings["lowercase"] = bool(settings["lowercase"])
    if settings["tokenizer"] is None:
        compile_pattern(settings["token_pattern"])
    elif not callable(settings["tokenizer"]):
        raise LaconicError(
            "tokenizer must be a callable that takes a str and returns its words; got "
            f"{settings['tokenizer']!r}."
        )
    return settings


def _document_limit(name: str, value: Any) -> int | float:
    if isinstance(value, (int, np.integer)) and value >= 1:
        return int(value)
    if isinstance(value, (float, np.floating)) and 0 <= value <= 1:
        return float(value)
    raise LaconicError(
        f"{name} must be an int of 1 or more (number of documents) or a float between 0.0 and 1.0 "
        f"(share of the documents); got {value!r}."
    )


def _ngram_range(value: Any) -> list[int]:
    pair = list(value) if isinstance(value, Sequence) else [value]
    integers = all(isinstance(n, (int, np.integer)) for n in pair)
    if len(pair) != 2 or not integers or not 1 <= pair[0] <= pair[1]:
        raise LaconicError(
            "ngram_range must be two ints, the minimum and maximum length of n-grams, such as "
            f"(1, 2); got {value!r}."
        )
    return [int(n) for n in pair]


def _strings(values: Iterable[Any], name: str) -> list[str]:
    words = sorted(values) if isinstance(values, (set, frozenset)) else list(values)
    for word in words:
        if not isinstance(word, str):
            raise LaconicError(
                f"{name} must contain only words (str); got {word!r} ({type(word).__name__})."
            )
    return [str(word) for word in words]


def _fixed_words(vocabulary: Any) -> np.ndarray:
    """Return the words of the parameter `vocabulary` in column order."""
    if isinstance(vocabulary, Mapping):
        columns = sorted(vocabulary.values())
        if columns != list(range(len(columns))):
            raise LaconicError(
                f"vocabulary must map its {len(columns)} words to different columns from 0 to "
                f"{len(columns) - 1}."
            )
        vocabulary = sorted(vocabulary, key=vocabulary.__getitem__)
    words = _strings(vocabulary, "vocabulary")
    if not words:
        raise LaconicError("vocabulary is empty; pass at least one word.")
    if len(set(words)) < len(words):
        duplicate = next(word for i, word in enumerate(words) if word in words[:i])
        raise LaconicError(
            f"vocabulary contains the word {duplicate!r} twice; pass each word once."
        )
    return as_strings(words)


def complete_settings(settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Complete the settings with the defaults of Vectorizer."""
    defaults = Vectorizer().get_params(deep=False)
    return {name: (settings or {}).get(name, value) for name, value in defaults.items()}


# --- texts ---------------------------------------------------------------------------------------


def _is_table(X: Any) -> bool:
    return isinstance(X, Corpus) or sp.issparse(X) or getattr(X, "ndim", 1) == 2


def _checked(texts: Any) -> Iterator[str]:
    """Iterate over the texts; raise an error if a text is not a str."""
    if isinstance(texts, (str, bytes)):
        raise LaconicError("Expected a list of texts, got a single text; pass [text].")
    try:
        iterator = iter(texts)
    except TypeError as error:
        raise LaconicError(
            f"Texts must be a list or another iterable of str; got {type(texts).__name__}."
        ) from error
    return _each_a_string(iterator)


def _each_a_string(texts: Iterator[Any]) -> Iterator[str]:
    for position, text in enumerate(texts):
        if not isinstance(text, str):
            kind = type(text).__name__
            remedy = (
                "decode it, as in text.decode('utf-8')"
                if isinstance(text, (bytes, bytearray))
                else "use '' for an empty document"
            )
            raise LaconicError(
                f"Document {position} must be a str, but its type is {kind}; {remedy}."
            )
        yield text


def _guess_stop_words(
    texts: Iterator[str], settings: dict[str, Any]
) -> tuple[str | None, Iterator[str]]:
    """Return the language detected from the first texts, and an iterator over all texts."""
    sample = first_texts(texts)
    language, n_words = guess_from_texts(sample, settings)
    logger.info("stop words: %s (detected from %d words)", language or "none", n_words)
    return language, chain(sample, texts)


# --- counts --------------------------------------------------------------------------------------


def _csr(tally: Tally, n_words: int) -> sp.csr_matrix:
    indptr = tally.indptr
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    shape = (len(indptr) - 1, n_words)
    return sp.csr_matrix((tally.data, tally.indices, indptr), shape=shape)


def _sorted_csr(tally: Tally, n_words: int) -> sp.csr_matrix:
    counts = _csr(tally, n_words)
    counts.sort_indices()
    return counts


def _prune(
    tally: Tally, lexicon: Lexicon, settings: dict[str, Any]
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Apply min_df, max_df and max_features; return counts and words sorted by code points."""
    n_documents = len(tally.indptr) - 1
    if lexicon.size == 0:
        raise LaconicError(_no_words_message(tally, settings))
    low, high = (
        limit if isinstance(limit, int) else limit * n_documents
        for limit in (settings["min_df"], settings["max_df"])
    )
    if high < low <= n_documents:
        raise LaconicError(
            f"max_df={settings['max_df']} keeps only words in at most {high:g} documents, but "
            f"min_df={settings['min_df']} requires at least {low:g} documents; raise max_df or "
            "lower min_df."
        )
    frequency = np.bincount(tally.indices, minlength=lexicon.size)
    in_range = np.flatnonzero((low <= frequency) & (frequency <= high))
    if len(in_range) == 0:
        raise LaconicError(_all_pruned_message(frequency, low, high, settings))
    words, numbers = lexicon.sorted_words(in_range)
    limit = settings["max_features"]
    if limit is not None and len(words) > limit:
        totals = np.bincount(tally.indices, weights=tally.data, minlength=lexicon.size)
        # Sort like scikit-learn, so that equally frequent words are in the same order.
        frequent = np.sort((-totals[numbers].astype(np.int64)).argsort()[:limit])
        words, numbers = words[frequent], numbers[frequent]
    columns = np.full(lexicon.size, -1, dtype=np.int32)
    columns[numbers] = np.arange(len(numbers), dtype=np.int32)
    # Converting to CSC and back sorts the rows in linear time.
    return _csr(tally.renumber(columns), len(words)).tocsc().tocsr(), words


def _no_words_message(tally: Tally, settings: dict[str, Any]) -> str:
    n_documents = len(tally.indptr) - 1
    if n_documents == 0:
        return "There are no documents; pass at least one text."
    if tally.n_tokens == 0:
        pattern = settings["token_pattern"]
        cause = "the tokenizer" if settings["tokenizer"] else f"token_pattern={pattern!r}"
        return (
            f"No words in the {n_documents:,} documents: they are empty, or {cause} finds no words "
            "in them."
        )
    if tally.n_kept == 0:
        stop = settings["stop_words"]
        which = repr(stop) if isinstance(stop, str) else f"a list of {len(stop)}"
        return (
            f"No words remain: stop_words ({which}) removed all {tally.n_tokens:,} words of the "
            f"{n_documents:,} documents; use fewer stop words."
        )
    return (
        f"No words remain: no document has {settings['ngram_range'][0]} words in a row, as "
        f"ngram_range={tuple(settings['ngram_range'])} requires; lower the minimum length."
    )


def _all_pruned_message(
    frequency: np.ndarray, low: float, high: float, settings: dict[str, Any]
) -> str:
    removed = {
        f"min_df={settings['min_df']}": int(np.count_nonzero(frequency < low)),
        f"max_df={settings['max_df']}": int(np.count_nonzero(frequency > high)),
    }
    causes = " and ".join(f"{name} removed {n:,}" for name, n in removed.items() if n)
    return f"No words remain: {causes} of {len(frequency):,} words; lower min_df or raise max_df."
