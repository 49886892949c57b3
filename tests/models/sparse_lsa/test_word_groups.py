"""Tests of the parameters `groups`, `group_weights` and `overlap`, and of models with groups."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import laconic
from laconic import Corpus, SparseLSA
from laconic.models.penalties import OverlappingGroup
from laconic.models.sparse_lsa.word_groups import word_groups
from tests.messages import refused
from tests.models.sparse_lsa import reference

WORDS = np.array(["cat", "dog", "emu", "fox"], dtype=object)
SETS = {
    "pets": ["cat", "dog", "goldfish"],
    "canines": ["dog", "fox"],
    "animals": ["cat", "dog", "emu", "fox", "gnu", "yak"],
}


def write_gmt(path, sets):
    path.write_text("".join("\t".join([name, "na", *words]) + "\n" for name, words in sets.items()))
    return path


def words_of(groups):
    return {
        name: WORDS[groups.members[row].indices].tolist()
        for row, name in enumerate(groups.names.tolist())
    }


def test_words_of_a_mapping_share_a_group_and_others_stand_alone():
    groups = word_groups({"cat": "pet", "dog": "pet"}, None, WORDS, 4)
    assert words_of(groups) == {"pet": ["cat", "dog"], "emu": ["emu"], "fox": ["fox"]}
    assert groups.weights.tolist() == [np.sqrt(2), 1, 1]
    assert groups.sizes.tolist() == [2, 0, 0]


def test_weights_go_by_the_name_of_the_group():
    mapping = {"cat": "pet", "dog": "pet", "fox": "wild", "emu": "wild"}
    groups = word_groups(mapping, {"pet": 3.0, "wild": 5.0}, WORDS, 4)
    assert dict(zip(groups.names, groups.weights, strict=True)) == {"pet": 3, "wild": 5}


def test_a_word_and_a_group_of_the_same_name_are_two_groups():
    groups = word_groups({"cat": "emu", "dog": "emu"}, None, WORDS, 4)
    assert groups.names.tolist() == ["emu", "emu", "fox"]
    assert groups.numbers().tolist() == [0, 0, 1, 2]


def test_sets_may_overlap():
    groups = word_groups({**SETS, "none": ["yak"]}, None, WORDS, 4)
    assert groups.overlap
    assert words_of(groups) == {
        "pets": ["cat", "dog"],
        "canines": ["dog", "fox"],
        "animals": ["cat", "dog", "emu", "fox"],
    }
    assert groups.found.tolist() == [2, 2, 4]
    assert groups.sizes.tolist() == [3, 2, 6]
    np.testing.assert_allclose(groups.weights, np.sqrt([2, 2, 4]))


def test_the_smallest_set_of_each_word():
    groups = word_groups(SETS, None, WORDS, 4, overlap="smallest")
    assert not groups.overlap
    assert words_of(groups) == {"pets": ["cat"], "canines": ["dog", "fox"], "animals": ["emu"]}
    assert groups.found.tolist() == [2, 2, 4]
    assert groups.sizes.tolist() == [3, 2, 6]


def test_of_two_sets_with_the_same_words_the_smaller_one_is_kept():
    sets = {"large": ["cat", "dog", "gnu", "yak"], "small": ["dog", "cat", "gnu"], "emu": ["fox"]}
    groups = word_groups(sets, None, WORDS, 4)
    assert words_of(groups) == {
        "small": ["cat", "dog"], "emu": ["fox"], "emu (alone)": ["emu"]
    }  # fmt: skip


def test_a_file_of_sets(tmp_path):
    file = tmp_path / "sets.gmt"
    file.write_text(
        "".join(f"{name}\tna\t" + "\t".join(words) + "\n" for name, words in SETS.items())
    )
    for path in (file, str(file)):
        assert words_of(word_groups(path, None, WORDS, 4)) == words_of(
            word_groups(SETS, None, WORDS, 4)
        )


@pytest.mark.parametrize(
    ("groups", "weights", "words", "parts"),
    [
        ({"yak": "pet"}, None, WORDS, ["'groups'", "no word of the vocabulary"]),
        ({"cat": "pet"}, None, None, ["'groups'", "mapping", "Corpus"]),
        ([0, 1], None, None, ["'groups'", "2 entries", "4 words"]),
        ([0, 0, 1, 1], {0: 1.0}, None, ["'group_weights'", "group 1"]),
        ({"pets": ["CAT"]}, None, WORDS, ["'groups'", "'cat' and 'CAT'"]),
        ({"pets": ["gnu"]}, None, WORDS, ["'groups'", "same names"]),
        (SETS, [1.0, 2.0, 3.0], WORDS, ["'group_weights'", "mapping of set name"]),
        (SETS, {"pets": 1.0}, WORDS, ["'group_weights'", "'canines'"]),
    ],
)
def test_mistakes_get_a_sentence(groups, weights, words, parts):
    with refused("SparseLSA", *parts):
        word_groups(groups, weights, words, 4)


def test_a_missing_file(tmp_path):
    model = SparseLSA(1, groups=tmp_path / "sets.gmt")
    with refused("sets.gmt: ", "no such file", kind=laconic.ReadError):
        model.fit(Corpus(np.eye(2), ["cat", "dog"]))


# ---- models ----


def expression(seed=0, n_samples=30):
    """Draw samples x 40 genes, and sets of 12 genes of which neighbours share 4; two sets vary."""
    random = np.random.default_rng(seed)
    genes = [f"G{number}" for number in range(40)]
    sets = {f"set{p}": [*genes[8 * p : 8 * p + 12], "unmeasured"] for p in range(4)}
    X = random.normal(0, 0.3, (n_samples, 40))
    X[:, 0:12] += random.normal(0, 1.5, (n_samples, 1))
    X[:, 24:36] += random.normal(0, 1.5, (n_samples, 1))
    return pd.DataFrame(X, columns=genes), sets


def fit(X, sets, **params):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*topics have no words")
        return SparseLSA(2, groups=sets, engine="serial", **params).fit(X)


@pytest.mark.parametrize("positive", [False, True])
def test_same_passes_as_the_reference(positive):
    X, sets = expression()
    groups = word_groups(sets, None, np.array(X.columns), 40)
    alpha = 0.3 if positive else 0.8
    latent = OverlappingGroup(np.full(2, alpha), groups.members, groups.weights, positive)

    def value(A):
        members = latent.members
        rows = np.repeat(np.arange(members.shape[0]), np.diff(members.indptr))
        copies = latent.copies.toarray()  # of the last prox, which returned A
        norms = [np.sqrt(np.bincount(rows, row**2)) for row in copies]
        return alpha * sum(norm @ groups.weights for norm in norms)

    penalty = reference.Penalty(value, latent.prox)
    model = fit(X, sets, alpha=alpha, positive=positive, init="identity", max_iter=300, tol=1e-14)
    A, values = reference.alternate(
        X.to_numpy(), np.eye(30)[:, :2], penalty, passes=model.n_iter_, momentum=0.9
    )
    assert model.objective_[-1] == pytest.approx(values[-1], rel=1e-6)
    assert (np.diff(model.objective_) <= 0).all()
    np.testing.assert_allclose(
        reference.matched(A, model.components_.toarray()), A, rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize("codes", ["projection", "sparse"])
def test_planted_sets_are_selected_whole(codes):
    X, sets = expression()
    model = fit(X, sets, alpha=1.2, codes=codes)
    genes = np.array(X.columns)
    selected = {frozenset(genes[row != 0]) for row in model.components_.toarray()}
    assert selected == {frozenset(sets["set0"][:12]), frozenset(sets["set3"][:12])}
    assert model.transform(X).shape == (30, 2)
    assert model.group_sizes_[:4].tolist() == [13] * 4
    assert model.group_found_[:4].tolist() == [12] * 4


@pytest.mark.parametrize("codes", ["projection", "sparse"])
def test_copies_add_up_to_topics(codes):
    X, sets = expression(3)
    model = fit(X, sets, alpha=0.3, codes=codes)
    sums = np.zeros(model.components_.shape)
    np.add.at(sums, (slice(None), model.group_members_.indices), model.group_components_.toarray())
    np.testing.assert_allclose(sums, model.components_.toarray(), atol=1e-12)
    assert (np.count_nonzero(sums, axis=1) > 12).all()  # some sets with common genes are selected


def test_sets_without_overlap_give_the_model_of_an_array():
    X, _ = expression()
    sets = {f"set{p}": list(X.columns[10 * p : 10 * p + 10]) for p in range(4)}
    named, numbered = (fit(X, groups, alpha=0.8) for groups in (sets, np.arange(40) // 10))
    assert (named.components_ != numbered.components_).nnz == 0
    assert not hasattr(named, "group_components_")


def test_screening_changes_nothing(monkeypatch):
    X, sets = expression()
    X.iloc[:, 12:20] *= 0.01  # most genes of set1
    first = fit(X, sets, alpha=0.8)
    monkeypatch.setattr(
        "laconic.models.sparse_lsa.estimator.screen", lambda squares, *_: np.arange(len(squares))
    )
    second = fit(X, sets, alpha=0.8)
    for name in ("components_", "group_components_"):
        np.testing.assert_allclose(
            getattr(first, name).toarray(), getattr(second, name).toarray(), atol=1e-8
        )


def test_save_and_load(tmp_path):
    X, sets = expression()
    model = fit(X, sets, alpha=0.5)
    loaded = laconic.load(laconic.save(model, tmp_path / "genes.model"))
    assert (loaded.group_components_ != model.group_components_).nnz == 0
    assert loaded.group_names_.tolist() == model.group_names_.tolist()
    assert (loaded.transform(X) != model.transform(X)).nnz == 0
    again = clone(loaded).fit(X)
    assert (again.components_ != model.components_).nnz == 0


def test_a_path_is_not_saved_but_the_groups_are(tmp_path):
    X, sets = expression()
    file = tmp_path / "sets.gmt"
    file.write_text(
        "".join(f"{name}\tna\t" + "\t".join(genes) + "\n" for name, genes in sets.items())
    )
    model = fit(X, file, alpha=0.5)
    loaded = laconic.load(laconic.save(model, tmp_path / "genes.model"))
    assert loaded.groups is None
    assert loaded.group_names_.tolist() == model.group_names_.tolist()


def test_a_second_fit_forgets_the_groups():
    X, sets = expression()
    model = fit(X, sets, alpha=0.5)
    model.set_params(groups=None).fit(X)
    assert not any(name.startswith("group_") and name.endswith("_") for name in vars(model))


def test_assigned_topics_have_no_copies():
    X, sets = expression()
    model = fit(X, sets, alpha=0.5)
    model.components_ = model.components_[::-1]
    assert not hasattr(model, "group_components_")


def test_partial_fit_of_sets_that_overlap():
    X, sets = expression(n_samples=200)
    model = SparseLSA(2, groups=sets, alpha=1.0, engine="serial")
    for start in range(0, 200, 50):
        model.partial_fit(X[start : start + 50])
    genes = np.array(X.columns)
    chosen = {frozenset(genes[row != 0]) for row in model.components_.toarray()}
    assert chosen == {frozenset(sets["set0"][:12]), frozenset(sets["set3"][:12])}


def test_a_pipeline_fitted_to_a_corpus_matches_sets_by_word():
    random = np.random.default_rng(0)
    counts = random.poisson(1.0, (40, 4))
    counts[:, :2] += random.poisson(4.0, (40, 1))
    corpus = Corpus(counts, WORDS.tolist())
    model = laconic.pipeline("slsa", n_components=1, groups=SETS, alpha=0.5).fit(corpus)
    assert model[-1].group_names_.tolist() == list(SETS)
