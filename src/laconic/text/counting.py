"""Batches of texts → tokens → counts; the vocabulary grows from batch to batch.

The texts pass once, in batches of a few million characters. Of each batch Python lower-cases the
documents; a compiled scan of their UTF-8 finds the tokens and numbers the distinct ones (a pattern
that is no run of one class of characters, or a tokenizer, is left to Python). Stop words, n-grams
and counts then work on the numbers, on several threads. Batches join the vocabulary in their order,
so the result depends neither on their size nor on the number of threads. Only counts and distinct
words outlive a batch.
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
from sklearn.feature_extraction.text import strip_accents_ascii, strip_accents_unicode

from laconic.errors import LaconicError
from laconic.kernels import tokens as kernels
from laconic.kernels.tokens import Spans, Table
from laconic.text.stop_words import stop_words

BATCH_CHARACTERS = 2_000_000

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
            f"token_pattern={pattern!r} is not a regular expression: {error}."
        ) from error
    if not isinstance(compiled.pattern, str) or compiled.groups > 1:
        raise LaconicError(
            f"token_pattern={pattern!r} must be a str with at most one group; use (?:…) for others."
        )
    return compiled


@lru_cache(maxsize=8)
def run_classes(pattern: str) -> tuple[np.ndarray, int] | None:
    """What each code point does in a pattern, and its shortest token; None if `re` must do it."""
    parts = _RUN.fullmatch(pattern)
    if parts is None:
        return None
    flags = parts["flags"] or ""
    shortest = 1 + len(parts["more"] or "") // len(parts["item"])
    if parts["fewest"] is not None:
        shortest = int(parts["fewest"])
    if shortest == 0:
        return None  # the empty string is a token too
    item = _members(flags + parts["item"] + "+")
    classes = np.where(item, kernels.BELONGS, kernels.SEPARATES).astype(np.uint8)
    if parts["before"] or parts["after"]:
        word = _members(flags + r"\w+")
        # With a boundary on both sides a token is a whole word; one side says as much only if
        # the class is that of words.
        whole_words = bool(parts["before"] and parts["after"]) and not (item & ~word).any()
        if not whole_words and (item != word).any():
            return None
        classes[word & ~item] = kernels.SPOILS
    return classes, shortest


def _members(runs: str) -> np.ndarray:
    """Which code points a pattern of runs of one class matches, by the word of `re` itself."""
    code_points = np.arange(0x110000, dtype="<u4")
    everything = code_points.tobytes().decode("utf-32-le", "surrogatepass")
    members = np.zeros(len(code_points), dtype=bool)
    for run in re.finditer(runs, everything):
        members[run.start() : run.end()] = True
    return members


# --- one batch -----------------------------------------------------------------------------------


class Batch(NamedTuple):
    """Counts of a few documents, by numbers that hold within the batch."""

    words: Spans  # the distinct words or n-grams
    identifiers: np.ndarray  # int32, one document after the other
    counts: np.ndarray  # int32
    ends: np.ndarray  # int64, where each document's counts end
    n_tokens: int  # found in the texts
    n_kept: int  # of these, not stop words


class Analyzer:
    """How a document becomes words: the settings of a Vectorizer, put to work."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._lowercase = settings["lowercase"]
        accents = settings["strip_accents"]
        self._strip_accents = ACCENTS.get(accents, accents) if accents else None
        self._leaves_ascii = accents in ACCENTS
        self._fewest, self._most = settings["ngram_range"]
        tokenizer = settings["tokenizer"]
        if isinstance(tokenizer, str):
            raise LaconicError(
                f"This model was fitted with the tokenizer {tokenizer!r}, which is not stored with "
                "it; give it to laconic.load(path, tokenizer=…)."
            )
        pattern = settings["token_pattern"]
        self._runs = run_classes(pattern) if tokenizer is None else None
        self._tokenize = tokenizer or compile_pattern(pattern).findall
        self._stop_words = self._stop_table(settings["stop_words"])

    def _stop_table(self, stop: str | Sequence[str] | None) -> Table | None:
        if stop is None:
            return None
        words = stop_words(stop, self.preprocess) if isinstance(stop, str) else stop
        return _table_of(frozenset(words))

    def preprocess(self, text: str) -> str:
        """Lower case, then accents: the order of scikit-learn."""
        if self._lowercase:
            text = text.lower()
        if self._strip_accents is None or (self._leaves_ascii and text.isascii()):
            return text
        stripped = self._strip_accents(text)
        if not isinstance(stripped, str):
            raise LaconicError(f"strip_accents must return a str; it gave {stripped!r}.")
        return stripped

    def prepare(self, documents: list[str]) -> Callable[[], Batch]:
        """Do what needs Python now; what it returns can run on another thread."""
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
                raise LaconicError(f"tokenizer must return words as str; it gave {token!r}.")
        return partial(self._count, as_spans(numbers), np.array(stream, dtype=np.int32), ends)

    def _scan(
        self, text: np.ndarray, text_ends: np.ndarray, classes: np.ndarray, shortest: int
    ) -> Batch:
        spans, token_ends = kernels.find_tokens(text, text_ends, classes, shortest)
        tokens, words = kernels.intern(spans)
        return self._count(words, tokens, token_ends)

    def _count(self, words: Spans, tokens: np.ndarray, ends: np.ndarray) -> Batch:
        n_tokens = len(tokens)
        if self._stop_words is not None:
            found = kernels.match(words, self._stop_words, len(self._stop_words.hashes), False)[0]
            kept = found < 0
            tokens, ends = kernels.keep_tokens(tokens, ends, kept)
            tokens = (np.cumsum(kept, dtype=np.int32) - 1)[tokens]
            words = Spans(words.symbols, *(column[kept] for column in words[1:]))
        n_kept = len(tokens)
        if (self._fewest, self._most) != (1, 1):
            spans, ends = kernels.find_ngrams(tokens, ends, self._fewest, self._most)
            tokens, ngrams = kernels.intern(spans)
            # Once more by letters: ("a b", "c") and ("a", "b c") are the same n-gram.
            spelling, words = kernels.intern(kernels.write_ngrams(ngrams, words))
            tokens = spelling[tokens]
        identifiers, counts, ends = kernels.count_tokens(tokens, ends, len(words.starts))
        return Batch(words, identifiers, counts, ends, n_tokens, n_kept)


def encode(texts: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
    """UTF-8 of the texts one after the other, and where each ends."""
    pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
    # A bytearray, because kernels would be compiled once more for arrays that cannot be written.
    return np.frombuffer(bytearray().join(pieces), dtype=np.uint8), np.cumsum(lengths)


def as_spans(words: Iterable[str]) -> Spans:
    """Words as spans of one text."""
    text, ends = encode(words)
    starts = np.concatenate([np.zeros(1, dtype=np.int64), ends[:-1]])[: len(ends)]
    return kernels.hash_spans(text, starts, ends - starts)


def make_table(words: Iterable[str]) -> Table:
    """Hash table of distinct words, numbered in their order."""
    text, starts, _, hashes = as_spans(words)
    offsets = np.concatenate([starts, [len(text)]])
    return Table(text, offsets, hashes, kernels.make_slots(hashes, 0))


@lru_cache(maxsize=8)
def _table_of(words: frozenset[str]) -> Table:
    """The table of a set of words, which whoever counts text by text asks for each time."""
    return make_table(sorted(words))


# --- all batches ---------------------------------------------------------------------------------


class Lexicon:
    """Words and their numbers: given once, or growing with each batch."""

    def __init__(self, words: Iterable[str] | None = None) -> None:
        self.grows = words is None
        self._table = make_table([] if words is None else words)
        self.size = len(self._table.hashes)

    def match(self, words: Spans) -> np.ndarray:
        """Number of each word, -1 for an unknown one unless the lexicon grows."""
        if self.grows:
            self._make_room(len(words.starts), len(words.symbols))
        found, slots, self.size = kernels.match(words, self._table, self.size, self.grows)
        self._table = self._table._replace(slots=slots)
        return found

    def _make_room(self, n_words: int, n_symbols: int) -> None:
        symbols, offsets, hashes, slots = self._table
        self._table = Table(
            _enlarged(symbols, int(offsets[self.size]) + n_symbols),
            _enlarged(offsets, self.size + 1 + n_words),
            _enlarged(hashes, self.size + n_words),
            slots,
        )

    def sorted_words(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The words of these numbers in order of code points, and the numbers in that order."""
        starts = self._table.offsets[numbers]
        ends = self._table.offsets[numbers + 1]
        keys = kernels.prefixes(self._table.symbols, starts, ends)
        order = np.argsort(keys, kind="stable")
        letters = self._table.symbols[: self._table.offsets[self.size]].tobytes()
        bounds = zip(starts[order].tolist(), ends[order].tolist(), strict=True)
        pieces = [letters[start:end] for start, end in bounds]
        # UTF-8 sorts as code points do; only words with the same first bytes are left to sort.
        tied = np.flatnonzero(keys[order[1:]] == keys[order[:-1]]) + 1
        for run in np.split(tied, np.flatnonzero(np.diff(tied) != 1) + 1) if len(tied) else []:
            first, last = int(run[0]) - 1, int(run[-1]) + 1
            ranks = sorted(range(first, last), key=pieces.__getitem__)
            order[first:last] = order[ranks]
            pieces[first:last] = [pieces[rank] for rank in ranks]
        words = np.empty(len(pieces), dtype=object)
        words[:] = [piece.decode("utf-8", "surrogatepass") for piece in pieces]
        return words, numbers[order]


def _enlarged(array: np.ndarray, size: int) -> np.ndarray:
    """The array, or one with the same beginning and room for at least `size` elements."""
    if size <= len(array):
        return array
    larger = np.empty(max(size, 2 * len(array)), dtype=array.dtype)
    larger[: len(array)] = array
    return larger


class Tally(NamedTuple):
    """Counts of all documents as the arrays of a CSR matrix whose columns are a lexicon's words."""

    indptr: np.ndarray  # int64
    indices: np.ndarray  # int32, not sorted
    data: np.ndarray  # int32
    n_tokens: int
    n_kept: int

    def renumber(self, columns: np.ndarray) -> Tally:
        """The same counts with columns[j] for column j, those with -1 left out."""
        indices = columns[self.indices]
        kept = indices >= 0
        if kept.all():
            return self._replace(indices=indices)
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        return self._replace(indptr=indptr, indices=indices[kept], data=self.data[kept])


def count(texts: Iterator[str], analyzer: Analyzer, lexicon: Lexicon, n_threads: int) -> Tally:
    """Count words; a lexicon that grows learns them, of any other only the known ones count."""
    none = np.empty(0, dtype=np.int32)
    parts = [Tally(np.zeros(1, dtype=np.int64), none, none, 0, 0)]
    for batch in _in_order(map(analyzer.prepare, batches(texts, BATCH_CHARACTERS)), n_threads):
        indptr = np.concatenate([[0], batch.ends])
        part = Tally(indptr, batch.identifiers, batch.counts, batch.n_tokens, batch.n_kept)
        parts.append(part.renumber(lexicon.match(batch.words)))
    indptr, indices, data, n_tokens, n_kept = zip(*parts, strict=True)
    return Tally(
        np.concatenate([[0], *map(np.diff, indptr)]).cumsum(),
        np.concatenate(indices),
        np.concatenate(data),
        sum(n_tokens),
        sum(n_kept),
    )


def _in_order(jobs: Iterator[Callable[[], Batch]], n_threads: int) -> Iterator[Batch]:
    """Results of the jobs in their order, of which only a few are ready or waiting at a time."""
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
    """Lists of consecutive texts of that many characters or, by one text at most, more."""
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
