"""Which words the documents have: an inverted index of word stems, weighted by BM25.

A word counts in a document by::

    ln(1 + (N - df + 1/2) / (df + 1/2)) · tf / (tf + k1 (1 - b + b · length / mean length))

which is what ``bm25s`` calls "lucene"; a test holds the two equal. The weights are computed from
counts, all documents at once, and kept as the arrays that a ``bm25s.BM25`` scores queries with.

Words are read as the corpus reads them, but all of them: neither rare nor frequent ones are left
out, only stop words. Forms of a word are one (Snowball's stems), and so are capitals and accents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Any

import bm25s
import numpy as np
import scipy.sparse as sp
import Stemmer

from laconic.corpus.corpus import Corpus
from laconic.corpus.vocabulary import Vocabulary, as_strings
from laconic.errors import LaconicError
from laconic.kernels.spelling import edit_distances
from laconic.text import language as stopwords
from laconic.text.counting import Analyzer, batches, compile_pattern
from laconic.text.vectorizer import SAMPLE_CHARACTERS, Vectorizer

K1, B = 1.5, 0.75
TITLE_WEIGHT = 3  # how often a word of the title counts
TITLE_PLACE = 500  # characters at the beginning of a text in which its title is looked for
MOST_STEMS = 50_000  # words whose stems are kept, for queries and passages
READING = ("strip_accents", "token_pattern", "tokenizer")  # settings that say what a word is


class Words:
    """How a text becomes the words that are looked up.

    Parameters
    ----------
    language : str or None
        Whose stop words are left out and whose endings are taken off; None leaves words alone.
    settings : dict
        What a word is: ``strip_accents``, ``token_pattern`` and ``tokenizer`` of a `Vectorizer`,
        and ``ngram_range`` where the index was made of counts.

    Examples
    --------
    >>> words = Words("english", {})
    >>> words.split("The Cafés of PARIS")
    ['the', 'cafés', 'of', 'paris']
    >>> words.stems(["cafés", "paris"]), words.is_stop("the")
    (['cafe', 'pari'], True)
    """

    def __init__(self, language: str | None, settings: dict[str, Any]) -> None:
        self.language = language
        self.settings = {**_defaults(), **settings}
        self._stems = language if language in Stemmer.algorithms() else None
        self.known: dict[str, str] = {}  # stems of words that were asked for

    def split(self, text: str) -> list[str]:
        """The words of a text in their order, runs of words too where they were counted."""
        tokenize = self.settings["tokenizer"] or self._pattern.findall
        words = list(tokenize(self._analyzer.preprocess(text)))
        fewest, most = self.settings["ngram_range"]
        if most == 1:
            return words
        runs = range(fewest, most + 1)
        kept = [word for word in words if word not in self._stop]
        return [" ".join(kept[i : i + n]) for n in runs for i in range(len(kept) - n + 1)]

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where words stand in a text; of a tokenizer only runs of letters are known."""
        pattern = self._runs
        group = pattern.groups
        return [found.span(group) for found in pattern.finditer(one_by_one(text, self.settings))]

    def find(self, text: str, stems: Collection[str]) -> list[tuple[int, int, str]]:
        """Where words with one of these stems stand, and the stem of each.

        Examples
        --------
        >>> Words("english", {}).find("A cat, two Cats", {"cat"})
        [(2, 5, 'cat'), (11, 15, 'cat')]
        """
        pattern, lower = self._runs, one_by_one(text, self.settings)
        forms = list(set(pattern.findall(lower)))
        pairs = zip(forms, self.stems(forms), strict=True)
        wanted = {form: stem for form, stem in pairs if stem in stems}
        group = pattern.groups
        return [
            (*found.span(group), wanted[form])
            for found in pattern.finditer(lower)
            if (form := found[group]) in wanted
        ]

    def is_stop(self, word: str) -> bool:
        return word in self._stop

    # Made when they are first needed: a loaded model may lack its tokenizer and never need it.

    @cached_property
    def _analyzer(self) -> Analyzer:
        return Analyzer({**self.settings, "ngram_range": [1, 1]})

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return compile_pattern(self.settings["token_pattern"] or r"\w+")

    @cached_property
    def _runs(self) -> re.Pattern[str]:
        return self._pattern if self.settings["tokenizer"] is None else compile_pattern(r"\w+")

    @cached_property
    def _stop(self) -> frozenset[str]:
        if self.language is None:
            return frozenset()
        return stopwords.stop_words(self.language, self._analyzer.preprocess)

    def stems(self, words: Sequence[str]) -> list[str]:
        """What is left of each word once its ending and its accents are gone."""
        if len(words) > MOST_STEMS:
            return self._stemmed(words)
        known = self.known
        new = [word for word in dict.fromkeys(words) if word not in known]
        if len(known) + len(new) > MOST_STEMS:  # another thread may still read the old ones
            known, new = {}, list(dict.fromkeys(words))
            self.known = known
        known.update(zip(new, self._stemmed(new), strict=True))
        return [known[word] for word in words]

    def _stemmed(self, words: Sequence[str]) -> list[str]:
        if self._stems is None:
            return [_without_accents(word) for word in words]
        stemmer = Stemmer.Stemmer(self._stems)  # made anew: it must not be shared by threads
        if self.settings["ngram_range"][1] == 1:
            return list(map(_without_accents, stemmer.stemWords(list(words))))
        return [_without_accents(" ".join(stemmer.stemWords(word.split(" ")))) for word in words]


class Lexical:
    """The inverted index of a corpus.

    Parameters
    ----------
    postings : csr_matrix of shape (n_stems, n_documents)
        The weight of each stem in each document.
    stems : ndarray of str
        The stem of each row.
    forms : ndarray of str
        The most frequent word with that stem.
    words : Words
        How texts and queries are read.

    Examples
    --------
    >>> corpus = Corpus([[2, 0, 1], [0, 1, 0]], ["dogs", "cat", "dog"])
    >>> lexical = index_words(corpus, None, "english")
    >>> lexical.stems.tolist(), lexical.forms.tolist()
    (['cat', 'dog'], ['cat', 'dogs'])
    >>> rows = lexical.rows_of(["dog"])
    >>> (lexical.scores(rows) > 0).tolist()
    [True, False]
    """

    def __init__(
        self, postings: sp.csr_matrix, stems: np.ndarray, forms: np.ndarray, words: Words
    ) -> None:
        self.postings = postings
        self.stems = stems
        self.forms = forms
        self.words = words
        self._bm25 = bm25s.BM25(k1=K1, b=B, method="lucene")
        self._bm25.nonoccurrence_array = None
        self._bm25.scores = {
            "data": postings.data,
            "indices": postings.indices,
            "indptr": postings.indptr,
            "num_docs": postings.shape[1],
        }

    def rows_of(self, stems: Iterable[str]) -> np.ndarray:
        """The row of each stem, -1 where no document has it."""
        return self._columns.columns(stems)

    def scores(self, rows: np.ndarray) -> np.ndarray:
        """BM25 of all documents (float32); a row that is given twice counts twice."""
        return self._bm25.get_scores_from_ids(rows)

    def document(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """The stems (rows of `postings`) of a document, and their weights."""
        from laconic.kernels.postings import entries_of

        places = entries_of(self.postings.indices, row)
        stems = np.searchsorted(self.postings.indptr, places, side="right") - 1
        return stems, self.postings.data[places]

    def rarity(self, rows: np.ndarray) -> np.ndarray:
        """What a word says, by the number of documents that have it: its idf."""
        frequency = self.postings.indptr[rows + 1] - self.postings.indptr[rows]
        return _idf(frequency.astype(np.float64), self.postings.shape[1])

    def near(self, word: str, n: int = 3) -> list[str]:
        """Up to `n` words of the documents that look like one, the nearest and commonest first."""
        most = 1 if len(word) < 5 else 2
        letters, ends = self._letters
        distances = edit_distances(_code_points([word]), letters, ends, most)
        rows = np.flatnonzero(distances <= most)
        frequency = np.diff(self.postings.indptr)[rows]
        other_start = np.array([not form.startswith(word[:1]) for form in self.forms[rows]], bool)
        order = np.lexsort((rows, -frequency, other_start, distances[rows]))
        return [str(self.forms[row]) for row in rows[order[:n]]]

    @cached_property
    def _columns(self) -> Vocabulary:
        return Vocabulary(self.stems)

    @cached_property
    def _letters(self) -> tuple[np.ndarray, np.ndarray]:
        ends = np.cumsum([len(form) for form in self.forms], dtype=np.int64)
        return _code_points(self.forms), ends


# ---- making one ----


def index_words(
    corpus: Corpus, texts: Sequence[str | None] | None, language: str | None = "auto"
) -> Lexical:
    """Index titles and texts; without texts the counts of the corpus."""
    made_by = corpus.vectorizer or {}
    settings = {name: made_by[name] for name in READING if name in made_by}
    titles = corpus.titles
    if texts is None:
        settings["ngram_range"] = made_by.get("ngram_range", [1, 1])
        language = _language(language, made_by)
        counts, vocabulary = corpus.counts, corpus.vocabulary
        assert vocabulary is not None
        words = Words(language, settings)
        if titles is not None:
            counts, vocabulary = _with_titles(counts, vocabulary, titles, words)
    else:
        language = _language(language, made_by, texts, settings)
        words = Words(language, settings)
        counts, vocabulary = _count(texts, titles, words)
    return _weigh(counts, vocabulary, words)


def _language(
    asked: str | None,
    made_by: dict[str, Any],
    texts: Sequence[str | None] | None = None,
    settings: dict[str, Any] | None = None,
) -> str | None:
    """The language asked for, or that of the stop words of the corpus, or that of its texts."""
    if asked is None:
        return None
    if asked != "auto":
        return _known_language(asked)
    stop = made_by.get("stop_words")
    if isinstance(stop, str) and stop != "auto":
        return stop
    guessed = None if texts is None else _guess_language(texts, settings or {})
    return guessed or "english"


def _known_language(language: str) -> str:
    try:
        return stopwords.language_name(language)
    except LaconicError as error:
        raise LaconicError(
            str(error).replace("stop_words=", "language=").replace("a list of words", "None")
        ) from error


def _guess_language(texts: Sequence[str | None], settings: dict[str, Any]) -> str | None:
    """By the stop words in the first texts."""
    sample = next(batches((text or "" for text in texts), SAMPLE_CHARACTERS), [])
    vectorizer = Vectorizer(**settings)
    counted = vectorizer.fit_transform(sample)
    totals = np.asarray(counted.counts.sum(axis=0)).ravel()
    counts = dict(zip(counted.vocabulary, totals.tolist(), strict=True))
    return stopwords.guess_language(counts, Analyzer(vectorizer.settings_).preprocess)


def _count(
    texts: Sequence[str | None], titles: np.ndarray | None, words: Words
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Counts of the words of title and text, and the words."""
    reading = {name: words.settings[name] for name in READING}
    vectorizer = Vectorizer(**reading, stop_words=words.language)
    if titles is None:
        counted = vectorizer.fit_transform(text or "" for text in texts)
        return counted.counts, counted.vocabulary
    counted = vectorizer.fit_transform(map(_headed, titles, texts))
    headings = vectorizer.transform(str(title or "") for title in titles)
    return counted.counts + (TITLE_WEIGHT - 1) * headings.counts, counted.vocabulary


def _headed(title: Any, text: str | None) -> str:
    """The text under its title, unless it begins with it."""
    title, text = str(title or ""), text or ""
    begins = text[:TITLE_PLACE] if len(title) < TITLE_PLACE else text
    return text if title in begins else f"{title}\n{text}"


def _with_titles(
    counts: sp.csr_matrix, vocabulary: np.ndarray, titles: np.ndarray, words: Words
) -> tuple[sp.csr_matrix, np.ndarray]:
    """Counts of documents without texts, and those of the words of their titles."""
    reading = {name: words.settings[name] for name in (*READING, "ngram_range")}
    vectorizer = Vectorizer(**reading, stop_words=words.language)
    try:
        headings = vectorizer.fit_transform([str(title or "") for title in titles])
    except LaconicError:  # no title has a word
        return counts, vocabulary
    both = sp.hstack([counts, TITLE_WEIGHT * headings.counts], format="csr")
    return both, np.concatenate([vocabulary, headings.vocabulary])


def _weigh(counts: sp.csr_matrix, vocabulary: np.ndarray, words: Words) -> Lexical:
    """BM25 of stems from counts of words."""
    kept = np.array([not words.is_stop(word) for word in vocabulary], dtype=bool)
    found = words.stems(vocabulary[kept])
    stems = as_strings(sorted(set(found)))
    columns = Vocabulary(stems).columns(found)
    target = np.full(len(vocabulary), -1, dtype=np.int32)
    target[kept] = columns
    forms = _commonest(vocabulary[kept], columns, counts.sum(axis=0).A1[kept], len(stems))
    rows = _merge(counts, target, len(stems))
    lengths = np.bincount(rows.indices, rows.data, minlength=rows.shape[1])
    frequency = np.diff(rows.indptr).astype(np.float64)
    tf = rows.data.astype(np.float32)
    norms = K1 * (1 - B + B * lengths / max(lengths.mean(), 1e-300))
    data = tf / (tf + norms.astype(np.float32)[rows.indices])
    data *= np.repeat(_idf(frequency, rows.shape[1]).astype(np.float32), np.diff(rows.indptr))
    postings = sp.csr_matrix((data, rows.indices, rows.indptr), rows.shape)
    postings.has_canonical_format = True
    return Lexical(postings, stems, forms, words)


def _merge(counts: sp.csr_matrix, target: np.ndarray, n_stems: int) -> sp.csr_matrix:
    """Stems x documents from documents x words; words with the target -1 are left out."""
    columns = target[counts.indices]
    kept = columns >= 0
    before = np.concatenate([[0], np.cumsum(kept)])
    shape = (counts.shape[0], n_stems)
    moved = sp.csr_matrix((counts.data[kept], columns[kept], before[counts.indptr]), shape)
    merged = moved.tocsc().T  # in order, in linear time
    merged.sum_duplicates()
    return merged


def _commonest(
    words: np.ndarray, columns: np.ndarray, totals: np.ndarray, n_stems: int
) -> np.ndarray:
    """Of the words with the same stem the one that occurs most; the first of several."""
    forms = np.empty(n_stems, dtype=object)
    order = np.lexsort((-np.arange(len(words)), totals))  # the last one written stays
    forms[columns[order]] = words[order]
    return forms


def _idf(frequency: np.ndarray, n_documents: int) -> np.ndarray:
    return np.log1p((n_documents - frequency + 0.5) / (frequency + 0.5))


# ---- letters ----


def _defaults() -> dict[str, Any]:
    settings = Vectorizer().get_params()
    return {
        **{name: settings[name] for name in READING},
        "lowercase": True,
        "stop_words": None,
        "ngram_range": [1, 1],
    }


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def one_by_one(text: str, settings: dict[str, Any]) -> str:
    """Small letters, each at the place of the one it stands for; so too without accents."""
    lower = text.lower()
    if len(lower) != len(text):  # of a few letters the small one is longer
        lower = "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
    if settings["strip_accents"] is None or lower.isascii():
        return lower
    return "".join(unicodedata.normalize("NFKD", letter)[0] for letter in lower)


def _code_points(words: Iterable[str]) -> np.ndarray:
    return np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
