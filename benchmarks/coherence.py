"""Speed and values of co-occurrence counts in sliding windows, compared with gensim.

The data are 20 Newsgroups. Both libraries get the same lists of words (without stop words, as is
usual for gensim) and the same topics. The dictionary of gensim is built before timing. By default,
gensim uses one process on two cores; here, gensim with two processes is compared with laconic on
two threads.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.data import VECTORIZER, newsgroups
from benchmarks.harness import Run, at_most, faster, race, thread_counts, threads
from benchmarks.quality import top_words
from laconic import Corpus, SparseLSA, Weighting
from laconic.metrics.coherence import WINDOWS, coherence
from laconic.metrics.cooccurrence import WordPairs, cooccurrences

MEASURES = {"npmi": "c_npmi", "c_v": "c_v"}
"""Maps the names of metrics in laconic to their names in gensim."""

NO_GENSIM = "gensim is not installed and is left out; install laconic[bench]."
FASTER = 10
REPEATS = 2  # number of runs; small, because gensim takes one or two minutes per run


class Given(NamedTuple):
    """Input of laconic and gensim."""

    topics: list[list[str]]
    tokens: list[list[str]]
    corpus: Corpus  # contains the texts of the posts


def coherence_counting(run: Run) -> None:
    """Co-occurrence counts and coherence compared with gensim: seconds, equality, correctness."""
    given = _prepare(run)
    n_tokens = sum(map(len, given.tokens))
    repeats = 1 if run.smoke else REPEATS
    run.note(
        f"{len(given.tokens):,} posts of 20 Newsgroups, {n_tokens:,} words; {len(given.topics)} "
        "topics of Sparse LSA with ten words each. Both libraries count in lists of words, and "
        "gensim's dictionary is built before timing. Times are the best of "
        f"{repeats} runs, in which the libraries take turns."
    )
    if find_spec("gensim") is None:
        run.note(NO_GENSIM)
    for measure in MEASURES:
        for n_threads in [1] if run.smoke else thread_counts()[::-1]:
            counted = _count(run, given, measure, n_threads, repeats)
        _whole(run, given, measure, counted)


def _prepare(run: Run) -> Given:
    posts = newsgroups(run)
    counted = posts.counted()
    X = Weighting("tfidf-balanced").fit_transform(counted.counts)
    model = SparseLSA(
        5 if run.smoke else 50, words_per_topic=20, positive=True, random_state=run.seed
    )
    topics = top_words(sp.csr_matrix(model.fit(X).components_), counted.vocabulary)
    analyze = CountVectorizer(**VECTORIZER).build_analyzer()
    corpus = Corpus(
        counted.counts, counted.vocabulary, texts=posts.bodies, vectorizer=counted.vectorizer
    )
    return Given(topics, [analyze(text) for text in posts.bodies], corpus)


class Counted(NamedTuple):
    """The coherence model of gensim with its counts, and the time of counting in seconds."""

    model: Any
    seconds: float


def _count(run: Run, given: Given, measure: str, n_threads: int, repeats: int) -> Counted | None:
    """Measure the time of counting without computing the coherence."""
    window = WINDOWS[measure]
    pairs = WordPairs.within(given.topics)
    runners: dict[str, Callable[[], Any]] = {
        "ours": lambda: cooccurrences(pairs, given.tokens, window=window, n_jobs=n_threads),
        "texts": lambda: cooccurrences(pairs, given.corpus, window=window, n_jobs=n_threads),
    }
    for ours in runners:
        runners[ours]()  # load compiled kernels before timing
    model = None
    if find_spec("gensim") is not None:
        model = _gensim(given, measure, n_threads)
        runners["gensim"] = model.estimate_probabilities
    with threads(n_threads):
        found = race(runners, repeats)
    where = f"{n_threads} thread{'s' if n_threads > 1 else ''}"
    peer = f"gensim, {n_threads} process{'es' if n_threads > 1 else ''}"
    theirs = None if model is None else found["gensim"].seconds
    for name, what in (("ours", "lists of words"), ("texts", "texts, all words")):
        run.row(
            f"count, window {window}, {what}, {where}",
            found[name].seconds,
            "s",
            peer=None if theirs is None else peer,
            peer_value=theirs,
            goal=None if theirs is None or run.smoke else faster(FASTER),
            why=None
            if name == "ours"
            else "laconic reads and splits the texts, but gensim gets lists of words",
        )
    return None if theirs is None else Counted(model, theirs)


def _whole(run: Run, given: Given, measure: str, counted: Counted | None) -> None:
    """Measure coherence values and time; compare the correct count with the count of gensim."""

    def ours(compatible: bool) -> np.ndarray:
        return coherence(given.topics, given.tokens, measure, compatible=compatible, n_jobs=1)

    runners: dict[str, Callable[[], Any]] = {
        "compatible": lambda: ours(True),
        "correct": lambda: ours(False),
    }
    if counted is not None:
        runners["gensim"] = lambda: np.array(counted.model.get_coherence_per_topic())
    with threads(1):
        found = race(runners, 1)
    compatible, correct = found["compatible"].result, found["correct"].result
    if counted is not None:
        run.row(
            f"{measure}, whole, 1 thread",
            found["compatible"].seconds,
            "s",
            peer="gensim, 1 process",
            peer_value=counted.seconds + found["gensim"].seconds,
            goal=None if run.smoke else faster(FASTER),
        )
        run.row(
            f"{measure}, largest difference of a topic, compatible",
            np.abs(compatible - found["gensim"].result).max(),
            "",
            goal=at_most(1e-6, of="value"),
            tolerance=None,
        )
    run.row(
        f"{measure}, mean over topics, correct count",
        correct.mean(),
        "",
        peer="compatible count",
        peer_value=compatible.mean(),
        why="a word stays in the window as long as one of its tokens does",
    )
    run.row(
        f"{measure}, largest change of a topic, correct count for gensim's",
        np.abs(correct - compatible).max(),
        "",
    )


def _gensim(given: Given, measure: str, processes: int) -> Any:
    from gensim.corpora import Dictionary
    from gensim.models.coherencemodel import CoherenceModel

    return CoherenceModel(
        topics=given.topics,
        texts=given.tokens,
        dictionary=Dictionary(given.tokens),
        coherence=MEASURES[measure],
        topn=max(map(len, given.topics)),
        processes=processes,
    )
