"""Mean average precision of search by words, by background and by both, on seven collections.

Nothing is chosen on the scored collection: if a weight has several candidates, the candidate with
the best mean on the other collections is used. The number of topics is the same for all
collections.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import bm25s
import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import Pipeline

import laconic
from benchmarks.collections import Collection, collections, p_value, stems
from benchmarks.harness import Run, at_least, at_most, threads
from laconic import PCP, Corpus, SearchIndex, Weighting
from laconic.metrics import average_precision
from laconic.retrieval import blending

TOPICS = 50
# Numbers of dimensions from the specification
LSI = 300  # for latent semantic indexing alone
LSI_IN_MIX = 100  # for latent semantic indexing combined with BM25
MIXES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FIXED_MIX = 0.6
# Candidates for the weight of the background at agreement 1; see laconic.retrieval.blending
STRENGTHS = (
    0.0,
    12.0,
    16.0,
    20.0,
    24.0,
    28.0,
)
NONE = "no background"
OURS = "search, Sparse LSA"
WORDS_ALONE = "BM25 (bm25s)"
SIGNIFICANT = 0.05

Scores = dict[str, list[np.ndarray]]  # setting -> for each collection, a score for each query
Method = Callable[[Run, list[Collection]], Scores]


class Scored(NamedTuple):
    """Average precision of the queries of each collection, and the setting that was used."""

    queries: list[np.ndarray]
    settings: list[str]

    @property
    def means(self) -> list[float]:
        return [float(figures.mean()) for figures in self.queries]


def retrieval(run: Run) -> None:
    """Mean average precision of laconic.search, BM25, LSI and their mix, on 7 collections."""
    asked = collections(run)
    run.note(
        f"{len(asked)} collections, {sum(len(one.queries) for one in asked)} queries with "
        "judgments. Every method uses Snowball stems of title and text without English stop words, "
        "unless 'whole words' is stated. A weight is chosen on the other collections, never on the "
        "scored collection. The strength of the background in laconic.search, which is a constant "
        "of the library, is the same for all models; it is the best on average. The form of the "
        "rule (deviations, the square of the agreement, feedback, titles counted three times, 50 "
        "topics) was found on these collections. "
        f"p is the p-value of a two-sided paired randomisation test over queries against "
        f"{WORDS_ALONE}."
    )
    with threads(1):
        scored = {
            name: score
            for name, method in peers(run).items()
            for score in leave_one_out([method(run, asked)])
        }
        found = {name: method(run, asked) for name, method in searches(run).items()}
    scored["search, words alone"] = leave_one_out([{NONE: found[OURS][NONE]}])[0]
    scored |= dict(zip(found, leave_one_out(list(found.values())), strict=True))
    for name, one in scored.items():
        _report(run, asked, name, one, scored[WORDS_ALONE])
    for name in (OURS, "search, LSA"):
        _goals(run, asked, name, scored[name], scored[WORDS_ALONE])


def peers(run: Run) -> dict[str, Method]:
    """Return the methods that laconic.search is compared with."""
    return {
        "tf-idf": by_scores(tfidf),
        WORDS_ALONE: by_scores(bm25),
        "LSI 300": by_scores(lambda one: cosines_of_lsi(one, LSI, run.seed)),
        "0.4 BM25 + 0.6 LSI 100": lambda run, asked: by_mix(run, asked, (FIXED_MIX,)),
        "BM25 + LSI 100, weight chosen": lambda run, asked: by_mix(run, asked, MIXES),
        "a cos(L) + b cos(S), PCP": by_paper,
    }


def searches(run: Run) -> dict[str, Method]:
    """Return search methods that use laconic.search with different models as background."""

    def size(corpus: Corpus) -> int:
        return min(4 if run.smoke else TOPICS, len(corpus) - 1)

    def fit(name: str, corpus: Corpus, **options: Any) -> Any:
        model = laconic.pipeline(name, n_components=size(corpus), n_jobs=1, **options)
        return model.fit(corpus)

    def lsa(corpus: Corpus) -> Any:
        model = TruncatedSVD(size(corpus), n_iter=7, random_state=run.seed)
        return Pipeline([("weighting", Weighting()), ("model", model)]).fit(corpus.counts)

    return {
        OURS: by_search(lambda corpus: fit("slsa", corpus)),
        "search, Sparse LSA, signed": by_search(lambda corpus: fit("slsa", corpus, positive=False)),
        "search, LSA": by_search(lsa),
        "search, PCP on tf-idf": by_search(
            lambda corpus: fit("pcp", corpus, weighting="tfidf-balanced")
        ),
        "search, PCP on counts": by_search(lambda corpus: fit("pcp", corpus)),
        "search, Sparse LSA of whole words": by_search(lambda corpus: fit("slsa", corpus), "words"),
    }


# --- choosing settings and reporting -------------------------------------------------------------


def leave_one_out(methods: list[Scores]) -> list[Scored]:
    """For each collection, choose the setting with the best mean on the other collections.

    The mean is over all methods, so that they all use the same setting.
    """
    settings = list(methods[0])
    means = np.mean(
        [[[one.mean() for one in scores[name]] for name in settings] for scores in methods], axis=0
    )
    others = (means.sum(axis=1, keepdims=True) - means).argmax(axis=0)
    chosen = [settings[best] for best in others]
    return [
        Scored([scores[setting][i] for i, setting in enumerate(chosen)], chosen)
        for scores in methods
    ]


def _report(run: Run, asked: list[Collection], name: str, one: Scored, words: Scored) -> None:
    told = []
    for collection, ours, theirs in zip(asked, one.queries, words.queries, strict=True):
        p = p_value(ours, theirs, run.seed)
        told.append(f"{collection.name} {ours.mean() - theirs.mean():+.3f} (p {p:.2g})")
        run.row(
            f"mAP, {collection.name}, {name}",
            ours.mean(),
            "",
            peer=WORDS_ALONE,
            peer_value=theirs.mean(),
        )
    run.row(
        f"mAP, mean, {name}",
        np.mean(one.means),
        "",
        peer=WORDS_ALONE,
        peer_value=np.mean(words.means),
    )
    if one is not words:
        run.note(f"{name}, compared with {WORDS_ALONE}: {', '.join(told)}.")
    if len(set(one.settings)) > 1 or one.settings[0]:
        run.note(f"{name}, settings: {_settings(asked, one)}.")


def _settings(asked: list[Collection], one: Scored) -> str:
    if len(set(one.settings)) == 1:
        return f"{one.settings[0]} for all"
    pairs = zip(asked, one.settings, strict=True)
    return ", ".join(f"{collection.name} {setting}" for collection, setting in pairs)


def _goals(run: Run, asked: list[Collection], name: str, ours: Scored, words: Scored) -> None:
    losses = sum(
        a.mean() < b.mean() and p_value(a, b, run.seed) < SIGNIFICANT
        for a, b in zip(ours.queries, words.queries, strict=True)
    )
    run.row(f"mAP, mean over collections, {name}", np.mean(ours.means), "", goal=at_least(0.441))
    run.row(f"mAP, {asked[-1].name}, {name}", ours.means[-1], "", goal=at_least(0.28))
    what = f"collections where {name} loses to {WORDS_ALONE}, p < {SIGNIFICANT:g}"
    run.row(what, losses, "", goal=at_most(0, of="value"))


# --- laconic.search ------------------------------------------------------------------------------


def by_search(fit: Callable[[Corpus], Any], part: str = "corpus") -> Method:
    """Return a method that scores laconic.search with several strengths of the background."""

    def search(run: Run, asked: list[Collection]) -> Scores:
        scores: Scores = {_name(strength): [] for strength in STRENGTHS}
        for collection in asked:
            corpus: Corpus = getattr(collection, part)
            model = fit(corpus)
            # the tokenizer of `corpus` already stems, so that no language is needed
            made = laconic.search(model, corpus, language=None if part == "corpus" else "english")
            for strength in STRENGTHS:
                with _strength(strength):
                    index = SearchIndex(model, made.documents, made.parts)
                scores[_name(strength)].append(found_by(index, collection))
        return scores

    return search


def found_by(index: SearchIndex, collection: Collection) -> np.ndarray:
    """Return the average precision of each query."""
    pairs = zip(collection.queries, collection.relevant, strict=True)
    return np.array(
        [
            average_precision([hit.row for hit in index.query(text, len(index))], relevant)
            for text, relevant in pairs
        ]
    )


def _name(strength: float) -> str:
    return f"strength {strength:g}" if strength else NONE


@contextmanager
def _strength(strength: float) -> Iterator[None]:
    """Temporarily replace the constant `blending.STRENGTH`, which users cannot set."""
    usual = blending.STRENGTH
    blending.STRENGTH = strength
    try:
        yield
    finally:
        blending.STRENGTH = usual


# --- peers ---------------------------------------------------------------------------------------


def by_scores(score: Callable[[Collection], np.ndarray]) -> Any:
    """Return a method without settings; `score` returns an array (queries x documents)."""
    return lambda run, asked: {"": [precisions(one, score(one)) for one in asked]}


def precisions(collection: Collection, scores: np.ndarray) -> np.ndarray:
    pairs = zip(scores, collection.relevant, strict=True)
    return np.array([average_precision(np.argsort(-s, kind="stable"), r) for s, r in pairs])


def by_mix(run: Run, asked: list[Collection], weights: tuple[float, ...]) -> Scores:
    """Mix the BM25 score, relative to the best document, with the cosine of LSI."""
    scores: Scores = {f"weight {weight:g} of LSI": [] for weight in weights}
    for one in asked:
        words = bm25(one)
        words /= np.maximum(words.max(axis=1, keepdims=True), 1e-9)
        topics = cosines_of_lsi(one, LSI_IN_MIX, run.seed)
        for weight in weights:
            mixed = (1 - weight) * words + weight * topics
            scores[f"weight {weight:g} of LSI"].append(precisions(one, mixed))
    return scores


def bm25(one: Collection) -> np.ndarray:
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index([stems(text) for text in one.corpus.texts], show_progress=False)
    known = set(one.corpus.vocabulary)
    queries = [[word for word in stems(text) if word in known] for text in one.queries]
    return np.array([index.get_scores(words) for words in queries], dtype=np.float64)


def tfidf(one: Collection) -> np.ndarray:
    documents, queries = weighted(one)
    return np.asarray((queries @ unit(documents).T).toarray())


def cosines_of_lsi(one: Collection, size: int, seed: int) -> np.ndarray:
    documents, queries = weighted(one)
    size = min(size, min(documents.shape) - 1)
    model = TruncatedSVD(size, n_iter=7, random_state=seed).fit(documents)
    return unit(model.transform(queries)) @ unit(model.transform(documents)).T


def by_paper(run: Run, asked: list[Collection]) -> Scores:
    """Search as in the PCP paper: mix the cosines with the background and with the keywords."""
    scores: Scores = {f"{a:g} cos(L) + {1 - a:.1f} cos(S)": [] for a in MIXES}
    for one in asked:
        background, keywords = cosines_of_parts(one, 4 if run.smoke else TOPICS)
        for a, setting in zip(MIXES, scores, strict=True):
            scores[setting].append(precisions(one, a * background + (1 - a) * keywords))
    return scores


def cosines_of_parts(one: Collection, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the idf-weighted cosines of queries with L and S.

    They are not divided by the length of the query, which does not change the ranking.
    """
    counts = one.corpus.counts.astype(np.float32)
    model = PCP(min(rank, min(counts.shape) - 1), n_jobs=1).fit(counts)
    parts, idf, queries = model.split(counts), rarity(one.corpus), weighted(one)[1]
    codes, words = parts.background.codes, parts.background.components * idf
    lengths = np.sqrt(np.maximum(np.sum(codes @ (words @ words.T) * codes, axis=1), 1e-12))
    keywords = unit(sp.csr_matrix(parts.keywords @ sp.diags(idf)))
    return (queries @ words.T) @ codes.T / lengths, (queries @ keywords.T).toarray()


def weighted(one: Collection) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Weight documents and queries by (1 + ln tf) ln(N / df)."""
    idf = rarity(one.corpus)
    asked = laconic.read(one.queries, vocabulary=one.corpus)
    return tuple(
        sp.csr_matrix(((1 + np.log(X.data)) * idf[X.indices], X.indices, X.indptr), X.shape)
        for X in (one.corpus.counts, asked.counts)
    )


def rarity(corpus: Corpus) -> np.ndarray:
    frequency = np.bincount(corpus.counts.indices, minlength=corpus.shape[1])
    return np.log(len(corpus) / np.maximum(frequency, 1))


def unit(rows: Any) -> Any:
    lengths = np.maximum(_lengths(rows), 1e-12)
    if sp.issparse(rows):
        return sp.csr_matrix(sp.diags(1 / lengths) @ rows)
    return rows / lengths[:, None]


def _lengths(rows: Any) -> np.ndarray:
    if sp.issparse(rows):
        return np.asarray(np.sqrt(rows.multiply(rows).sum(axis=1))).ravel()
    return np.linalg.norm(rows, axis=1)
