"""Precision of keywords against titles, and speed of extraction.

Precision at 5 is the share of the five best words of a body that are in the title, averaged over
all stories whose title has a word other than English stop words. Nothing is chosen on the scored
stories, because the constants of ``method="best"`` come from other stories; see
docs/features/keywords.md.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

import laconic
from benchmarks.harness import Goal, Run, at_least, race, threads
from benchmarks.reuters import Stories, TitledCounts, counted, reuters
from laconic import PCP, Corpus
from laconic.keyphrases.evidence import Background
from laconic.keyphrases.keywords import background_of
from laconic.keyphrases.methods import METHODS
from laconic.text.stop_words import stop_words

N = 5
GOALS = {"longest": 0.39, "first": 0.376}
ANCHORS = {"longest": 0.390, "first": 0.376}  # results of tf-idf / √position in the specification
LETTERS = re.compile("[a-z]+")
TEXTS: dict[str, Any] = {
    "stop_words": "english",
    "token_pattern": "[a-z]+",
    "min_df": 1,
    "max_df": 1.0,
}
C = 12.0  # best value of c in the paper, where λ = c/√max(documents, words) for the exact solver
SPEED_STORIES, YAKE_STORIES = 10_000, 100


def keywords(run: Run) -> None:
    """Precision of keywords against titles of Reuters, compared with YAKE and tf-idf."""
    stories = reuters(run)
    run.note(
        "Precision at 5 is the share of the five best words of the body that are in the title, "
        "averaged over stories. Words are sequences of letters without stop words, and only exact "
        "matches count. The 1,000 stories are the whole corpus unless stated otherwise. The "
        "constants of 'best' were chosen on other stories and on titles of CISI, Cranfield, LISA "
        "and 20 Newsgroups."
    )
    if not has_yake():
        run.note("yake is not installed and is left out; install laconic[bench].")
    whole = background_of(laconic.read(stories.bodies, **TEXTS))
    for name, part in scored(stories).items():
        _compare(run, name, part, whole)


def keywords_mass(run: Run) -> None:
    """Share of title words among equal numbers of keywords of PCP and tf-idf."""
    for name, part in scored(reuters(run)).items():
        _at_equal_words(run, name, part)


def scored(stories: Stories) -> dict[str, Stories]:
    """Return the longest stories (without counting stop words) and the first stories."""
    lengths = [len(words_of(body)) for body in stories.bodies]
    order = sorted(range(len(stories)), key=lambda row: (-lengths[row], row))
    return {"longest": stories.at(order[: stories.n_scored]), "first": stories.first()}


def words_of(text: str) -> list[str]:
    functions = stop_words("english")
    return [word for word in LETTERS.findall(text.lower()) if word not in functions]


def precision(found: Iterable[Sequence[str]], titles: Iterable[str]) -> float:
    """Return the mean share of the first `N` words that are in the title.

    Documents whose title has only stop words are ignored.
    """
    hits = [
        len({*words[:N]} & title) / N
        for words, title in zip(found, map(set, map(words_of, titles)), strict=True)
        if title
    ]
    return float(np.mean(hits))


def best_words(corpus: Corpus, method: str, **options: Any) -> list[list[str]]:
    found = laconic.keywords(corpus, N, method, phrases=False, **options)
    return [[keyword.word for keyword in words] for words in found]


# --- precision at 5 ------------------------------------------------------------------------------


def _compare(run: Run, name: str, part: Stories, whole: Background) -> None:
    corpus = laconic.read(part.bodies, **TEXTS)
    scores = {
        method: precision(best_words(corpus, method), part.titles)
        for method in METHODS
        if method != "best"
    }
    if has_yake():
        scores["YAKE"] = precision(map(_yake(), part.bodies), part.titles)
    ours = precision(best_words(corpus, "best"), part.titles)
    goal = at_least(GOALS[name])
    run.row(f"{name}: best", ours, "", peer="tfidf", peer_value=scores["tfidf"], goal=goal)
    for method, score in scores.items():
        run.row(f"{name}: {method}", score, "", peer="best", peer_value=ours)
    against = best_words(corpus, "best", background=whole)
    run.row(
        f"{name}: best, against the whole collection",
        precision(against, part.titles),
        "",
        peer="best, against each other",
        peer_value=ours,
        goal=goal,
    )
    few = laconic.read(part.bodies, vocabulary=frequent_and_titles(part), **TEXTS)
    run.row(
        f"{name}: best, vocabulary of the paper (3,000 words and those of titles)",
        precision(best_words(few, "best"), part.titles),
        "",
        peer="position",
        peer_value=precision(best_words(few, "position"), part.titles),
        goal=goal,
    )
    run.row(
        f"{name}: best, words as laconic counts them (two characters or more)",
        precision(best_words(laconic.read(part.bodies, stop_words="english"), "best"), part.titles),
        "",
    )
    _with_phrases(run, name, part, corpus)


def frequent_and_titles(part: Stories) -> list[str]:
    """Return the 3,000 most frequent words and all title words, which the paper uses."""
    frequent = laconic.read(part.bodies, max_features=3000, **TEXTS).vocabulary
    return sorted({*frequent, *(word for title in part.titles for word in words_of(title))})


def _with_phrases(run: Run, name: str, part: Stories, corpus: Corpus) -> None:
    """Compare title words found in phrases with title words in as many single keywords."""
    titles = [set(words_of(title)) for title in part.titles]
    found = laconic.keywords(corpus, N)
    words = [{word for keyword in few for word in keyword.word.split()} for few in found]
    size = np.mean([len(some) for some in words])
    hits = np.mean([len(some & title) for some, title in zip(words, titles, strict=True)])
    plain = laconic.keywords(corpus, 2 * N, phrases=False)
    ranked = np.array(
        [
            [len({k.word for k in few[:n]} & title) for n in range(2 * N + 1)]
            for few, title in zip(plain, titles, strict=True)
        ]
    ).mean(axis=0)
    run.row(
        f"{name}: title words found by five keywords with phrases ({size:.2f} words)",
        float(hits),
        "words",
        peer="as many plain words",
        peer_value=float(np.interp(size, range(2 * N + 1), ranked)),
    )


# --- PCP at equal words per document -------------------------------------------------------------


def _at_equal_words(run: Run, name: str, part: Stories) -> None:
    """Compare exact PCP, factored PCP and tf-idf at equal numbers of keywords."""
    data = counted(part)
    c = 2.0 if run.smoke else C
    exact = PCP(solver="exact", c=c, tol=1e-5).fit(data.counts).keywords(data.counts)
    n_words = exact.nnz / len(part)
    factored = PCP(keywords_per_document=n_words, random_state=run.seed).fit(data.counts)
    others = {
        "PCP, factored": factored.keywords(data.counts),
        "tf-idf, soft-thresholded": threshold(tfidf(data.counts), exact.nnz),
    }
    for kind, share in (("words", word_share), ("mass (t2)", mass_share)):
        for method, found in others.items():
            run.row(
                f"{name}: {kind} in titles, {n_words:.2f} a story, {method}",
                100 * share(found, data),
                "%",
                peer=f"PCP, exact, c={c:g}",
                peer_value=100 * share(exact, data),
            )


def tfidf(counts: sp.csr_matrix) -> sp.csr_matrix:
    frequency = np.maximum(counts.getnnz(axis=0), 1)
    return sp.csr_matrix(counts @ sp.diags(np.log(counts.shape[0] / frequency)))


def threshold(weights: sp.csr_matrix, n_kept: int) -> sp.csr_matrix:
    """Keep the `n_kept` largest weights, and subtract the next largest weight from them."""
    ordered = np.sort(weights.data)[::-1]
    level = ordered[n_kept] if n_kept < len(ordered) else 0.0
    cut = weights.copy()
    cut.data = np.maximum(cut.data - level, 0)
    cut.eliminate_zeros()
    return cut


def word_share(found: sp.csr_matrix, data: TitledCounts) -> float:
    """Return the share of keywords that are in the title of their story."""
    return mass_share(found.astype(bool).astype(float), data)


def mass_share(found: sp.csr_matrix, data: TitledCounts) -> float:
    """Return t2 of the paper: the share of title words in the total weight of the keywords."""
    return float(found.multiply(data.titles > 0).sum() / max(found.sum(), 1e-12))


# --- speed ---------------------------------------------------------------------------------------


def keywords_speed(run: Run) -> None:
    """Speed of keyword extraction for new documents on one core, in documents per second."""
    stories = reuters(run)
    part = stories.others(SPEED_STORIES, run.seed)
    few = part.bodies[: 5 if run.smoke else YAKE_STORIES]
    corpus = laconic.read(stories.first().bodies, n_jobs=1, **TEXTS)
    known = background_of(corpus)
    model = PCP(n_jobs=1, engine="serial").fit(corpus)
    counts = laconic.read(part.bodies, n_jobs=1, vocabulary=corpus, keep_texts=False)
    settings = known.settings | {"n_jobs": 1}

    def from_texts() -> object:
        return laconic.keywords(laconic.read(part.bodies, **settings), N, background=known)

    def words_only() -> object:
        texts = laconic.read(part.bodies, **settings)
        return laconic.keywords(texts, N, background=known, phrases=False)

    runners: dict[str, tuple[Callable[[], object], int]] = {
        "laconic.keywords of texts, words and phrases": (from_texts, len(part)),
        "laconic.keywords of texts, words": (words_only, len(part)),
        "PCP.keywords of counts": (lambda: model.keywords(counts), len(part)),
    }
    if has_yake():
        runners["YAKE of texts"] = (lambda: list(map(_yake(), few)), len(few))
    else:
        run.note("yake is not installed and is left out; install laconic[bench].")
    run.note(
        f"{len(part):,} new stories, which are neither in the background nor in the training data "
        f"of the model ({model.rank_} dimensions). The time includes counting the texts. YAKE "
        f"extracts single words from {len(few)} of these stories."
    )
    with threads(1):
        times = race({name: runner for name, (runner, _) in runners.items()}, run.repeats)
    rates = {name: runners[name][1] / times[name].seconds for name in runners}
    yake = rates.pop("YAKE of texts", None)
    for name, rate in rates.items():
        goal = at_least(20_000) if run.smoke or not yake else _fast_enough(rate)
        peer = "YAKE" if yake else None
        run.row(name, rate, "documents/s", peer=peer, peer_value=yake, goal=goal)


def _fast_enough(rate: float) -> Goal:
    return Goal(
        "value ≥ 20000 and ≥ 500x YAKE", lambda ratio: ratio >= 500 and rate >= 20_000, "ratio"
    )


# --- YAKE ----------------------------------------------------------------------------------------


def has_yake() -> bool:
    return importlib.util.find_spec("yake") is not None


def _yake() -> Callable[[str], list[str]]:
    """Return a function that extracts the best single words of a text, in lower case."""
    import yake

    extractor = yake.KeywordExtractor(lan="en", n=1, top=4 * N)

    def extract(text: str) -> list[str]:
        found = [word.lower() for word, _ in extractor.extract_keywords(text)]
        return list(dict.fromkeys(word for word in found if words_of(word) == [word]))[:N]

    return extract
