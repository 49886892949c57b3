"""The abstract of the PCP paper: weighting background and keywords separately improves retrieval.

"A better mAP can be obtained by weighting the low-rank terms and sparse terms separately, compared
with traditional TF·IDF strategy" (section 3.3), without data, weights or numbers. Here the entries
of D = L + S are replaced by a L + b S, only where D is not zero, and then weighted by tf-idf and
ranked by cosine; a = b is tf-idf itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

import laconic
from benchmarks.collections import Collection, collections, p_value
from benchmarks.harness import Run, threads
from benchmarks.papers.literal_pcp import inexact_alm
from benchmarks.retrieval import TOPICS, Scored, leave_one_out, precisions, rarity, unit
from laconic import PCP

STEPS = (5, 12)  # values of i, where λ = i/√m
WEIGHTS = tuple(round(0.1 * n, 1) for n in range(11))  # a; b is 1 - a
EVEN = 0.5
ALM_TOL = 1e-5  # S is D - L, so the residual need not be tiny
LARGEST = 2000  # documents of the largest collection for the paper's solver, whose L is dense
PRINTED, FACTORED = "PCP as printed", "laconic, factored PCP"
LINEAR, LOG = "tf-idf", "log tf-idf"

Keywords = dict[str, sp.csr_matrix]  # setting of PCP -> S where D is not zero
Scores = dict[tuple[str, float], list[np.ndarray]]


def pcp_retrieval(run: Run) -> None:
    """Mean average precision of a L + b S against tf-idf, with weights from other collections."""
    asked = collections(run)
    few = [one for one in asked if len(one.titles) <= LARGEST]
    run.note(
        "D' = a L + b S where D is not zero, with S = D - L and b = 1 - a; negative entries are "
        f"set to zero. '{LINEAR}': D' times idf; '{LOG}': (1 + ln D) times idf times D'/D. Queries "
        "are weighted by tf-idf, and documents are ranked by cosine. a = b is tf-idf. a and the "
        "setting of PCP are those with the best mean on the other collections, never chosen on the "
        f"scored collection. {PRINTED}: inexact ALM with λ = i/√m, i = "
        f"{', '.join(map(str, STEPS))}, on the collections with at most {LARGEST:,} documents. "
        f"{FACTORED}: rank {TOPICS}, threshold chosen by the model, on all collections. p is the "
        "p-value of a two-sided paired randomisation test over queries."
    )
    with threads(1):
        for name, parts, of in ((PRINTED, few, printed), (FACTORED, asked, factored)):
            keywords = [of(run, one) for one in parts]
            for form, weigh in FORMS.items():
                _rows(run, f"{name}, {form}", parts, scores(parts, keywords, weigh), run.seed)


def printed(run: Run, one: Collection) -> Keywords:
    D = one.corpus.counts.toarray().astype(np.float64)
    found = {}
    for i in STEPS[:1] if run.smoke else STEPS:
        S = D - inexact_alm(D, i / np.sqrt(max(D.shape)), tol=ALM_TOL).low_rank
        found[f"i={i}"] = sp.csr_matrix(np.where(D > 0, S, 0))
    return found


def factored(run: Run, one: Collection) -> Keywords:
    counts = one.corpus.counts.astype(np.float32)
    rank = min(4 if run.smoke else TOPICS, min(counts.shape) - 1)
    S = PCP(rank, n_jobs=1, random_state=run.seed).fit(counts).split(counts).keywords
    return {f"rank {TOPICS}": sp.csr_matrix(S.multiply(counts > 0))}


# --- scores --------------------------------------------------------------------------------------


def mixed(counts: sp.csr_matrix, S: sp.csr_matrix, a: float) -> np.ndarray:
    """Return a (D - S) + (1 - a) S at the entries of D."""
    rows = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    keywords = np.asarray(S[rows, counts.indices]).ravel()
    return np.maximum(a * (counts.data - keywords) + (1 - a) * keywords, 0)


def linear(counts: sp.csr_matrix, mix: np.ndarray) -> np.ndarray:
    return mix


def logarithmic(counts: sp.csr_matrix, mix: np.ndarray) -> np.ndarray:
    return (1 + np.log(counts.data)) * mix / counts.data


FORMS: dict[str, Callable[[sp.csr_matrix, np.ndarray], np.ndarray]] = {
    LINEAR: linear,
    LOG: logarithmic,
}


def scores(
    parts: list[Collection],
    keywords: list[Keywords],
    weigh: Callable[[sp.csr_matrix, np.ndarray], np.ndarray],
) -> Scores:
    """Return the average precision of each query, for each setting of PCP and each a."""
    found: Scores = {}
    for one, settings in zip(parts, keywords, strict=True):
        counts, idf = one.corpus.counts.astype(np.float64), rarity(one.corpus)
        asked = laconic.read(one.queries, vocabulary=one.corpus).counts.astype(np.float64)
        data = weigh(asked, asked.data)
        queries = sp.csr_matrix(
            (data * idf[asked.indices], asked.indices, asked.indptr), asked.shape
        )
        for setting, S in settings.items():
            for a in WEIGHTS:
                data = weigh(counts, mixed(counts, S, a)) * idf[counts.indices]
                documents = unit(sp.csr_matrix((data, counts.indices, counts.indptr), counts.shape))
                ranked = precisions(one, (queries @ documents.T).toarray())
                found.setdefault((setting, a), []).append(ranked)
    return found


def _rows(run: Run, what: str, parts: list[Collection], found: Scores, seed: int) -> None:
    even = next(each for (_, a), each in found.items() if a == EVEN)
    chosen: Scored = leave_one_out([found])[0]  # type: ignore[list-item]
    wins, told = 0, []
    for one, ours, theirs, setting in zip(
        parts, chosen.queries, even, chosen.settings, strict=True
    ):
        better = ours.mean() > theirs.mean()
        wins += better
        p = p_value(ours, theirs, seed)
        gain = f"{ours.mean() - theirs.mean():+.4f}, p {p:.2g}"
        told.append(f"{one.name} {setting[0]}, a={setting[1]:g} ({gain})")
        run.row(
            f"mAP, {one.name}, {what}",
            ours.mean(),
            "",
            peer="tf-idf (a = b)",
            peer_value=theirs.mean(),
        )
    means = [
        float(np.mean([each.mean() for each in queries])) for queries in (chosen.queries, even)
    ]
    run.row(f"mAP, mean, {what}", means[0], "", peer="tf-idf (a = b)", peer_value=means[1])
    run.row(
        f"collections where a ≠ b has a better mAP, {what}",
        wins,
        "",
        peer="all",
        peer_value=len(parts),
    )
    best = max(found, key=lambda key: np.mean([each.mean() for each in found[key]]))
    value = np.mean([each.mean() for each in found[best]])
    of_all = f"{best[0]}, a={best[1]:g}, {value:.4f}"
    run.note(f"{what}: {'; '.join(told)}. Best on all collections: {of_all}.")
