"""Seeds on 20 Newsgroups: do the topics come back as the user named them, and at what cost?

Five newsgroups have a seed of five words each. The words were chosen before the first fit, and were
not changed afterwards. Leading documents are those of `laconic.top_documents`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import laconic
from benchmarks.data import VECTORIZER, Posts, newsgroups
from benchmarks.harness import Goal, Run, at_least
from laconic import Corpus
from laconic.metrics.classification import train_test_accuracy
from laconic.models import MODELS

SEEDS = {
    "sci.space": ["nasa", "orbit", "shuttle", "moon", "launch"],
    "rec.sport.hockey": ["hockey", "nhl", "goalie", "playoffs", "puck"],
    "sci.crypt": ["encryption", "cryptography", "clipper", "key", "nsa"],
    "sci.med": ["doctor", "disease", "patients", "medical", "symptoms"],
    "rec.motorcycles": ["motorcycle", "bike", "helmet", "riding", "bmw"],
}
NAMES = tuple(name for name in MODELS if name != "pcp")
N_TOPICS = 50
N_LEADING = 50
N_SEEDS = 3
LEAST_SHARE = 60.0
LARGEST_LOSS = 1.0


def seeds(run: Run) -> None:
    """Share of the leading documents of seeded topics that are in the right newsgroup."""
    posts = newsgroups(run)
    corpus = laconic.read(posts.bodies, **({} if run.smoke else VECTORIZER))
    corpus = corpus.replace(labels=[str(label) for label in posts.labels])
    words = _frequent_words(corpus) if run.smoke else SEEDS
    run.note(
        f"{plural_documents(posts)}; {len(words)} seeds of five words; "
        f"{10 if run.smoke else N_TOPICS} topics. Models have the default settings of "
        "laconic.pipeline. Shares are those of the worst seed and the worst of "
        f"{1 if run.smoke else N_SEEDS} random seeds. Accuracy is that of a linear SVM on the "
        "codes, trained on the training half and measured on the test half; it is the mean over "
        "random seeds. The accuracy of the other topics is measured on the codes without the "
        "seeded topics and on the posts of the newsgroups without a seed; the fit without seeds "
        "keeps all of its topics there."
    )
    for name in NAMES:
        _measure(run, name, corpus, posts, words)


def _measure(
    run: Run, name: str, corpus: Corpus, posts: Posts, words: dict[str, list[str]]
) -> None:
    groups = list(words)
    shares, accuracies, plain = [], [], []
    for number in range(1 if run.smoke else N_SEEDS):
        options = {"n_components": 10 if run.smoke else N_TOPICS, "random_state": run.seed + number}
        model = laconic.pipeline(name, seeds=words, **options)
        accuracies.append(_accuracies(model, corpus, posts, groups, n_seeded=len(groups)))
        shares.append(_leading_shares(model, corpus[posts.is_train], groups))
        model = laconic.pipeline(name, **options)
        plain.append(_accuracies(model, corpus, posts, groups, n_seeded=0))
    worst = np.min(shares, axis=0)
    for group, share in zip(words, worst, strict=True):
        run.row(f"{name}: leading documents of {group}", share, "%", goal=at_least(LEAST_SHARE))
    whats = "accuracy with seeds", "accuracy of the other topics"
    for what, mean, peer in zip(
        whats, np.mean(accuracies, axis=0), np.mean(plain, axis=0), strict=True
    ):
        run.row(
            f"{name}: {what}",
            float(mean),
            "%",
            peer="without seeds",
            peer_value=float(peer),
            goal=_at_most_below(float(peer)),
        )


def _at_most_below(value: float) -> Goal:
    return Goal(
        f"at most {LARGEST_LOSS:g} below the fit without seeds",
        lambda mean: bool(mean >= value - LARGEST_LOSS),
        "value",
    )


def _accuracies(
    model: Any, corpus: Corpus, posts: Posts, groups: list[str], n_seeded: int
) -> tuple[float, float]:
    """Return the accuracy of all codes, and of the codes without seeds on the other newsgroups."""
    train, test = corpus[posts.is_train], corpus[~posts.is_train]
    labels, test_labels = np.array(train.labels), np.array(test.labels)
    codes, test_codes = model.fit_transform(train, train.labels), model.transform(test)
    other, test_other = ~np.isin(labels, groups), ~np.isin(test_labels, groups)
    return (
        _accuracy(codes, labels, test_codes, test_labels),
        _accuracy(
            codes[other][:, n_seeded:],
            labels[other],
            test_codes[test_other][:, n_seeded:],
            test_labels[test_other],
        ),
    )


def _accuracy(codes: Any, labels: np.ndarray, test_codes: Any, test_labels: np.ndarray) -> float:
    return 100 * train_test_accuracy(codes, labels, test_codes, test_labels, random_state=0)


def _leading_shares(model: Any, corpus: Corpus, groups: list[str]) -> list[float]:
    labels = np.array(corpus.labels)
    shares = []
    for topic, group in enumerate(groups):
        rows = laconic.top_documents(model, topic, corpus, N_LEADING)["document"].to_numpy()
        shares.append(100 * float(np.mean(labels[rows] == group)) if len(rows) else 0.0)
    return shares


def _frequent_words(corpus: Corpus) -> dict[str, list[str]]:
    """Return, for two labels, the words that are most typical of their documents."""
    labels = np.array(corpus.labels)
    totals = np.asarray(corpus.counts.sum(axis=0)).ravel()
    found = {}
    for label in np.unique(labels)[:2]:
        counts = np.asarray(corpus.counts[np.flatnonzero(labels == label)].sum(axis=0)).ravel()
        best = np.argsort(-counts / np.sqrt(totals), kind="stable")[:5]
        found[str(label)] = [str(corpus.vocabulary[word]) for word in best]
    return found


def plural_documents(posts: Posts) -> str:
    n_train = int(posts.is_train.sum())
    return f"{n_train:,} training and {len(posts.is_train) - n_train:,} test posts"
