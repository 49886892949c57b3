"""Tables 4 and 5 of the Sparse LSA paper (SDM 2011): words of topics of NIPS papers.

The paper uses 1,714 papers and states about λ only that each topic keeps at least ten words. Here,
λ is the largest value of a grid for which all ten topics keep ten words. Each of the paper's seven
topics is matched with a different topic of ours, such that as many words as possible are in common.
The topics are those of the authors' program and of laconic.
"""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from benchmarks.harness import Run, threads
from benchmarks.nips import all_titled_nips
from benchmarks.papers.comparison import SklearnLDA
from benchmarks.papers.literal_lda import LiteralLDA
from benchmarks.papers.literal_lsa import follow_path
from laconic import Corpus, LaconicError, SparseLSA, Weighting

PAPER = "the paper"
N_TOPICS, N_WORDS = 10, 10
PAPER_TOPICS = """
network neural networks system neurons neuron input output time systems
learning reinforcement algorithm function rule control learn weight action policy
network learning data neural training set function model input networks
model data models parameters mixture likelihood distribution gaussian em variables
function functions approximation linear basis threshold theorem loss time systems
input output inputs chip analog circuit signal current action policy
image images recognition visual object system feature figure input networks
"""
PAPER_LDA_TOPICS = """
learning data model training information number algorithm performance linear input
figure model output neurons vector networks state layer system order
algorithm method networks process learning input based function error parameter
single general sets time maximum paper rates features estimated neural
rate unit data time estimation node set input neural properties
algorithms set problem weight temporal prior obtain parameter neural simulated
function neural hidden networks recognition output visual noise parameters references
"""
WEIGHTINGS = ("frequencies", "tfidf")
PROGRAM, OURS = "the authors' program", "laconic"
GRID = np.geomspace(0.1, 0.001, 20)  # values of λ as fractions of |X| / sqrt(n_topics)
LDA_PASSES = 30
LDA_C_STEPS = (5, 30)

Words = list[list[str]]


def slsa_topics(run: Run) -> None:
    """Table 4: words of ten non-negative topics of NIPS papers, compared with the paper."""
    corpus = all_titled_nips(run)
    run.note(
        f"{len(corpus):,} papers x {corpus.shape[1]:,} words (the paper: 1,714 papers); "
        f"{N_TOPICS} non-negative topics with the largest λ of a grid for which each topic keeps "
        f"at least {N_WORDS} words. The paper does not state the weighting; its words "
        "suggest frequencies, which are used for the verdict. Shared is the share of the words of "
        "the paper's seven topics that are in the top ten of the matched topics. By chance is the "
        "same share if the words of the paper are assigned to its seven topics at random."
    )
    wanted = _split(PAPER_TOPICS) if not run.smoke else _own_words(corpus)
    chance = _by_chance(wanted, run.seed)
    with threads(1):
        for weighting in WEIGHTINGS:
            X = Weighting(weighting, dtype="float32").fit_transform(corpus.counts)
            for solver in (PROGRAM, OURS):
                _topic_rows(run, X, corpus, (weighting, solver), wanted, chance)


def _topic_rows(
    run: Run,
    X: sp.csr_matrix,
    corpus: Corpus,
    setting: tuple[str, str],
    wanted: Words,
    chance: float,
) -> None:
    weighting, solver = setting
    A = sparsest(X, 4 if run.smoke else N_TOPICS, solver, run.seed)
    tops = top_words(A.toarray(), corpus.vocabulary)
    share, given = shared_words(wanted, tops)
    run.row(
        f"words shared, {weighting}, {solver}",
        100 * share,
        "%",
        peer="by chance",
        peer_value=100 * chance,
        tolerance=0.05,
    )
    if setting == (WEIGHTINGS[0], PROGRAM):
        lengths = np.diff(A.indptr)
        run.row("words of the shortest topic", lengths.min(), "words", tolerance=0.1)
        run.row("zeros in A", 100 * (1 - lengths.sum() / np.prod(A.shape)), "%")
        _word_notes(run, wanted, tops, given)
        for number, topic in enumerate(wanted, 1):
            run.row(
                f"words shared, topic {number} ({' '.join(topic[:3])})",
                len(set(topic) & set(tops[given[number - 1]])),
                "",
                peer=PAPER,
                peer_value=N_WORDS,
                tolerance=0.2,
            )


def sparsest(X: sp.csr_matrix, n_topics: int, solver: str, seed: int) -> sp.csr_matrix:
    """Return the topics for the largest λ of the grid for which every topic has enough words."""
    size = np.sqrt(X.multiply(X).sum() / n_topics)
    for share in GRID:
        A = _fit(X, n_topics, float(share * size), solver, seed)
        if A is not None and np.diff(A.indptr).min() >= N_WORDS:
            return A
    raise RuntimeError(f"No λ of the grid keeps {N_WORDS} words in each of {n_topics} topics.")


def _fit(
    X: sp.csr_matrix, n_topics: int, alpha: float, solver: str, seed: int
) -> sp.csr_matrix | None:
    """Return the topics of one λ, or None if no word or not every topic remains."""
    if solver == PROGRAM:
        (found,) = follow_path(X, n_topics, [alpha], positive=True)
        return found.A
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # warnings about empty topics
            model = SparseLSA(n_topics, alpha=alpha, positive=True, n_jobs=1, random_state=seed)
            A = model.fit(X).components_
    except LaconicError:  # raised if no word remains
        return None
    return A if A.shape[0] == n_topics else None


def slsa_lda_topics(run: Run) -> None:
    """Table 5: words of ten topics of LDA, compared with seven topics of the paper."""
    corpus = all_titled_nips(run)
    wanted = _split(PAPER_LDA_TOPICS) if not run.smoke else _own_words(corpus)
    passes = 2 if run.smoke else LDA_PASSES
    run.note(
        f"LDA of scikit-learn has {passes} passes in batches of all documents. The paper used "
        "Blei's program LDA-C with unknown settings; as LDA-C: its updates, with estimated α, from "
        "a random start, stopped after the number of EM steps that the row names."
    )
    lda = SklearnLDA(N_TOPICS, run.seed, "batch", passes).fit(corpus.counts)
    _lda_rows(run, "LDA", lda.model.components_, corpus, wanted)
    for steps in LDA_C_STEPS[:1] if run.smoke else LDA_C_STEPS:
        literal = LiteralLDA(N_TOPICS, run.seed, max_iter=steps).fit(corpus.counts)
        _lda_rows(run, f"as LDA-C, {steps} EM steps", literal.log_beta.T, corpus, wanted)


def _lda_rows(run: Run, system: str, topics: np.ndarray, corpus: Corpus, wanted: Words) -> None:
    tops = top_words(topics, corpus.vocabulary)
    share, given = shared_words(wanted, tops)
    run.row(
        f"words shared, {system}", 100 * share, "%", peer="by chance",
        peer_value=100 * _by_chance(wanted, run.seed), tolerance=0.1,
    )  # fmt: skip
    words = ("network", "neural", "networks")
    run.row(
        f"topics with {', '.join(words[:-1])} or {words[-1]} in the top ten, of {N_TOPICS}, "
        f"{system}",
        sum(bool({*words} & {*top}) for top in tops),
        "",
        tolerance=0.2,
    )
    _word_notes(run, wanted, tops, given)


# --- words ---------------------------------------------------------------------------------------


def _split(table: str) -> Words:
    return [line.split() for line in table.strip().split("\n")]


def _own_words(corpus: Corpus) -> Words:
    """Return the words of the true topics of synthetic documents."""
    words = [str(word) for word in corpus.vocabulary]
    return [[word for word in words if word.startswith(f"t{k:02d}w")][:N_WORDS] for k in range(3)]


def top_words(components: np.ndarray, vocabulary: np.ndarray) -> Words:
    order = np.argsort(-components, axis=1, kind="stable")[:, :N_WORDS]
    return [[str(word) for word in vocabulary[row]] for row in order]


def shared_words(wanted: Words, tops: Words) -> tuple[float, list[int]]:
    """Match each list in `wanted` with a topic; return the share of common words and the topics."""
    common = np.array([[len(set(topic) & set(top)) for top in tops] for topic in wanted])
    rows, columns = linear_sum_assignment(-common)
    return float(common[rows, columns].sum() / sum(map(len, wanted))), columns.tolist()


def _by_chance(wanted: Words, seed: int, n_draws: int = 200) -> float:
    """Return the share of common words if the paper's words are assigned to topics at random."""
    random = np.random.default_rng(seed)
    words = np.concatenate(wanted)
    parts = np.cumsum([len(topic) for topic in wanted])[:-1]
    shares = [
        shared_words(wanted, [part.tolist() for part in np.split(random.permutation(words), parts)])
        for _ in range(n_draws)
    ]
    return float(np.mean([share for share, _ in shares]))


def _word_notes(run: Run, wanted: Words, tops: Words, given: list[int]) -> None:
    for topic, place in zip(wanted, given, strict=True):
        run.note(f"{' '.join(topic)}: our topic {place} has {' '.join(tops[place])}.")
