"""Names of topics by rule: the phrase that the documents of a topic share.

For each topic, the documents in which it is strongest are read. A candidate is a leading word of
the topic, or a phrase of two or three adjacent words of the vocabulary, at least half of which are
leading words. With p, the share of the topic's documents that contain the phrase, and q, the mean
of this share over the other topics, the score is p · log(p / q), times the strength of the phrase
and a bonus for phrases of several words, which say more than single words. The strength is the mean
over the words of the phrase of r / (r + rank), where the rank is that of the word in the topic and
r is `HALF`; the words of a subject are stronger than the name of an author who often writes about
it. Candidates are assigned to topics by decreasing score, so no two topics have the same name.

A few documents cannot decide: a phrase must be in `FEWEST` documents and in a tenth of the
documents of the topic. Nor can a text that is repeated, such as a signature: if the same word
stands beside a phrase in most of the documents, the phrase is part of a longer one.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, check_at_least
from laconic.fitted.automatic import AutomaticFacts, facts_of, keep_facts
from laconic.fitted.document_sums import TopDocuments, sum_documents
from laconic.fitted.documents import documents_for
from laconic.fitted.model import MINUS, TopicView
from laconic.fitted.notes import LONGEST_NAME
from laconic.text.stop_words import stop_words

logger = logging.getLogger(__name__)

N_DOCUMENTS = 100  # number of documents per topic from which the name is taken
LARGE = 0.25  # share of the topic in a document that is read
N_SINGLE = 10  # a name of one word is one of this many leading words of the topic
N_LEADING = 30  # half of the words of a longer name are among this many leading words
HALF = 10  # rank at which a leading word counts half as much as the first
FIXED = 0.5  # a phrase is part of a longer one if this share has the same word beside it
FEWEST, LEAST = 3, 0.1  # minimum number and share of the topic's documents that contain the name
MOST_WORDS = 3
BONUS = {1: 1.0, 2: 2.5, 3: 2.5}  # factor of the score, by number of words
N_GIVEN = 10  # number of words and of documents that a namer gets
LONGEST_TEXT = 20_000  # characters of a document that are read
WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
GAP = re.compile(r"[ \t]?\n?[ \t]?")  # between the words of a phrase; columns are wider apart
LONG = 5  # words of this many letters are not written in capitals

Namer = Callable[[list[str], list[str]], str]


class TopicNames(Mapping[int, str]):
    """Automatic names of topics, by topic number; returned by `laconic.name_topics`.

    Attributes
    ----------
    failures : dict of int to str
        For each topic that `namer` could not name, the reason. These topics are named by rule.

    Examples
    --------
    >>> names = TopicNames({0: "space shuttle"}, {})
    >>> names[0], len(names), names.failures
    ('space shuttle', 1, {})
    """

    def __init__(self, names: Mapping[int, str], failures: Mapping[int, str]) -> None:
        self._names = dict(names)
        self.failures = dict(failures)

    def __getitem__(self, topic: int) -> str:
        return self._names[topic]

    def __iter__(self) -> Iterator[int]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return "\n".join(f"{topic}: {name}" for topic, name in self._names.items())


def name_topics(
    model: Any, corpus: Any = None, namer: Namer | None = None, *, n_documents: int = N_DOCUMENTS
) -> TopicNames:
    """Name the topics of a model, without a network, and keep the names with the model.

    The name of a topic is the phrase of one to three words that most of its documents share and the
    documents of other topics do not. Names are unique. If no phrase qualifies, or the documents
    have no texts, the name is the topic's leading words. Names that users gave are kept apart and
    shown instead of automatic names.

    Parameters
    ----------
    model : estimator or Pipeline
        A fitted model. The names are attached to it: `laconic.topics` shows them, `laconic.save`
        saves them, and a refit drops them.
    corpus : Corpus or list of str, optional
        Documents with texts. Default: the documents saved with the model.
    namer : callable, optional
        (words, documents) -> name, such as a function that asks a language model: gets the leading
        words and the texts of the leading documents of a topic. If it raises an exception, returns
        no usable name, or repeats a name, the topic is named by rule, and the reason is in
        ``failures``.
    n_documents : int, default=100
        Number of documents per topic to read.

    Returns
    -------
    TopicNames
        A mapping of topic numbers to names.

    Examples
    --------
    >>> import laconic
    >>> texts = ["The space shuttle reached its orbit", "A space shuttle in orbit again",
    ...          "This space shuttle left orbit", "Bake the bread dough", "Fresh bread dough rises",
    ...          "Knead bread dough"]
    >>> corpus = laconic.read(texts, min_df=1, max_df=1.0, stop_words="english")
    >>> model = laconic.pipeline("plsa", n_components=2, random_state=0).fit(corpus)
    >>> sorted(laconic.name_topics(model, corpus).values())
    ['bread dough', 'space shuttle']
    """
    check_at_least("n_documents", n_documents)
    view = TopicView.of(model)
    texts, rows = _leading_texts(view, corpus, n_documents)
    documents = [[texts(row) for row in part] for part in rows] if texts else [[]] * view.n_topics
    by_rule = _names_by_rule(view, documents)
    failures: dict[int, str] = {}
    names = by_rule if namer is None else _names_by_namer(view, documents, namer, by_rule, failures)
    facts = facts_of(model)
    empty = AutomaticFacts()
    keep_facts(
        model, {topic: facts.get(topic, empty).replaced(name=names[topic]) for topic in names}
    )
    for topic, reason in failures.items():
        logger.warning("topic %d was named by rule, because namer failed: %s", topic, reason)
    return TopicNames(names, failures)


# --- documents -----------------------------------------------------------------------------------


def _leading_texts(
    view: TopicView, corpus: Any, n_documents: int
) -> tuple[Callable[[int], str] | None, list[list[int]]]:
    """Return a function from rows to texts, and the rows of the leading documents of each topic."""
    documents = documents_for(view.model, corpus)
    rows = [_leading_rows(top)[:n_documents] for top in sum_documents(documents).top]
    texts: Any = None
    if corpus is None:
        texts = documents.index.texts if documents.has_index else None
    elif isinstance(corpus, Corpus):
        texts = corpus.texts
    elif isinstance(corpus, (list, tuple)):
        texts = corpus
    if texts is None or not len(texts) or not isinstance(texts[0], str):
        return None, rows
    return lambda row: str(texts[row] or "")[:LONGEST_TEXT], rows


def _leading_rows(top: TopDocuments) -> list[int]:
    """Return the documents with a large share of the topic, and in any case the first few."""
    is_leading = (top.shares >= LARGE) | (np.arange(len(top.rows)) < FEWEST)
    rows: list[int] = top.rows[is_leading].tolist()
    return rows


# --- names by rule -------------------------------------------------------------------------------


class _Phrase:
    """What is known about a phrase in the documents of one topic."""

    def __init__(self) -> None:
        self.n = 0  # number of documents
        self.before: Counter[str] = Counter()  # the words before and after it
        self.after: Counter[str] = Counter()

    def add(self, context: tuple[str, str]) -> None:
        self.n += 1
        self.before[context[0]] += 1
        self.after[context[1]] += 1

    def is_part_of_longer(self, stop: Container[str]) -> bool:
        """Return whether the same word usually stands beside the phrase, as in a signature.

        Stop words do not count, nor do the beginning and the end of the text.
        """
        neighbours = [*self.before.items(), *self.after.items()]
        most = max((n for word, n in neighbours if word and word not in stop), default=0)
        return most > FIXED * self.n


def _names_by_rule(view: TopicView, documents: Sequence[Sequence[str]]) -> dict[int, str]:
    n_topics = view.n_topics
    ranks = [_leading_words(view, topic) for topic in range(n_topics)]
    wanted = set().union(*ranks)
    known = None if view.names is None else {str(word).lower() for word in view.names}
    stop = _stop_words(view)
    seen_in: dict[str, dict[int, _Phrase]] = defaultdict(lambda: defaultdict(_Phrase))
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    for topic, texts in enumerate(documents):
        for text in texts:
            phrases = {found[0]: found[1:] for found in _phrases(text, wanted, known, stop)}
            for phrase, (spelling, context) in phrases.items():
                spellings[phrase][spelling] += 1
                seen_in[phrase][topic].add(context)
    sizes = np.array([max(len(texts), 1) for texts in documents])
    scored = []
    for phrase, by_topic in seen_in.items():
        words = phrase.split(" ")
        total = sum(seen.n / sizes[topic] for topic, seen in by_topic.items())
        for topic, seen in by_topic.items():
            leading = {word: ranks[topic][word] for word in words if word in ranks[topic]}
            share = seen.n / sizes[topic]
            if 2 * len(leading) < len(words) or seen.n < FEWEST or share < LEAST:
                continue
            if len(words) == 1 and leading[phrase] >= N_SINGLE:
                continue
            if len(words) > 1 and seen.is_part_of_longer(stop):
                continue
            others = (total - share) / max(n_topics - 1, 1)
            lift = np.log((share + 0.01) / (others + 0.01))
            strength = sum(HALF / (HALF + rank) for rank in leading.values()) / len(words)
            score = float(share * lift * strength * BONUS[len(words)])
            if score > 0:
                scored.append((-score, phrase, topic))
    names: dict[int, str] = {}
    used: set[str] = set()
    for _, phrase, topic in sorted(scored):
        if topic not in names and phrase not in used:
            names[topic] = _spelling(spellings[phrase])
            used |= {phrase}
    taken = set(names.values())
    for topic in range(n_topics):
        if topic not in names:
            names[topic] = _fallback(view, topic, taken)
            taken.add(names[topic])
    return dict(sorted(names.items()))


def _leading_words(view: TopicView, topic: int) -> dict[str, int]:
    """Return the ranks of the leading words of a topic; phrases are divided into their words."""
    ranks: dict[str, int] = {}
    for rank, word in enumerate(view.naming_words(topic, N_LEADING)):
        if not word.startswith(MINUS):
            for part in word.lower().split(" "):
                ranks.setdefault(part, rank)
    return ranks


def _stop_words(view: TopicView) -> frozenset[str]:
    """Return the stop words of the model, and those of English if the model has none."""
    settings = getattr(view.model[0], "settings_", None) if view.is_pipeline else None
    stop = (settings or {}).get("stop_words")
    if isinstance(stop, str):
        return stop_words(stop)
    return frozenset(stop) if stop else stop_words("english")


def _phrases(
    text: str, wanted: Container[str], known: set[str] | None, stop: frozenset[str]
) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """Yield phrases of adjacent known words that contain a wanted word.

    Each phrase comes with its spelling, and with the words before and after it.
    """
    found = [(match.start(), match.end(), match[0]) for match in WORD.finditer(text)]
    spellings = ["", *(spelling for _, _, spelling in found), ""]
    lower = [spelling.lower() for spelling in spellings]
    first, end = 1, 0  # position of the first word of the phrase, and end of the last word
    for position, (start, stop_of, _) in enumerate(found, start=1):
        if not GAP.fullmatch(text, end, start):
            first = position
        end = stop_of
        word = lower[position]
        if (
            (known is not None and word not in known)
            or word in stop
            or not any(map(str.isalpha, word))
        ):
            first = position + 1
            continue
        first = max(first, position - MOST_WORDS + 1)
        for begin in range(first, position + 1):
            words = lower[begin : position + 1]
            if len(set(words)) == len(words) and any(part in wanted for part in words):
                context = lower[begin - 1], lower[position + 1]
                yield " ".join(words), " ".join(spellings[begin : position + 1]), context


def _spelling(spellings: Counter[str]) -> str:
    """Return the most frequent spelling; in doubt, the one that sorts last (lower case)."""
    best = max(spellings.items(), key=lambda pair: (pair[1], pair[0]))[0]
    words = (w.lower() if w.isupper() and len(w) >= LONG else w for w in best.split(" "))
    return " ".join(words)


def _fallback(view: TopicView, topic: int, taken: set[str]) -> str:
    """Return leading words that are not yet the name of another topic."""
    words = view.naming_words(topic, N_LEADING)
    for n in range(min(3, len(words)), len(words) + 1):
        if n and ", ".join(words[:n]) not in taken:
            return ", ".join(words[:n])
    return f"topic {topic}"


# --- names by a function -------------------------------------------------------------------------


def _names_by_namer(
    view: TopicView,
    documents: Sequence[Sequence[str]],
    namer: Namer,
    by_rule: Mapping[int, str],
    failures: dict[int, str],
) -> dict[int, str]:
    """Ask `namer` for each name; keep the name by rule, and the reason, where it fails."""
    names: dict[int, str] = {}
    for topic in view.order:
        words = [word for word, _ in view.top(topic, N_GIVEN)]
        try:
            name = _checked(namer(words, list(documents[topic][:N_GIVEN])))
            if name in names.values():
                raise LaconicError(f"the name {name!r} was already given to another topic")
        except Exception as error:  # a namer may raise anything
            failures[topic] = str(error) or type(error).__name__
            continue
        names[topic] = name
    for topic in failures:
        name = by_rule[topic]
        names[topic] = name if name not in names.values() else f"{name} ({topic})"
    return dict(sorted(names.items()))


def _checked(name: Any) -> str:
    if not isinstance(name, str) or not name.strip():
        raise LaconicError(f"it returned {name!r:.50} instead of a name")
    if len(name) > LONGEST_NAME:
        raise LaconicError(f"it returned {len(name):,} characters; at most {LONGEST_NAME} are kept")
    return " ".join(name.encode(errors="replace").decode().split())
