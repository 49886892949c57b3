"""Tokenise texts in batches and count their words; the vocabulary grows from batch to batch.

The texts are read once, in batches of a few million characters. For each batch, Python lower-cases
the documents. Compiled code then finds the tokens in their UTF-8 and assigns a number to each
distinct token. For a custom tokenizer, or a pattern that is not a run of one class of characters,
Python does this instead. The next steps (remove stop words, build n-grams, count) use only these
numbers and run on several threads. Batches are merged into the vocabulary in order, so the result
depends neither on the batch size nor on the number of threads. Only the counts and the distinct
words of a batch are kept in memory.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from laconic.errors import LaconicError
from laconic.kernels import tokens as kernels
from laconic.kernels.tokens import Spans, Table
from laconic.text.accents import strip_accents_ascii, strip_accents_unicode
from laconic.text.forms import FormLexicon, lemmatizer_of
from laconic.text.segmentation import tokenizer_of
from laconic.text.stop_words import stop_words

BATCH_CHARACTERS = 2_000_000
GAPS = np.frombuffer(b" \t\r\n-", dtype=np.uint8)  # bytes that may separate the words of a phrase

ACCENTS: dict[str, Callable[[str], str]] = {
    "ascii": strip_accents_ascii,
    "unicode": strip_accents_unicode,
}

# --- token patterns ------------------------------------------------------------------------------

_ONE_CLASS = r"\\[wds]|\[\^?(?:[^\]\[\\]|\\.)+\]"
_RUN = re.compile(
    rf"(?P<flags>\(\?[aiu]+\))?(?P<before>\\b)?(?P<item>{_ONE_CLASS})"
    r"(?:(?P<more>(?P=item)*)\+|\{(?P<fewest>\d+),\})(?P<after>\\b)?",
    re.DOTALL,
)


def compile_pattern(pattern: Any) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise LaconicError(
            f"token_pattern={pattern!r} is not a valid regular expression: {error}."
        ) from error
    if not isinstance(compiled.pattern, str) or compiled.groups > 1:
        raise LaconicError(
            f"token_pattern={pattern!r} must be a str with at most one capturing group; use (?:…) "
            "for other groups."
        )
    return compiled


@lru_cache(maxsize=8)
def run_classes(pattern: str) -> tuple[np.ndarray, int] | None:
    """Return the class of each code point and the minimum token length of a pattern.

    Return None if the pattern is not a run of one class of characters, so that `re` is needed.
    """
    parts = _RUN.fullmatch(pattern)
    if parts is None:
        return None
    flags = parts["flags"] or ""
    shortest = 1 + len(parts["more"] or "") // len(parts["item"])
    if parts["fewest"] is not None:
        shortest = int(parts["fewest"])
    if shortest == 0:
        return None  # the pattern also matches the empty string
    item = _members(flags + parts["item"] + "+")
    classes = np.where(item, kernels.BELONGS, kernels.SEPARATES).astype(np.uint8)
    if parts["before"] or parts["after"]:
        word = _members(flags + r"\w+")
        # Tokens are whole words if \b is on both sides and the class has only word characters, or
        # if \b is on one side and the class is \w.
        whole_words = bool(parts["before"] and parts["after"]) and not (item & ~word).any()
        if not whole_words and (item != word).any():
            return None
        classes[word & ~item] = kernels.SPOILS
    return classes, shortest


def _members(runs: str) -> np.ndarray:
    """Find the code points in a class with `re`; `runs` is the pattern of a run of the class."""
    code_points = np.arange(0x110000, dtype="<u4")
    everything = code_points.tobytes().decode("utf-32-le", "surrogatepass")
    members = np.zeros(len(code_points), dtype=bool)
    for run in re.finditer(runs, everything):
        members[run.start() : run.end()] = True
    return members


# --- one batch -----------------------------------------------------------------------------------


class Tally(NamedTuple):
    """Counts of all documents as CSR arrays; the columns are word numbers in a Lexicon."""

    indptr: np.ndarray  # int64
    indices: np.ndarray  # int32, not sorted
    data: np.ndarray  # int32
    n_tokens: int
    n_kept: int

    @property
    def n_documents(self) -> int:
        return len(self.indptr) - 1

    def renumber(self, columns: np.ndarray) -> Tally:
        """Replace column j by ``columns[j]``, or drop it if ``columns[j]`` is -1."""
        indices = columns[self.indices]
        keep = indices >= 0
        if keep.all():
            return self._replace(indices=indices)
        indptr = np.concatenate([[0], np.cumsum(keep)])[self.indptr]
        return self._replace(indptr=indptr, indices=indices[keep], data=self.data[keep])

    def csr(self, n_words: int) -> sp.csr_matrix:
        """Return a matrix with sorted columns; equal columns of a document are added."""
        indptr = self.indptr
        if indptr[-1] <= np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)
        shape = (len(indptr) - 1, n_words)
        # Converting to CSC and back sorts the rows in linear time.
        counts = sp.csr_matrix((self.data, self.indices, indptr), shape=shape).tocsc().tocsr()
        counts.sum_duplicates()
        return counts


class Batch(NamedTuple):
    """Counts of a few documents; words are numbered within the batch."""

    words: Spans  # the distinct words or n-grams
    identifiers: np.ndarray  # int32, word numbers of all documents, one document after the other
    counts: np.ndarray  # int32
    ends: np.ndarray  # int64, index in `identifiers` and `counts` where each document ends
    n_tokens: int  # number of tokens in the texts
    n_kept: int  # number of tokens that are not stop words

    def tally(self) -> Tally:
        """Return the counts as CSR arrays; the columns are word numbers within the batch."""
        indptr = np.concatenate([[0], self.ends])
        return Tally(indptr, self.identifiers, self.counts, self.n_tokens, self.n_kept)


class Analyzer:
    """Preprocess, tokenise and count documents with the settings of a Vectorizer."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._lowercase = settings["lowercase"]
        accents = settings["strip_accents"]
        self._strip_accents = ACCENTS.get(accents, accents) if accents else None
        self._leaves_ascii = accents in ACCENTS
        self._min_n, self._max_n = settings["ngram_range"]
        self._phrases = settings["phrases"]
        tokenizer = tokenizer_of(settings)
        pattern = settings["token_pattern"]
        self._runs = run_classes(pattern) if tokenizer is None else None
        self._tokenize = tokenizer or compile_pattern(pattern).findall
        self._stops = self._stop_set(settings["stop_words"])
        self._lists_words = tokenizer is None and not self._phrases and self._max_n == 1

    def _stop_set(self, stop: str | Sequence[str] | None) -> frozenset[str] | None:
        if stop is None:
            return None
        return frozenset(stop_words(stop, self.preprocess) if isinstance(stop, str) else stop)

    @property
    def _stop_words(self) -> Table | None:
        return None if self._stops is None else _table_of(self._stops)

    def words(self, text: str) -> list[str] | None:
        """Return the counted words of a short text in order; None if pairs of words are counted.

        The words are those of `prepare`. For a text of a few words, Python is faster than kernels.
        """
        if not self._lists_words:
            return None
        words = self._tokenize(self.preprocess(text))
        return [word for word in words if word not in self._stops] if self._stops else list(words)

    def preprocess(self, text: str) -> str:
        """Convert to lower case, then strip accents, in the same order as scikit-learn."""
        if self._lowercase:
            text = text.lower()
        if self._strip_accents is None or (self._leaves_ascii and text.isascii()):
            return text
        stripped = self._strip_accents(text)
        if not isinstance(stripped, str):
            raise LaconicError(f"strip_accents must return a str; it returned {stripped!r}.")
        return stripped

    def prepare(self, documents: list[str]) -> Callable[[], Batch]:
        """Do the work that needs Python; return a function that does the rest on any thread."""
        prepared = map(self.preprocess, documents)
        if self._runs is not None:
            text, ends = encode(prepared)
            return partial(self._scan, text, ends, *self._runs)
        numbers: dict[str, int] = {}
        stream: list[int] = []
        ends = np.empty(len(documents), dtype=np.int64)
        for i, document in enumerate(prepared):
            stream.extend(
                [numbers.setdefault(token, len(numbers)) for token in self._tokenize(document)]
            )
            ends[i] = len(stream)
        for token in numbers:
            if not isinstance(token, str):
                raise LaconicError(f"tokenizer must return words as str; it returned {token!r}.")
        return partial(self._count, as_spans(numbers), np.array(stream, dtype=np.int32), ends)

    def _scan(
        self, text: np.ndarray, text_ends: np.ndarray, classes: np.ndarray, shortest: int
    ) -> Batch:
        spans, token_ends = kernels.find_tokens(text, text_ends, classes, shortest)
        tokens, words = kernels.intern(spans)
        if self._phrases:
            return self._count_pairs(words, tokens, token_ends, _follow_at_once(text, spans))
        return self._count(words, tokens, token_ends)

    def _count(self, words: Spans, tokens: np.ndarray, ends: np.ndarray) -> Batch:
        n_tokens = len(tokens)
        if self._phrases:
            return self._count_pairs(words, tokens, ends, np.ones(n_tokens, dtype=bool))
        if self._stop_words is not None:
            numbers = kernels.match(words, self._stop_words, len(self._stop_words.hashes), False)[0]
            keep = numbers < 0
            tokens, ends = kernels.keep_tokens(tokens, ends, keep)
            tokens = (np.cumsum(keep, dtype=np.int32) - 1)[tokens]
            words = Spans(words.symbols, *(column[keep] for column in words[1:]))
        n_kept = len(tokens)
        if (self._min_n, self._max_n) != (1, 1):
            spans, ends = kernels.find_ngrams(tokens, ends, self._min_n, self._max_n)
            tokens, ngrams = kernels.intern(spans)
            # Number n-grams again by spelling, because ("a b", "c") and ("a", "b c") are equal.
            spelling, words = kernels.intern(kernels.write_ngrams(ngrams, words))
            tokens = spelling[tokens]
        identifiers, counts, ends = kernels.count_tokens(tokens, ends, len(words.starts))
        return Batch(words, identifiers, counts, ends, n_tokens, n_kept)

    def _count_pairs(
        self, words: Spans, tokens: np.ndarray, ends: np.ndarray, is_followed: np.ndarray
    ) -> Batch:
        """Count words and pairs of adjacent words; a pair never contains a stop word.

        `is_followed` tells for each token whether only a space separates it from the next token.
        """
        is_stop = np.zeros(len(words.starts), dtype=bool)
        if self._stop_words is not None:
            n_stop_words = len(self._stop_words.hashes)
            is_stop = kernels.match(words, self._stop_words, n_stop_words, False)[0] >= 0
        spans, pair_ends = kernels.find_ngrams(tokens, ends, 1, 2)
        numbers, distinct = kernels.intern(spans)
        adjacent = (spans.lengths == 1) | is_followed[spans.starts]
        numbers = numbers[adjacent]
        pair_ends = np.concatenate([[0], np.cumsum(adjacent)])[pair_ends]
        n_stop = np.concatenate([[0], np.cumsum(is_stop[distinct.symbols])])
        keep = n_stop[distinct.starts + distinct.lengths] == n_stop[distinct.starts]
        numbers, pair_ends = kernels.keep_tokens(numbers, pair_ends, keep)
        numbers = (np.cumsum(keep, dtype=np.int32) - 1)[numbers]
        distinct = Spans(distinct.symbols, *(column[keep] for column in distinct[1:]))
        spelling, pairs = kernels.intern(kernels.write_ngrams(distinct, words))
        identifiers, counts, pair_ends = kernels.count_tokens(
            spelling[numbers], pair_ends, len(pairs.starts)
        )
        n_kept = int(np.count_nonzero(~is_stop[tokens]))
        return Batch(pairs, identifiers, counts, pair_ends, len(tokens), n_kept)


def _follow_at_once(text: np.ndarray, spans: Spans) -> np.ndarray:
    """Return for each token whether only white space or a hyphen is before the next token."""
    n_others = np.concatenate([[0], np.cumsum(~np.isin(text, GAPS))])
    stops = spans.starts + spans.lengths
    next_starts = np.append(spans.starts[1:], stops[-1:])
    return np.asarray(n_others[next_starts] == n_others[stops])


def encode(texts: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
    """Concatenate the UTF-8 bytes of the texts; return the bytes and the end of each text."""
    return join_encoded([text.encode("utf-8", "surrogatepass") for text in texts])


def join_encoded(pieces: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Concatenate UTF-8 bytes; return the bytes and the end of each piece."""
    lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    # Use a writable bytearray, because kernels would be compiled again for read-only arrays.
    return np.frombuffer(bytearray().join(pieces), dtype=np.uint8), np.cumsum(lengths)


def as_spans(words: Iterable[str]) -> Spans:
    """Concatenate words into one text; return the positions of the words as Spans."""
    return _spans(*encode(words))


def encoded_spans(words: list[bytes]) -> Spans:
    """Concatenate the UTF-8 bytes of words; return the positions of the words as Spans."""
    return _spans(*join_encoded(words))


def _spans(text: np.ndarray, ends: np.ndarray) -> Spans:
    starts = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1]])[: len(ends)]
    return kernels.hash_spans(text, starts, ends - starts)


def make_table(words: Iterable[str]) -> Table:
    """Build a hash table of distinct words, numbered in the given order."""
    text, starts, _, hashes = as_spans(words)
    offsets = np.concatenate([starts, [len(text)]])
    return Table(text, offsets, hashes, kernels.make_slots(hashes, 0))


@lru_cache(maxsize=8)
def _table_of(words: frozenset[str]) -> Table:
    """Return the hash table of a set of words; the cache helps if texts are passed one by one."""
    return make_table(sorted(words))


# --- all batches ---------------------------------------------------------------------------------


class Lexicon:
    """Mapping from words to numbers; if `words` is None, new words are added to the mapping."""

    def __init__(self, words: Iterable[str] | None = None) -> None:
        self.grows = words is None
        self._table = make_table([] if words is None else words)
        self.size = len(self._table.hashes)

    def match(self, words: Spans) -> np.ndarray:
        """Return the number of each word; a new word is added, or is -1 if the lexicon is fixed."""
        if self.grows:
            self._make_room(len(words.starts), len(words.symbols))
        numbers, slots, self.size = kernels.match(words, self._table, self.size, self.grows)
        self._table = self._table._replace(slots=slots)
        return numbers

    def _make_room(self, n_words: int, n_symbols: int) -> None:
        symbols, offsets, hashes, slots = self._table
        self._table = Table(
            _enlarged(symbols, int(offsets[self.size]) + n_symbols),
            _enlarged(offsets, self.size + 1 + n_words),
            _enlarged(hashes, self.size + n_words),
            slots,
        )

    def sort(self, numbers: np.ndarray) -> np.ndarray:
        """Return the given word numbers, sorted by the code points of the words."""
        starts, ends = self._table.offsets[numbers], self._table.offsets[numbers + 1]
        keys = kernels.prefixes(self._table.symbols, starts, ends)
        order = np.argsort(keys, kind="stable")
        ordered = numbers[order]
        # UTF-8 sorts like code points. Only words with equal first bytes remain to be sorted.
        is_equal = keys[order[1:]] == keys[order[:-1]]
        tied = np.flatnonzero(np.append(is_equal, False) | np.insert(is_equal, 0, False))
        pieces = self.encoded(ordered[tied])
        ordered[tied] = ordered[tied[sorted(range(len(tied)), key=pieces.__getitem__)]]
        return ordered

    def encoded(self, numbers: np.ndarray) -> list[bytes]:
        """Return the UTF-8 bytes of the words with the given numbers."""
        letters = memoryview(self._table.symbols)  # type: ignore[arg-type]
        starts, ends = self._table.offsets[numbers], self._table.offsets[numbers + 1]
        bounds = zip(starts.tolist(), ends.tolist(), strict=True)
        return [letters[start:end].tobytes() for start, end in bounds]

    def sorted_words(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the words with the given numbers, sorted by code point, and the sorted numbers."""
        numbers = self.sort(numbers)
        return decoded(self.encoded(numbers)), numbers


def decoded(pieces: Sequence[bytes]) -> np.ndarray:
    """Decode the UTF-8 bytes of words."""
    words = np.empty(len(pieces), dtype=object)
    words[:] = [piece.decode("utf-8", "surrogatepass") for piece in pieces]
    return words


def make_lexicon(words: Iterable[str], settings: dict[str, Any]) -> Lexicon | FormLexicon:
    """Return the mapping from words to columns of a vocabulary; all forms of a word are mapped."""
    if settings["lemmatizer"] is None:
        return Lexicon(words)
    return FormLexicon(words, lemmatizer_of(settings))


def _enlarged(array: np.ndarray, size: int) -> np.ndarray:
    """Return the array if it has at least `size` elements, otherwise a larger copy."""
    if size <= len(array):
        return array
    larger = np.empty(max(size, 2 * len(array)), dtype=array.dtype)
    larger[: len(array)] = array
    return larger


def count_batches(texts: Iterator[str], analyzer: Analyzer, n_threads: int) -> Iterator[Batch]:
    """Yield the counts of batches of texts, in the order of the texts."""
    return _in_order(map(analyzer.prepare, batches(texts, BATCH_CHARACTERS)), n_threads)


def count(
    texts: Iterator[str], analyzer: Analyzer, lexicon: Lexicon | FormLexicon, n_threads: int
) -> Tally:
    """Count words; a fixed lexicon ignores new words, and any other lexicon adds them."""
    parts = [
        batch.tally().renumber(lexicon.match(batch.words))
        for batch in count_batches(texts, analyzer, n_threads)
    ]
    return concatenated(parts)


def concatenated(parts: list[Tally]) -> Tally:
    """Return the counts of all documents of several parts."""
    empty = np.empty(0, dtype=np.int32)
    parts = [Tally(np.zeros(1, dtype=np.int64), empty, empty, 0, 0), *parts]
    indptr, indices, data, n_tokens, n_kept = zip(*parts, strict=True)
    return Tally(
        np.concatenate([[0], *map(np.diff, indptr)]).cumsum(),
        np.concatenate(indices),
        np.concatenate(data),
        sum(n_tokens),
        sum(n_kept),
    )


def _in_order(jobs: Iterator[Callable[[], Batch]], n_threads: int) -> Iterator[Batch]:
    """Yield the results of the jobs in order; to save memory, only a few jobs run at a time."""
    first = list(islice(jobs, 2))
    jobs = chain(first, jobs)
    if n_threads == 1 or len(first) < 2:
        yield from (job() for job in jobs)
        return
    waiting: deque[Future[Batch]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        for job in jobs:
            waiting.append(pool.submit(job))
            if len(waiting) > n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def batches(texts: Iterator[str], n_characters: int) -> Iterator[list[str]]:
    """Yield lists of consecutive texts; end a list once it has `n_characters` characters."""
    batch: list[str] = []
    size = 0
    for text in texts:
        batch.append(text)
        size += len(text)
        if size >= n_characters:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
