"""Vectorizer: count the words of texts with a vocabulary that is learned or given.

The module `laconic.text.counting` tokenises and counts texts, and `laconic.text.selection` selects
the words.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from laconic.corpus.corpus import Corpus
from laconic.corpus.outputs import as_output, check_output
from laconic.corpus.tokens import COUNT_TOKENS, SPLIT_TEXTS, are_tokens, join_tokens
from laconic.corpus.vocabulary import Vocabulary
from laconic.engines.callbacks import CallbackSupportMixin, with_callbacks
from laconic.engines.threads import count_workers
from laconic.errors import LaconicError
from laconic.text.counting import Analyzer, Lexicon, count, count_batches, make_lexicon
from laconic.text.defaults import AUTO, without_auto
from laconic.text.forms import FormLexicon
from laconic.text.language import adapt_to_language
from laconic.text.phrases import PhraseSubtraction
from laconic.text.segmentation import TOKEN_PATTERN
from laconic.text.selection import (
    CountsInMemory,
    WordCounts,
    select_words,
    without_phrase_parts,
)
from laconic.text.settings import check_settings, fixed_words

logger = logging.getLogger(__name__)


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
    tokenizer : callable or "icu", optional
        Function that takes a str and returns its tokens; used instead of `token_pattern`. "icu"
        splits texts with the package ``icu4py``, which knows the words of languages without spaces,
        such as Chinese, Japanese and Thai. By default, "icu" is used for these languages if the
        package is installed; otherwise, a warning is issued.
    stop_words : str, collection of str or None, default="auto"
        Words to exclude: a list of words, the name or code of a language ("german", "de"), "auto"
        to detect the language of the texts from their stop words, or None for no stop words. For
        "english", scikit-learn's list is used.
    lemmatizer : "auto", str, callable or None, default=None
        Merge the forms of a word ("model", "models"). For a language ("german", "de"), forms with
        the same Snowball stem are merged, and the most frequent form is the name of the word.
        "auto" detects the language. A callable takes a word and returns its lemma.
    phrases : bool, default=False
        Find phrases, such as "new york": pairs of adjacent words that occur together much more
        often than by chance. A phrase is counted as one word instead of its two words.
    ngram_range : (int, int), default=(1, 1)
        Minimum and maximum length of the n-grams to count.
    min_df, max_df : int, float or "auto", default="auto"
        Minimum and maximum number of documents that contain a word; a float is a share of the
        documents. "auto" depends on the number of documents: from 1,000 documents, words in fewer
        than 5 documents or in more than half of them are dropped; in small collections, rarer
        words are kept (see ``laconic.text.defaults``). To keep every word, set ``stop_words=None,
        min_df=1, max_df=1.0``.
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
        token_pattern: str | None = TOKEN_PATTERN,
        tokenizer: str | Callable[[str], Iterable[str]] | None = None,
        stop_words: str | Iterable[str] | None = AUTO,
        lemmatizer: str | Callable[[str], str] | None = None,
        phrases: bool = False,
        ngram_range: tuple[int, int] = (1, 1),
        min_df: int | float | str = AUTO,
        max_df: int | float | str = AUTO,
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
        self.lemmatizer = lemmatizer
        self.phrases = phrases
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
        X : iterable of str or of lists of tokens, Corpus, or matrix (n_documents, n_words)
        y : ignored
        """
        self._fit(X)
        return self

    @with_callbacks
    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn the vocabulary from texts and count their words.

        Parameters
        ----------
        X : iterable of str or of lists of tokens, Corpus, or matrix (n_documents, n_words)
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
        fixed = None if self.vocabulary is None else fixed_words(self.vocabulary)
        if _is_table(X):
            return self._fit_table(X, settings, fixed)
        texts, are_split = _documents(X)
        if are_split:
            settings |= COUNT_TOKENS
        settings, texts = adapt_to_language(texts, settings, keep_all=fixed is not None)
        if fixed is None:
            lexicon = Lexicon(None)
            tally = count(texts, Analyzer(settings), lexicon, count_workers(self.n_jobs))
            selection = select_words(CountsInMemory(tally, lexicon), settings)
            self._learn(selection.words, settings | selection.limits)
            [counts] = selection.matrices
        else:
            self._learn(fixed, without_auto(settings))
            counts = self._count(texts, self.settings_)
        if are_split:
            self.settings_ |= SPLIT_TEXTS
        return self._as_output(counts)

    def _learn(self, words: np.ndarray, settings: dict[str, Any]) -> None:
        self.vocabulary_: np.ndarray | None = words
        self.settings_ = settings
        self.__dict__.pop("n_features_in_", None)

    def fit_in_parts(self, texts: Iterable[str], folder: Path) -> Iterator[sp.csr_matrix]:
        """Learn the vocabulary from texts and count their words, with counts on disk.

        The result is the same as that of `fit_transform`, but memory does not grow with the number
        of texts.

        Parameters
        ----------
        texts : iterable of str
        folder : Path
            An empty folder for temporary files, which must exist until the last counts are read.

        Returns
        -------
        iterator of csr_matrix
            The counts of consecutive documents. If the vocabulary is fixed, texts are read when
            their counts are needed.
        """
        settings = check_settings(self.get_params(deep=False))
        fixed = None if self.vocabulary is None else fixed_words(self.vocabulary)
        settings, documents = adapt_to_language(iter(texts), settings, keep_all=fixed is not None)
        workers = count_workers(self.n_jobs)
        if fixed is not None:
            self._learn(fixed, without_auto(settings))
            return self._count_in_parts(documents, workers)
        from laconic.text.parts import CountsOnDisk  # needs polars, which takes time to import

        counts = CountsOnDisk(folder)
        counts.add(documents, Analyzer(settings), workers)
        return self.fit_counts(counts, settings)

    def settings_for(self, texts: Iterable[str]) -> dict[str, Any]:
        """Return the settings, with the language of the first texts in place of "auto"."""
        settings = check_settings(self.get_params(deep=False))
        return adapt_to_language(iter(texts), settings, keep_all=False)[0]

    def fit_counts(self, counts: WordCounts, settings: dict[str, Any]) -> Iterator[sp.csr_matrix]:
        """Learn the vocabulary from the counts of all words; yield the counts of its words."""
        selection = select_words(counts, settings)
        self._learn(selection.words, settings | selection.limits)
        return selection.matrices

    def _count_in_parts(self, texts: Iterator[str], workers: int) -> Iterator[sp.csr_matrix]:
        """Count the words of the vocabulary in batches of texts."""
        words, lexicon = self._words().words, self._lexicon()
        subtract = PhraseSubtraction(words) if self.settings_["phrases"] else None
        for batch in count_batches(texts, Analyzer(self.settings_), workers):
            counts = batch.tally().renumber(lexicon.match(batch.words)).csr(len(words))
            yield counts if subtract is None else subtract(counts)

    def _count(self, texts: Iterator[str], settings: dict[str, Any]) -> sp.csr_matrix:
        """Count the words of the vocabulary."""
        assert self.vocabulary_ is not None
        workers = count_workers(self.n_jobs)
        tally = count(texts, Analyzer(settings), self._lexicon(), workers)
        counts = tally.csr(len(self.vocabulary_))
        return without_phrase_parts(counts, self.vocabulary_, settings)

    def _as_output(self, counts: sp.csr_matrix) -> Any:
        if self.output == "csr":
            return counts
        return Corpus(counts, self._words(), vectorizer=self.settings_)

    def transform(self, X: Any) -> Any:
        """Count the words of the vocabulary in texts.

        Parameters
        ----------
        X : iterable of str or of lists of tokens, Corpus, or matrix (n_documents, n_words)
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
        texts, are_split = _documents(X)
        settings = self.settings_ | COUNT_TOKENS if are_split else self.settings_
        return self._as_output(self._count(texts, settings))

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
        self.settings_ = without_auto(combined)  # there are no texts to choose the values from
        self.vocabulary_ = words if fixed is None else fixed
        self.n_features_in_ = X.shape[1] if fixed is None else len(fixed)
        return self._align(X)

    def _align(self, X: Any) -> Any:
        if isinstance(X, Corpus) and X.vocabulary is not None and self.vocabulary_ is not None:
            return as_output(self, self.align(X))
        width = self.n_features_in_ if self.vocabulary_ is None else len(self.vocabulary_)
        if X.shape[1] != width:
            raise LaconicError(
                f"The matrix has {X.shape[1]:,} columns, but this Vectorizer was fitted with "
                f"{width:,}; pass a matrix with {width:,} columns, or a Corpus with words."
            )
        return as_output(self, X)

    def align(self, corpus: Corpus) -> Corpus:
        """Return a corpus with the columns of this Vectorizer.

        Columns are aligned by word. If words of the corpus were left out when it was read, for
        example rare words, its texts are counted again, because the vocabulary may contain them.
        """
        words, settings = self._words(), corpus.vectorizer or {}
        same_words = corpus.vocabulary is not None and np.array_equal(
            corpus.vocabulary, words.words
        )
        if same_words or not _is_pruned(settings):
            return corpus.align(words)
        if corpus.has("texts"):
            with suppress(_NoTextError):
                return corpus.recounted(self._recount(corpus), words, self.settings_)
        logger.warning(
            "Words were left out when the documents were read (min_df=%s, max_df=%s), although "
            "the model may know them; read the documents with vocabulary=model.",
            settings.get("min_df", 1),
            settings.get("max_df", 1.0),
        )
        return corpus.align(words)

    def _recount(self, corpus: Corpus) -> Iterator[sp.csr_matrix]:
        """Count the texts of a corpus, in parts if they are on disk."""
        parts = [corpus] if corpus.path is None else corpus.replace(titles=None).parts()
        for part in parts:
            texts = part.texts
            if texts is None or not all(isinstance(text, str) for text in texts):
                raise _NoTextError
            yield self._count(iter(texts), self.settings_)

    def _words(self) -> Vocabulary:
        """Return the Vocabulary, which is cached in case texts are transformed one by one."""
        words: Vocabulary | None = self.__dict__.get("_cached_words")
        if words is None or words.words is not self.vocabulary_:
            assert self.vocabulary_ is not None
            words = self._cached_words = Vocabulary(self.vocabulary_)
            self.vocabulary_ = words.words
            self.__dict__.pop("_cached_lexicon", None)
        return words

    def _lexicon(self) -> Lexicon | FormLexicon:
        """Return the Lexicon of the vocabulary, which is cached."""
        words = self._words()
        if "_cached_lexicon" not in self.__dict__:
            self._cached_lexicon = make_lexicon(words, self.settings_)
        return self._cached_lexicon

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if not name.startswith("_cached")}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.sparse = True
        return tags


class _NoTextError(Exception):
    """A document has no text to count."""


def _is_pruned(settings: Mapping[str, Any]) -> bool:
    """Return whether rare or frequent words were left out when words were counted."""
    return settings.get("min_df", 1) != 1 or settings.get("max_df", 1.0) != 1.0


# --- texts ---------------------------------------------------------------------------------------


def _is_table(X: Any) -> bool:
    return isinstance(X, Corpus) or sp.issparse(X) or getattr(X, "ndim", 1) == 2


def _documents(texts: Any) -> tuple[Iterator[str], bool]:
    """Return an iterator over the texts, and whether the documents are lists of tokens.

    Lists of tokens are joined to texts that `COUNT_TOKENS` splits again.
    """
    if isinstance(texts, (str, bytes)):
        raise LaconicError("Expected a list of texts, got a single text; pass [text].")
    try:
        iterator = iter(texts)
    except TypeError as error:
        raise LaconicError(
            f"Texts must be a list or another iterable of str; got {type(texts).__name__}."
        ) from error
    first = next(iterator, None)
    documents = iterator if first is None else chain([first], iterator)
    if are_tokens(first):
        return (join_tokens(tokens, row) for row, tokens in enumerate(documents)), True
    return _each_a_string(documents), False


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
