"""Where words stand in documents: chunks of texts, of tokens or of counts, and their readers.

A window slides over *all* tokens of a text, stop words and rare words among them, as the
vectoriser of the corpus finds them: the distance of two words is the one a reader sees. For another
choice, give lists of tokens.
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
    Lexicon,
    as_spans,
    batches,
    compile_pattern,
    encode,
    make_table,
    run_classes,
)
from laconic.text.stop_words import stop_words

BATCH_CHARACTERS = 1_000_000
BATCH_DOCUMENTS = 1000


class Places(NamedTuple):
    """Words of interest in some documents, one document after the other."""

    words: np.ndarray  # int32, numbers of words
    places: np.ndarray  # int64, which token of its document
    ends: np.ndarray  # int64, where the words of each document end
    lengths: np.ndarray  # int64, tokens of each document


@dataclass(frozen=True)
class Documents:
    """Consecutive documents: texts, or lists of tokens."""

    documents: Sequence[Any]
    start: int
    stop: int

    def load(self) -> Any:
        return self.documents


def chunk_texts(texts: Iterable[str]) -> list[Documents]:
    """Chunks of about a million characters."""
    chunks, start = [], 0
    for batch in batches(iter(texts), BATCH_CHARACTERS):
        chunks.append(Documents(batch, start, start + len(batch)))
        start += len(batch)
    return chunks


def chunk_tokens(documents: Iterable[Any]) -> list[Documents]:
    """Chunks of a thousand documents."""
    documents = list(documents)
    for row, document in enumerate(documents):
        if isinstance(document, str) or not isinstance(document, Sized):
            raise LaconicError(
                f"Document {row} is not a list of words but {type(document).__name__}; give lists "
                "of words, or a Corpus as laconic.read makes one."
            )
    return [
        Documents(documents[start : start + BATCH_DOCUMENTS], start, start + BATCH_DOCUMENTS)
        for start in range(0, len(documents), BATCH_DOCUMENTS)
    ]


def texts_of(corpus: Corpus, advice: str) -> np.ndarray:
    """The texts of a corpus, all of them; `advice` ends the message where one is missing."""
    texts = corpus.texts
    assert texts is not None
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            name = row if corpus.ids is None else corpus.ids[row]
            raise LaconicError(f"Document {name!r} has no text{advice}")
    return texts


# --- readers -------------------------------------------------------------------------------------


class TokenReader:
    """Finds words in lists of tokens."""

    def __init__(self, words: Iterable[str]) -> None:
        self._numbers = {word: number for number, word in enumerate(words)}

    def __call__(self, documents: Sequence[Sequence[str]]) -> Places:
        ends = np.cumsum(np.fromiter(map(len, documents), np.int64, len(documents)))
        found = map(self._numbers.get, chain.from_iterable(documents), repeat(-1))
        return _places(np.fromiter(found, np.int32), ends)


class TextReader:
    """Finds words in texts as a vectoriser with these settings does, stop words or not.

    An n-gram stands where its first word does.
    """

    def __init__(self, words: Iterable[str], settings: dict[str, Any]) -> None:
        self._preprocess = Analyzer({**settings, "stop_words": None}).preprocess
        self._tokenize = settings["tokenizer"]
        self._runs = None
        if self._tokenize is None:
            self._runs = run_classes(settings["token_pattern"])
            self._tokenize = compile_pattern(settings["token_pattern"]).findall
        self._fewest, self._most = settings["ngram_range"]
        self._stop_words = _stop_table(settings["stop_words"], self._preprocess)
        self._lexicon = Lexicon(words)

    def __call__(self, texts: Sequence[str]) -> Places:
        spans, ends = self._scan(list(map(self._preprocess, texts)))
        if (self._fewest, self._most) == (1, 1):
            return _places(self._lexicon.match(spans), ends)
        return self._find_ngrams(spans, ends)

    def _scan(self, texts: list[str]) -> tuple[Spans, np.ndarray]:
        """All tokens, and where those of each text end."""
        if self._runs is not None:
            text, text_ends = encode(texts)
            return kernels.find_tokens(text, text_ends, *self._runs)
        tokens = [list(self._tokenize(text)) for text in texts]
        ends = np.cumsum(np.fromiter(map(len, tokens), np.int64, len(tokens)))
        return as_spans(chain.from_iterable(tokens)), ends

    def _find_ngrams(self, all_tokens: Spans, ends: np.ndarray) -> Places:
        """Runs of words between which only stop words stand."""
        tokens, words = kernels.intern(all_tokens)
        kept = np.ones(len(words.starts), dtype=bool)
        if self._stop_words is not None:
            n_stop_words = len(self._stop_words.hashes)
            kept = kernels.match(words, self._stop_words, n_stop_words, False)[0] < 0
        where = np.flatnonzero(kept[tokens])
        left, left_ends = kernels.keep_tokens(tokens, ends, kept)
        spans, ngram_ends = kernels.find_ngrams(left, left_ends, self._fewest, self._most)
        ngrams, distinct = kernels.intern(spans)
        numbers = self._lexicon.match(kernels.write_ngrams(distinct, words))[ngrams]
        starts = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
        row = np.repeat(np.arange(len(ends)), np.diff(ngram_ends, prepend=0))
        places = where[spans.starts] - starts[row]
        found = numbers >= 0
        word_ends = np.cumsum(np.bincount(row[found], minlength=len(ends)))
        return Places(
            numbers[found], places[found], word_ends.astype(np.int64), np.diff(ends, prepend=0)
        )


def _places(numbers: np.ndarray, ends: np.ndarray) -> Places:
    words, places, word_ends = pick_places(numbers, ends)
    return Places(words, places, word_ends, np.diff(ends, prepend=0))


def _stop_table(stop: Any, preprocess: Any) -> Table | None:
    if stop is None:
        return None
    words = stop_words(stop, preprocess) if isinstance(stop, str) else stop
    return make_table(sorted(set(words)))


def settings_of(corpus: Corpus) -> dict[str, Any]:
    """The settings that counted a corpus; those of a plain Vectorizer where it does not say."""
    from laconic.text.vectorizer import complete_settings

    settings = complete_settings(corpus.vectorizer)
    if settings["stop_words"] == "auto":
        settings["stop_words"] = None
    return settings
