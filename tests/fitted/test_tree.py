"""Tests of the tree of topics: levels, nesting, independence of the order of topics, labels."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import laconic
from laconic import PLSA, SparseLSA
from laconic.fitted.documents import Documents, keep_documents
from laconic.fitted.linkage import link_topics
from laconic.fitted.model import TopicView
from laconic.fitted.tree import default_levels, grow_tree
from tests.messages import refused


class Estimator:
    """The attributes of a fitted model that a tree uses."""

    TOPICS_ARE_DISTRIBUTIONS = False

    def __init__(self, components, shares):
        self.components_ = sp.csr_matrix(components)
        self.topic_shares_ = np.asarray(shares, dtype=float)

    def fit(self, X):
        return self

    def permuted(self, order):
        return Estimator(self.components_[order], self.topic_shares_[order])


def sets_of(tree, n_groups):
    return {frozenset(topics) for topics in tree.cut(n_groups).members}


@pytest.fixture(scope="module")
def planted():
    """Eight topics in four pairs that share words, and documents in which two pairs co-occur."""
    components = np.zeros((8, 24))
    for topic in range(8):
        components[topic, 3 * topic : 3 * topic + 3] = 1
        components[topic, 3 * (topic // 2 * 2)] += 0.5
    codes = np.kron(np.kron(np.eye(2), np.ones((2, 2))), np.ones((1, 2))) / 4
    rng = np.random.default_rng(0)
    codes = np.repeat(codes, 10, axis=0) + 0.05 * rng.random((40, 8))
    return Estimator(components, np.linspace(2, 1, 8) / 12), Documents(sp.csr_matrix(codes))


@pytest.fixture(scope="module")
def fitted():
    corpus, _ = laconic.datasets.make_topics(150, 200, 12, words_per_topic=12, random_state=0)
    return laconic.pipeline("plsa", n_components=12, random_state=0).fit(corpus), corpus


def reference_average_linkage(distances):
    """Merge the two nearest groups until one is left; distances are means over pairs."""
    groups, merges = [[i] for i in range(len(distances))], []
    while len(groups) > 1:
        pairs = [(i, j) for i in range(len(groups)) for j in range(i)]
        means = [distances[np.ix_(groups[i], groups[j])].mean() for i, j in pairs]
        best = int(np.argmin(means))
        i, j = pairs[best]
        merges.append((frozenset(groups[i]) | frozenset(groups[j]), means[best]))
        groups = [g for k, g in enumerate(groups) if k not in (i, j)] + [groups[i] + groups[j]]
    return merges


def test_the_merges_are_those_of_plain_average_linkage():
    rng = np.random.default_rng(3)
    estimator = Estimator(rng.random((9, 15)), rng.random(9))
    correlations = np.corrcoef(rng.random((9, 40)))
    likeness = laconic.fitted.similar_topics.topic_likeness(estimator)
    upper = np.triu_indices(9, 1)
    similarity = likeness / likeness[upper].std() + 2 * correlations / correlations[upper].std()
    spread = np.ptp(similarity[upper])
    expected = reference_average_linkage((similarity[upper].max() - similarity) / spread)
    pairs, heights, _ = link_topics(TopicView(estimator), correlations)
    members = {i: frozenset([i]) for i in range(9)}
    for merge, (a, b) in enumerate(pairs.tolist()):
        members[9 + merge] = members[a] | members[b]
        assert members[9 + merge] == expected[merge][0]
    np.testing.assert_allclose(heights, [mean for _, mean in expected], atol=1e-8)


def test_topics_of_the_same_documents_and_words_are_grouped(planted):
    estimator, documents = copy.copy(planted[0]), planted[1]
    by_words = laconic.topic_tree(estimator, [4])
    assert sets_of(by_words, 4) == {frozenset(pair) for pair in ([0, 1], [2, 3], [4, 5], [6, 7])}
    keep_documents(estimator, documents)
    tree = laconic.topic_tree(estimator, [4, 2])
    assert sets_of(tree, 2) == {frozenset(range(4)), frozenset(range(4, 8))}


# Few distinct values, so that many pairs of topics are equally similar
weights = st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=4, max_size=4)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.lists(weights, min_size=2, max_size=9, unique_by=tuple))
def test_permuting_the_topics_only_renumbers_the_tree(data, rows):
    n_topics = len(rows)
    shares = data.draw(st.lists(st.sampled_from([0.1, 0.2]), min_size=n_topics, max_size=n_topics))
    order = np.array(data.draw(st.permutations(range(n_topics))))
    estimator = Estimator(rows, shares)
    codes = np.round(np.random.default_rng(n_topics).random((12, n_topics)))
    correlations = np.round(np.corrcoef((codes + np.eye(12, n_topics)).T), 9)
    levels = [n_topics // 2, 1] if n_topics > 3 else [1]
    tree = grow_tree(TopicView(estimator), correlations, levels)
    moved = grow_tree(
        TopicView(estimator.permuted(order)), correlations[np.ix_(order, order)], levels
    )
    for n_groups in range(1, n_topics + 1):
        found = [[int(order[topic]) for topic in group] for group in moved.cut(n_groups).members]
        assert found == tree.cut(n_groups).members
    np.testing.assert_array_equal(moved.linkage.heights, tree.linkage.heights)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 14), st.integers(0, 5))
def test_levels_are_as_asked_and_no_branch_has_one_child(data, n_topics, seed):
    rng = np.random.default_rng(seed)
    estimator = Estimator(rng.random((n_topics, 6)).round(1), rng.random(n_topics))
    wanted = data.draw(st.sets(st.integers(1, n_topics), min_size=1, max_size=3))
    levels = sorted(wanted, reverse=True)
    tree = laconic.topic_tree(estimator, levels)
    assert tree.levels == levels
    assert len(tree.roots) == levels[-1]
    nodes = [node for _, node in tree.walk()]
    assert sorted(node.number for node in nodes if node.level is None) == list(range(n_topics))
    for node in nodes:
        assert len(node.children) != 1
        inside = sorted(topic for child in node.children for topic in child.topics)
        assert not node.children or inside == sorted(node.topics)
    fine = None
    for level in levels:
        cut = tree.cut(level)
        assert len(cut.members) == level == len(set(cut.groups.tolist()))
        assert len(set(tree.labels(level))) == level or n_topics > level
        for number, topics in enumerate(cut.members):
            assert set(topics) == set(np.flatnonzero(cut.groups == number).tolist())
        if fine is not None:
            assert all(any(set(part) <= set(g) for g in cut.members) for part in fine)
        fine = cut.members


def test_codes_of_groups_are_sums_of_codes(fitted):
    model, corpus = fitted
    codes = model.transform(corpus)
    cut = laconic.topic_tree(model, corpus=corpus).cut(4)
    summed = cut.codes(codes)
    assert sp.issparse(summed)
    assert summed.shape == (150, 4)
    for number, topics in enumerate(cut.members):
        np.testing.assert_allclose(
            summed[:, number].toarray(), codes[:, topics].sum(axis=1), rtol=1e-6
        )


def test_groups_have_the_words_of_the_merged_topic_and_unique_labels(fitted):
    model, corpus = fitted
    tree = laconic.topic_tree(model, [5, 2], corpus=corpus, n_words=4)
    estimator = model[-1]
    for level in (5, 2):
        assert len(set(tree.labels(level))) == level
    group = next(node for _, node in tree.walk() if node.level == 2)
    shares = np.asarray(estimator.topic_shares_)
    mixture = shares[group.topics] @ np.asarray(estimator.components_)[group.topics]
    top = set(corpus.vocabulary[np.argsort(-mixture)[:20]])
    assert len(group.words) == 4
    assert set(group.words) <= top
    assert group.share == pytest.approx(shares[group.topics].sum())


def test_the_tree_prints_as_a_nested_list_and_is_json(fitted):
    model, corpus = fitted
    tree = laconic.topic_tree(model, [5, 2], corpus=corpus)
    lines = str(tree).split("\n")
    assert sum(line.startswith("- ") for line in lines) == 2
    assert sum("topic " in line for line in lines) == 12
    facts = json.loads(json.dumps(tree.to_dict()))
    assert facts["levels"] == [5, 2]
    assert len(facts["groups"]) == 2
    assert len(facts["merges"]) == 11
    assert repr(tree) == "TopicTree of 12 topics with levels [5, 2]"


def test_saved_documents_give_the_same_tree_as_the_corpus(fitted, tmp_path):
    model, corpus = fitted
    laconic.save(model, tmp_path / "m", corpus=corpus)
    loaded = laconic.topic_tree(laconic.load(tmp_path / "m"), [5, 2])
    assert loaded.to_dict() == laconic.topic_tree(model, [5, 2], corpus=corpus).to_dict()


def test_one_topic_has_a_tree_of_one_group():
    tree = laconic.topic_tree(SparseLSA(1).fit(np.eye(3)))
    assert tree.levels == [1]
    assert len(tree.roots) == 1
    assert not tree.roots[0].children


@pytest.mark.parametrize("n_topics", [1, 2, 3, 7, 20, 50, 1000])
def test_default_levels_are_possible(n_topics):
    levels = default_levels(n_topics)
    assert all(1 <= level <= n_topics for level in levels)
    assert levels == sorted(set(levels), reverse=True)


@pytest.mark.parametrize(
    ("levels", "parts"),
    [
        ([13], ["12 topics", "13 groups"]),
        ([0], ["0 groups"]),
        ([2, 5], ["fine to coarse", "[2, 5]"]),
        ([5, 5], ["fine to coarse"]),
        ([], ["empty"]),
        (["five"], ["integers", "five"]),
        ([True], ["integers", "True"]),
    ],
)
def test_impossible_levels_are_refused(fitted, levels, parts):
    with refused(*parts):
        laconic.topic_tree(fitted[0], levels)


def test_impossible_cuts_are_refused(fitted):
    tree = laconic.topic_tree(fitted[0], [3])
    with refused("12 topics", "13 groups"):
        tree.cut(13)
    with refused("integer", "2.5"):
        tree.cut(2.5)
    with refused("no level of 4", "[3]"):
        tree.labels(4)
    with refused("5 columns", "12 topics"):
        tree.cut(3).codes(np.ones((2, 5)))
    with pytest.raises(NotFittedError):
        laconic.topic_tree(PLSA(3))
