"""Figures and examples of the SCTM paper (R. Wang) compared with our results.

The paper prints its perplexities as curves without numbers. Where a prototype of the paper's
protocol has a number, our result is compared with it; otherwise, a note describes the figure.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

import laconic
from benchmarks.harness import Run, threads
from benchmarks.likelihood import OurSCTM, SklearnLDA, deal, perplexity, shares
from benchmarks.nips import folds, nips, titled_nips, without_words
from laconic import SCTM
from laconic.models.plsa.mixture import mix

PAPER = "the paper"
P, OMEGA = 50, 2.0**-12  # number of topics and penalty of the paper's examples


# --- figure 1: topics ----------------------------------------------------------------------------

PAPER_TOPICS = """
neuron synaptic activity synapses potential
node nodes network tree graph
map space feature representation mapping
motion direction velocity moving stage
distribution gaussian probability density mean
algorithm gradient step convergence update
signal noise filter processing component
word recognition speech character speaker
model parameter prediction modeling structure
bound number result threshold theorem
circuit chip analog current voltage
spike information rate firing noise
training error generalization test performance
neural network net recurrent computation
action policy optimal states step
"""
N_WORDS = 5
WHY_TOPICS = "our initialisation differs, and the problem has many solutions"


def sctm_topics(run: Run) -> None:
    """Figure 1: words of the paper's fifteen topics and of our most similar topics."""
    papers = nips(run)
    model = _paper_model(run).fit(papers.counts)
    tops = top_words(model.components_, papers.vocabulary)
    wanted = PAPER_TOPICS.strip().split("\n")
    found = []
    for line in wanted:
        words = line.split()
        common = [len(set(words) & set(top)) for top in tops]
        nearest = int(np.argmax(common))
        found.append(common[nearest])
        run.note(f"{line}: our topic {nearest} has {' '.join(tops[nearest])}.")
    run.note(
        f"SCTM(n_components={model.n_components}, alpha={OMEGA:g}), {model.n_iter_} passes. "
        "Each line has the top five words of a topic of the paper, and the top five words of our "
        "topic that has the most words in common with it."
    )
    paper = {} if run.smoke else {"peer": PAPER, "why": WHY_TOPICS}
    five, fifteen = ({**paper, "peer_value": n} if paper else {} for n in (N_WORDS, len(wanted)))
    run.row("words of five that the nearest topic shares, mean", np.mean(found), "", **five)
    shared = np.sum(np.array(found) > 1)
    run.row("of the paper's topics with at least two words shared", shared, "", **fifteen)
    run.row("zeros in topics", 100 * np.mean(model.components_ == 0), "%")
    codes = model.transform(papers.counts)
    run.row("topics of a document", codes.nnz / codes.shape[0], "topics")


def top_words(components: np.ndarray, vocabulary: np.ndarray) -> list[list[str]]:
    """Return the most probable words of each topic."""
    order = np.argsort(-components, axis=1, kind="stable")[:, :N_WORDS]
    return [[str(word) for word in vocabulary[row]] for row in order]


def _paper_model(run: Run) -> SCTM:
    return SCTM(6 if run.smoke else P, alpha=OMEGA, smoothing=None, random_state=run.seed)


# --- figures 2 and 3: held-out perplexity --------------------------------------------------------

SIZES = (10, 25, 50, 100, 150)
N_DOCUMENTS, N_FOLDS = 500, 10
OMEGAS = (5e-5, 1e-4)
LDA_ALPHA = 0.01
LDA_PASSES = 30
PRIOR = 0.05  # prior of mixtures by EM; fixed, not chosen on data
PROTOTYPE = {"SCTM, ω=5e-05": 2388.0, "LDA": 1376.0}  # median perplexities at p = 150
PROTOTYPE_INFINITE = 40.0  # % of documents with infinite perplexity; ranges from 37 to 42


class Fold(NamedTuple):
    """Results of one model on one fold."""

    perplexities: np.ndarray  # one per held-out document, with a mixture of all its words
    completion: float  # negative log probability of the hidden halves of these documents
    n_hidden: float  # number of hidden words


def sctm_perplexity_paper(run: Run) -> None:
    """Figures 2 and 3: held-out perplexity by p, with the paper's protocol and by completion."""
    counts = some_papers(run)
    n_folds, sizes = (2, (3,)) if run.smoke else (N_FOLDS, SIZES)
    run.note(
        f"{counts.shape[0]} papers drawn at random, {n_folds} folds. The paper's protocol: "
        "mixtures are fitted to whole held-out documents, and the same words are scored; SCTM has "
        "no smoothing, and its codes are scaled to sum to one; LDA (scikit-learn, batch, "
        f"{_passes(run)} passes) has α=0.01 and a prior of 0.01 for words. Medians are over all "
        "documents, including those with infinite perplexity. In the paper's figure 2, LDA levels "
        "off, and SCTM falls below it from about 50 topics on, without numbers; in its figure 3, "
        "ω=1e-4 is above ω=5e-5 for few topics. In a prototype of the paper's protocol, SCTM did "
        "not fall below LDA. Completion: mixtures inferred from one half of a document's words "
        f"predict the other half; SCTM has smoothing='kl', and EM with a prior of {PRIOR:g} infers "
        "its mixtures; LDA infers its own mixtures."
    )
    with threads(1):
        for p in sizes:
            found = _over_folds(run, counts, p, n_folds)
            _median_rows(run, p, found)
            _completion_rows(run, p, found)


def some_papers(run: Run) -> sp.csr_matrix:
    counts = nips(run).counts
    n = min(N_DOCUMENTS, counts.shape[0])
    return counts[np.random.default_rng(run.seed).permutation(counts.shape[0])[:n]]


def _passes(run: Run) -> int:
    return 2 if run.smoke else LDA_PASSES


def _over_folds(run: Run, counts: sp.csr_matrix, p: int, n_folds: int) -> dict[str, list[Fold]]:
    found: dict[str, list[Fold]] = {}
    for held_out in folds(counts.shape[0], n_folds, run.seed):
        train = counts[~held_out]
        test = without_words(counts[held_out], train.getnnz(axis=0) > 0)
        for omega in OMEGAS:
            fold = sctm_fold(train, test, p, omega, run.seed)
            found.setdefault(f"SCTM, ω={omega:g}", []).append(fold)
        found.setdefault("LDA", []).append(lda_fold(train, test, p, run.seed, _passes(run)))
    return found


def sctm_fold(train: sp.csr_matrix, test: sp.csr_matrix, p: int, omega: float, seed: int) -> Fold:
    ours = OurSCTM(p, seed, alpha=omega).fit(train)
    model, seen, hidden = ours.model, *deal(test, seed)
    whole = document_perplexities(
        model.components_, shares(model.transform(test).toarray(), model.topic_shares_), test
    )
    by_word = np.ascontiguousarray(ours.topics().T, dtype=np.float32)
    return _fold(whole, ours.topics(), mix(by_word, PRIOR, seen)[0], hidden)


def lda_fold(train: sp.csr_matrix, test: sp.csr_matrix, p: int, seed: int, passes: int) -> Fold:
    lda = SklearnLDA(p, seed, passes, doc_topic_prior=LDA_ALPHA, topic_word_prior=0.01).fit(train)
    seen, hidden = deal(test, seed)
    whole = document_perplexities(lda.topics(), lda.mixtures(test, None), test)
    return _fold(whole, lda.topics(), lda.mixtures(seen, None), hidden)


def _fold(
    whole: np.ndarray, topics: np.ndarray, mixtures: np.ndarray, hidden: sp.csr_matrix
) -> Fold:
    n_hidden = float(hidden.data.sum(dtype=np.float64))
    return Fold(whole, n_hidden * np.log(perplexity(topics, mixtures, hidden)), n_hidden)


def document_perplexities(topics: np.ndarray, mixtures: np.ndarray, X: sp.csr_matrix) -> np.ndarray:
    """Return the perplexity of each document as in the paper.

    It is infinite if a word of the document has probability 0.
    """
    by_word = np.ascontiguousarray(topics.T, dtype=np.float64)
    perplexities = np.ones(X.shape[0])
    for row, (a, b) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
        with np.errstate(divide="ignore"):
            logs = np.log(by_word[X.indices[a:b]] @ mixtures[row])
        if b > a:
            perplexities[row] = np.exp(-(X.data[a:b] @ logs) / X.data[a:b].sum())
    return perplexities


def _median_rows(run: Run, p: int, found: dict[str, list[Fold]]) -> None:
    for name, parts in found.items():
        each = np.concatenate([part.perplexities for part in parts])
        finite = each[np.isfinite(each)]
        infinite = 100 * (1 - len(finite) / len(each))
        is_known = p == 150 and not run.smoke and name in PROTOTYPE
        known = PROTOTYPE[name] if is_known else None
        median = np.median(each)
        what = f"median perplexity of documents, p={p}, {name}"
        if np.isfinite(median):
            low, high = np.quantile(finite, (0.25, 0.75))
            run.note(f"p={p}, {name}: quartiles of finite perplexities {low:,.0f}, {high:,.0f}.")
        elif len(finite):
            run.note(
                f"p={p}, {name}: the median is infinite, so the median of the finite perplexities "
                "is shown."
            )
            what = f"median perplexity of finite documents, p={p}, {name}"
            median = np.median(finite)
            known = None  # the median of the prototype is over all documents
        else:
            run.note(f"p={p}, {name}: the perplexity of every document is infinite.")
            continue
        run.row(what, median, "", peer="a prototype" if known else None, peer_value=known)
        if name != "LDA":
            run.row(
                f"documents with infinite perplexity, p={p}, {name}",
                infinite,
                "%",
                peer="a prototype" if is_known else None,
                peer_value=PROTOTYPE_INFINITE if is_known else None,
            )


def _completion_rows(run: Run, p: int, found: dict[str, list[Fold]]) -> None:
    scores = {
        name: float(
            np.exp(sum(part.completion for part in parts) / sum(part.n_hidden for part in parts))
        )
        for name, parts in found.items()
    }
    for name, score in scores.items():
        if name != "LDA":
            run.row(
                f"perplexity by completion, p={p}, {name}, smoothing='kl'",
                score,
                "",
                peer="LDA",
                peer_value=scores["LDA"],
            )


# --- documents by title --------------------------------------------------------------------------

QUERY = "Polynomial Uniform Convergence of Relative Frequencies to Probabilities"
SIMILAR = (
    "On the Distribution of the Number of Local Minima of a Random Function on a Graph",
    "Mixture Density Estimation",
)
TOP_DOCUMENTS = {
    ("distribution", "gaussian", "probability"): (
        "The Rectified Gaussian Distribution",
        "Approximating Posterior Distributions in Belief Networks Using Mixtures",
    ),
    ("word", "recognition", "speech"): (
        "Comparison of Human and Machine Word Recognition",
        "Performance Through Consistency",
    ),
}
SHOWN = 5


def sctm_similar(run: Run) -> None:
    """Similar documents, and top documents of topics, compared with the paper's examples."""
    corpus = titled_nips(run)
    model = _paper_model(run).fit(corpus)
    titles = [str(title) for title in corpus.titles]
    query = _find(titles, titles[0] if run.smoke else QUERY)
    nearest = laconic.similar(model, query, corpus, n=len(corpus))
    run.note(
        f"{len(corpus):,} papers with titles, {corpus.shape[1]:,} words; "
        f"SCTM(n_components={model.n_components}, alpha={model.alpha:g}). The paper fits the 1,500 "
        "papers of the UCI file, which have no titles; sctm-documents finds them. A rank is the "
        "position of the paper's example in our list."
    )
    run.note(f"Similar to '{titles[query]}': {_list(nearest, 'distance')}.")
    for place, title in enumerate(titles[1:3] if run.smoke else SIMILAR, 1):
        _rank_row(run, "similar documents", nearest["document"].to_list(), titles, title, place)
    for words, named in _examples(run, model, corpus, titles).items():
        topic = topic_of(model.components_, corpus.vocabulary, words)
        top = laconic.top_documents(model, topic, corpus, n=len(corpus))
        what = f"top documents of {{{', '.join(words)}}}"
        shown = " ".join(top_words(model.components_[[topic]], corpus.vocabulary)[0])
        run.note(f"{what} (ours: {shown}): {_list(top, 'share')}.")
        for place, title in enumerate(named, 1):
            _rank_row(run, what, top["document"].to_list(), titles, title, place)


def _examples(
    run: Run, model: SCTM, corpus: laconic.Corpus, titles: list[str]
) -> dict[tuple[str, ...], tuple[str, ...]]:
    if not run.smoke:
        return TOP_DOCUMENTS
    words = tuple(top_words(model.components_[:1], corpus.vocabulary)[0][:3])
    best = laconic.top_documents(model, 0, corpus, n=1)["document"].item()
    return {words: (titles[best],)}


def topic_of(components: np.ndarray, vocabulary: np.ndarray, words: tuple[str, ...]) -> int:
    """Return the topic in which the words have the smallest sum of ranks."""
    columns = [int(np.flatnonzero(vocabulary == word)[0]) for word in words]
    ranks = (components[:, :, np.newaxis] > components[:, np.newaxis, columns]).sum(axis=1)
    return int(ranks.sum(axis=1).argmin())


def _find(titles: list[str], title: str) -> int:
    return next(row for row, known in enumerate(titles) if known.startswith(title))


def _rank_row(
    run: Run, what: str, rows: list[int], titles: list[str], title: str, place: int
) -> None:
    """Add a row with the rank of a title; if it is not listed, the rank after the last."""
    row = _find(titles, title)
    rank = rows.index(row) + 1 if row in rows else len(rows) + 1
    run.row(f"{what}: rank of '{titles[row]}'", rank, "", peer=PAPER, peer_value=place)


def _list(table: object, value: str) -> str:
    rows = table.head(SHOWN).rows(named=True)  # type: ignore[attr-defined]
    return "; ".join(f"{row['title']} ({row[value]:.2f})" for row in rows)
