"""Positions of words in documents, for co-occurrence in sliding windows.

Texts are tokenised with the settings of the corpus. A window slides over *all* tokens, including
stop words and rare words, so the distance between two words is their distance in the text. To use
other tokens, pass lists of tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.kernels import tokens as kernels
from laconic.kernels.tokens import Spans, Table
from laconic.kernels.windows import pick_places
from laconic.text.counting import (
    Analyzer,
    as_spans,
    batches,
    compile_pattern,
    encode,
    make_lexicon,
    make_table,
    run_classes,
)
from laconic.text.segmentation import tokenizer_of
from laconic.text.stop_words import stop_words

BATCH_CHARACTERS = 1_000_000
BATCH_DOCUMENTS = 1000


class Positions(NamedTuple):
    """Positions of selected words; the arrays contain all documents, one after the other."""

    words: np.ndarray  # int32, word numbers
    positions: np.ndarray  # int64, index of the token within the document
    ends: np.ndarray  # int64, index in `words` and `positions` where each document ends
    lengths: np.ndarray  # int64, number of tokens in each document


@dataclass(frozen=True)
class Documents:
    """Chunk of consecutive documents, as texts or lists of tokens."""

    documents: Sequence[Any]
    start: int
    stop: int

    def load(self) -> Any:
        return self.documents


def chunk_texts(texts: Iterable[str]) -> list[Documents]:
    """Split texts into chunks of about a million characters."""
    chunks, start = [], 0
    for batch in batches(iter(texts), BATCH_CHARACTERS):
        chunks.append(Documents(batch, start, start + len(batch)))
        start += len(batch)
    return chunks


def chunk_tokens(documents: Iterable[Any]) -> list[Documents]:
    """Split lists of tokens into chunks of a thousand documents."""
    documents = list(documents)
    for row, document in enumerate(documents):
        if isinstance(document, str) or not isinstance(document, Sized):
            raise LaconicError(
                f"Document {row} must be a list of words; got {type(document).__name__}. Pass "
                "lists of words, or a Corpus from laconic.read."
            )
    return [
        Documents(documents[start : start + BATCH_DOCUMENTS], start, start + BATCH_DOCUMENTS)
        for start in range(0, len(documents), BATCH_DOCUMENTS)
    ]


def texts_of(corpus: Corpus, advice: str) -> np.ndarray:
    """Return the texts of a corpus; the error for a document without a text ends with `advice`."""
    texts = corpus.texts
    assert texts is not None
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            name = row if corpus.ids is None else corpus.ids[row]
            raise LaconicError(f"Document {name!r} has no text{advice}")
    return texts


# --- readers -------------------------------------------------------------------------------------


class TokenReader:
    """Find words in lists of tokens."""

    def __init__(self, words: Iterable[str]) -> None:
        self._numbers = {word: number for number, word in enumerate(words)}

    def __call__(self, documents: Sequence[Sequence[str]]) -> Positions:
        ends = np.cumsum(np.fromiter(map(len, documents), np.int64, len(documents)))
        numbers = map(self._numbers.get, chain.from_iterable(documents), repeat(-1))
        return _positions(np.fromiter(numbers, np.int32), ends)


class TextReader:
    """Find words in texts, which are tokenised with the given Vectorizer settings.

    A position is the number of preceding tokens, including stop words. The position of an n-gram is
    the position of its first word.
    """

    def __init__(self, words: Iterable[str], settings: dict[str, Any]) -> None:
        self._preprocess = Analyzer({**settings, "stop_words": None}).preprocess
        tokenizer, pattern = tokenizer_of(settings), settings["token_pattern"]
        self._runs = run_classes(pattern) if tokenizer is None else None
        self._tokenize = tokenizer or compile_pattern(pattern).findall
        # Phrases consist of adjacent words, and no phrase contains a stop word.
        lengths: list[int] = [1, 2] if settings["phrases"] else settings["ngram_range"]
        self._min_n, self._max_n = lengths
        stop = None if settings["phrases"] else settings["stop_words"]
        self._stop_words = _stop_table(stop, self._preprocess)
        self._lexicon = make_lexicon(words, settings)

    def __call__(self, texts: Sequence[str]) -> Positions:
        spans, ends = self._scan(list(map(self._preprocess, texts)))
        if (self._min_n, self._max_n) == (1, 1):
            return _positions(self._lexicon.match(spans), ends)
        return self._find_ngrams(spans, ends)

    def _scan(self, texts: list[str]) -> tuple[Spans, np.ndarray]:
        """Return the tokens of all texts, and the index where the tokens of each text end."""
        if self._runs is not None:
            text, text_ends = encode(texts)
            return kernels.find_tokens(text, text_ends, *self._runs)
        tokens = [list(self._tokenize(text)) for text in texts]
        ends = np.cumsum(np.fromiter(map(len, tokens), np.int64, len(tokens)))
        return as_spans(chain.from_iterable(tokens)), ends

    def _find_ngrams(self, all_tokens: Spans, ends: np.ndarray) -> Positions:
        """Find n-grams: runs of words with only stop words between them."""
        tokens, words = kernels.intern(all_tokens)
        keep = np.ones(len(words.starts), dtype=bool)
        if self._stop_words is not None:
            n_stop_words = len(self._stop_words.hashes)
            keep = kernels.match(words, self._stop_words, n_stop_words, False)[0] < 0
        original = np.flatnonzero(keep[tokens])  # positions of the kept tokens in `tokens`
        remaining, remaining_ends = kernels.keep_tokens(tokens, ends, keep)
        spans, ngram_ends = kernels.find_ngrams(remaining, remaining_ends, self._min_n, self._max_n)
        ngrams, distinct = kernels.intern(spans)
        numbers = self._lexicon.match(kernels.write_ngrams(distinct, words))[ngrams]
        starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
        row = np.repeat(np.arange(len(ends)), np.diff(ngram_ends, prepend=0))
        positions = original[spans.starts] - starts[row]
        known = numbers >= 0  # whether an n-gram is in the vocabulary
        word_ends = np.cumsum(np.bincount(row[known], minlength=len(ends)))
        return Positions(
            numbers[known], positions[known], word_ends.astype(np.int64), np.diff(ends, prepend=0)
        )


def _positions(numbers: np.ndarray, ends: np.ndarray) -> Positions:
    words, positions, word_ends = pick_places(numbers, ends)
    return Positions(words, positions, word_ends, np.diff(ends, prepend=0))


def _stop_table(stop: Any, preprocess: Any) -> Table | None:
    if stop is None:
        return None
    words = stop_words(stop, preprocess) if isinstance(stop, str) else stop
    return make_table(sorted(set(words)))


def settings_of(corpus: Corpus) -> dict[str, Any]:
    """Return the Vectorizer settings of a corpus; missing settings have their defaults."""
    from laconic.text.defaults import complete_settings

    return complete_settings(corpus.vectorizer)
