"""Tests that edits change what they should and not a bit more, for every model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import laconic
from laconic.corpus.matrices import dense
from laconic.fitted.documents import kept_documents
from laconic.fitted.notes import TopicNote, keep_notes, notes_of
from laconic.fitted.pipeline_steps import last_step
from laconic.models.edits.assembly import taken
from laconic.models.edits.attributes import FIELDS, fields_of
from tests.editing.conftest import MODELS, ONLINE, make_corpus, same


def values_of(model: Any, topics: list[int]) -> dict[str, Any]:
    """Return the values of some topics in all attributes with an axis of topics."""
    found = {}
    for name, field, value in fields_of(last_step(model)):
        numbers = np.array(topics)
        part = taken(value, numbers, columns=field.columns)
        found[name] = part[..., numbers] if field.kind == "pairs" else part
    return found


def assert_same_state(left: Any, right: Any) -> None:
    """Check that all fitted attributes and parameters of two models have the same bits."""
    left, right = last_step(left), last_step(right)
    attributes = [name for name in vars(left) if name.endswith("_")]
    assert sorted(attributes) == sorted(name for name in vars(right) if name.endswith("_"))
    for name in attributes:
        assert same(vars(left)[name], vars(right)[name]) or name == "settings_", name
    assert left.n_components == right.n_components


@pytest.mark.parametrize("name", MODELS)
@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_random_edits_leave_other_topics_alone_and_can_be_undone(
    name: str, data: st.DataObject, fitted: dict[str, Any], corpus: laconic.Corpus
):
    model = fitted[name]
    stages = [model]
    for _ in range(data.draw(st.integers(1, 3))):
        n_topics = last_step(stages[-1]).components_.shape[0]
        if n_topics < 3:
            break
        chosen = data.draw(
            st.lists(st.integers(0, n_topics - 1), min_size=2, max_size=n_topics - 1, unique=True)
        )
        operation = data.draw(st.sampled_from(["merge", "drop", "keep", "drop_words"]))
        if operation == "drop_words":
            topic = laconic.topics(stages[-1])[chosen[0]]
            if topic.n_words < 2:
                continue
            edited = laconic.drop_words(stages[-1], chosen[0], topic.words[0].removeprefix("-"))
        else:
            edited = getattr(laconic, operation)(stages[-1], chosen)
        edit = laconic.edits(edited)[-1]
        before, after = list(edit.numbers), list(edit.numbers.values())
        if before:
            old, new = values_of(stages[-1], before), values_of(edited, after)
            assert old.keys() == new.keys()
            for attribute in old:
                assert same(old[attribute], new[attribute]), attribute
            codes, codes_after = stages[-1].transform(corpus), edited.transform(corpus)
            assert same(dense(codes)[:, before], dense(codes_after)[:, after])
            assert {k: v for k, v in notes_of(stages[-1]).items() if k in before} == {
                k: notes_of(edited)[v] for k, v in edit.numbers.items() if v in notes_of(edited)
            }
        stages.append(edited)
    model = stages[-1]
    for stage in reversed(stages[:-1]):
        model = laconic.undo(model)
        assert_same_state(model, stage) if not laconic.edits(stage) else None
        assert same(dense(model.transform(corpus)), dense(stage.transform(corpus)))


def test_codes_of_merged_topics_are_sums(model: Any, corpus: laconic.Corpus):
    before = dense(model.transform(corpus))
    after = dense(laconic.merge(model, [3, 1]).transform(corpus))
    assert same(after[:, 2], before[:, 1] + before[:, 3])
    assert same(after[:, [0, 1, 3]], before[:, [0, 2, 4]])


def test_saved_documents_and_undo_are_exact_after_save_and_load(
    saved: Any, corpus: laconic.Corpus, tmp_path: Any
):
    original = kept_documents(saved)
    merged = laconic.merge(saved, [1, 3])
    loaded = laconic.load(laconic.save(merged, tmp_path / "merged.model"), verify=True)
    before, after = original.codes.toarray(), kept_documents(loaded).codes.toarray()
    assert same(after[:, 1], before[:, 1] + before[:, 3])
    assert same(after[:, [0, 2, 3]], before[:, [0, 2, 4]])
    assert same(dense(loaded.transform(corpus)), dense(merged.transform(corpus)))
    restored = laconic.undo(loaded)
    assert_same_state(restored, saved)
    assert same(kept_documents(restored).codes, original.codes)
    assert notes_of(restored) == notes_of(saved)


def test_split_divides_the_codes_of_the_topic(model: Any, corpus: laconic.Corpus):
    estimator = last_step(model)
    if not getattr(estimator, "positive", True):
        with pytest.raises(laconic.LaconicError, match="negative weights"):
            laconic.split(model, 1, corpus)
        return
    before, split = dense(model.transform(corpus)), laconic.split(model, 1, corpus, into=3)
    after = dense(split.transform(corpus))
    assert same(after[:, [0, 2, 3, 4]], before[:, [0, 2, 3, 4]])
    np.testing.assert_allclose(after[:, [1, 5, 6]].sum(axis=1), before[:, 1], rtol=1e-5, atol=1e-6)
    assert np.all(after >= 0)
    assert_same_state(laconic.undo(split), model)


@pytest.mark.parametrize("name", ONLINE)
def test_partial_fit_continues_an_edited_model(name: str, fitted: dict[str, Any]):
    more = make_corpus(40, seed=1)
    model = fitted[name]
    edited = laconic.drop_words(laconic.merge(model, [0, 2]), 1, laconic.topics(model)[1].words[0])
    word = laconic.topics(model)[1].words[0]
    column = int(word.removeprefix("word"))

    def fit_more(model: Any) -> Any:
        import copy

        estimator = copy.deepcopy(last_step(model))
        X = model[:-1].transform(more)
        return estimator.partial_fit(X), X

    plain, X = fit_more(model)
    continued, _ = fit_more(edited)
    assert same(dense(continued.components_)[1:][1:], dense(plain.components_)[[3, 4]])
    assert dense(continued.components_)[1, column] == 0
    codes = dense(plain.transform(X))
    assert same(dense(continued.transform(X))[:, 0], codes[:, 0] + codes[:, 2])
    assert_same_state(laconic.undo(laconic.undo(continued)), plain)


def test_medstc_is_trained_on_summed_codes(fitted: dict[str, Any], corpus: laconic.Corpus):
    from laconic.models.stc.margin import train

    model = fitted["medstc"]
    merged = laconic.merge(model, [0, 1], corpus)
    codes = dense(last_step(model).all_codes(model[:-1].transform(corpus)))
    summed = np.column_stack([codes[:, 0] + codes[:, 1], codes[:, 2:]])
    labels = (corpus.labels == "dog").astype(int)
    expected = train(summed, labels, last_step(model).C)
    np.testing.assert_allclose(last_step(merged).coef_, last_step(model).margin * expected.coef)
    predicted = expected.values(summed).ravel() > 0
    assert np.array_equal(merged.predict(corpus) == "dog", predicted)
    assert_same_state(laconic.undo(merged), model)


def test_the_model_is_not_changed(model: Any, corpus: laconic.Corpus):
    import copy

    before = copy.deepcopy(last_step(model))
    for edited in (laconic.merge(model, [0, 1]), laconic.drop(model, 2), laconic.keep(model, 0)):
        assert type(edited) is type(model)
        edited.transform(corpus)
    assert_same_state(model, before)


def test_names_and_notes_follow_their_topics(fitted: dict[str, Any]):
    model = fitted["plsa"]
    merged = laconic.merge(model, ["last", "first"])
    assert notes_of(merged) == {3: TopicNote("last", note="seen")}
    keep_notes(merged, {**notes_of(merged), 0: TopicNote("new")})
    restored = laconic.undo(merged)
    assert notes_of(restored) == {**notes_of(model), 0: TopicNote("new")}
    assert notes_of(laconic.drop(model, "first")) == {3: TopicNote("last", note="seen")}


def test_search_and_similar_use_the_edited_codes(corpus: laconic.Corpus, tmp_path: Any):
    texts = [
        " ".join(w for w, n in zip(corpus.vocabulary, row, strict=True) for _ in range(int(n)))
        for row in corpus.counts.toarray()
    ]
    corpus = laconic.read(texts)
    model = laconic.pipeline("sc", n_components=4).fit(corpus)
    path = laconic.save(model, tmp_path / "a.model", index=laconic.search(model, corpus))
    merged = laconic.merge(laconic.load(path), [0, 3])
    path = laconic.save(merged, tmp_path / "b.model")
    loaded = laconic.load(path)
    index, fresh = laconic.search(loaded), laconic.search(loaded, corpus)
    assert len(index.query("word3 word5")) == 10
    for rows, again in (
        (index.documents.rows, fresh.documents.rows),
        (index.parts.codes.rows, fresh.parts.codes.rows),
    ):
        codes = rows.block(0, len(index)).toarray()
        np.testing.assert_allclose(codes, again.block(0, len(index)).toarray(), rtol=1e-5)
    assert len(laconic.similar(loaded, 0)) == 10
    split = laconic.split(loaded, 0)
    assert kept_documents(split).codes.shape[1] == 4
    restored = laconic.undo(laconic.undo(split))
    before = kept_documents(laconic.load(tmp_path / "a.model"))
    after = kept_documents(restored)
    assert same(after.codes, before.codes)
    rows, old = after.index.codes.rows, before.index.codes.rows
    assert same(rows.block(0, len(after)), old.block(0, len(before)))


def test_every_attribute_of_topics_is_edited():
    """An attribute with an axis of topics in the rules of saved models must be in `FIELDS`."""
    from laconic.saving.rules import RULES, Array

    models = {k: v for k, v in RULES.items() if k in laconic.models.MODELS and k != "pcp"}
    found = {
        name
        for rules in models.values()
        for name, rule in rules.items()
        if isinstance(rule, Array) and "topics" in rule.axes
    }
    assert found <= set(FIELDS)


def test_a_refit_forgets_the_edits(corpus: laconic.Corpus):
    model = laconic.drop(laconic.PLSA(3).fit(corpus), 0)
    assert laconic.edits(model)
    assert laconic.edits(model.fit(corpus)) == []
    assert model.components_.shape[0] == 2


def test_groups_of_topics_are_merged(model: Any, corpus: laconic.Corpus):
    cut = laconic.topic_tree(model, corpus=corpus).cut(2)
    merged = laconic.merge(model, cut.members)
    codes = merged.transform(corpus).toarray()
    expected = cut.codes(model.transform(corpus)).toarray()
    order = np.argsort([min(group) for group in cut.members])
    firsts = [cut.members[i][0] for i in order]
    order = order[np.argsort(firsts)]
    np.testing.assert_allclose(codes, expected[:, order], rtol=1e-4, atol=1e-6)
