"""Tests of `laconic.evaluate` on many documents: sums of parts, and samples with their errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

import laconic
from laconic.evaluation.evaluate import Evaluation, subject_of
from laconic.metrics import evaluation_data
from laconic.metrics.estimates import Estimate
from laconic.metrics.likelihood import completion_likelihood
from tests.messages import refused

SAMPLED = ["perplexity", "accuracy", "neighbours"]
SUMS = ["npmi", "c_v", "support", "weak_topics", "document_zeros", "topics_per_document"]


@pytest.fixture(scope="module")
def many():
    """Return 500 documents with texts and labels, and a model of them."""
    planted, _ = laconic.datasets.make_topics(500, 120, 5, document_length=30, random_state=2)
    texts = [" ".join(np.repeat(planted.vocabulary, row.toarray()[0])) for row in planted.counts]
    counted = laconic.read(texts)
    corpus = counted.replace(texts=texts, labels=planted.labels)
    return corpus, laconic.pipeline("plsa", n_components=5, random_state=0).fit(corpus)


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(evaluation_data, "PART_ROWS", 64)


def test_sums_of_parts_are_sums_of_all_documents(many, small_parts, monkeypatch):
    corpus, model = many
    names = [*SUMS, "reconstruction", "lone_topics", "npmi_sources"]
    source = np.arange(len(corpus)) // 3
    in_parts = laconic.evaluate(model, corpus, names, source=source)
    monkeypatch.setattr(evaluation_data, "PART_ROWS", len(corpus))
    at_once = laconic.evaluate(model, corpus, names, source=source)
    assert dict(in_parts) == pytest.approx(dict(at_once), rel=1e-9)
    assert not in_parts.errors


def test_sums_of_word_codes(small_parts, monkeypatch):
    corpus, _ = laconic.datasets.make_topics(150, 80, 3)
    model = laconic.pipeline("stc", n_components=3, random_state=0).fit(corpus)
    in_parts = laconic.evaluate(model, corpus, "word_zeros")
    monkeypatch.setattr(evaluation_data, "PART_ROWS", len(corpus))
    assert dict(in_parts) == dict(laconic.evaluate(model, corpus, "word_zeros"))


def test_few_documents_are_encoded_at_once(many, small_parts):
    corpus, model = many
    subject = subject_of(model, corpus, max_documents=100)
    sizes = []

    def encode(documents):
        sizes.append((len(documents), documents.has("texts"), documents.path))
        return model.transform(documents)

    subject.encode = encode
    assert subject.products.unexplained < 1
    assert subject.sums.n_documents == len(corpus)  # the same pass has computed both
    assert sizes == [(64, False, None)] * 7 + [(52, False, None)]
    codes, classes = subject.labelled
    assert codes.shape[0] == len(classes) == sizes[-1][0] == 100


def test_samples_do_not_depend_on_where_the_documents_are(many, small_parts, tmp_path):
    corpus, model = many
    corpus.save(tmp_path / "store")
    stored = laconic.read(tmp_path / "store")
    names = [*SUMS, "reconstruction", *SAMPLED]
    found = laconic.evaluate(model, corpus, names, max_documents=200)
    on_disk = laconic.evaluate(model, stored, names, max_documents=200)
    assert dict(on_disk) == pytest.approx(dict(found), rel=1e-9)
    assert on_disk.errors == pytest.approx(found.errors, rel=1e-6)
    model[-1].set_params(engine="serial")
    serial = laconic.evaluate(model, corpus, names, max_documents=200)
    model[-1].set_params(engine="threads")
    assert dict(serial) == pytest.approx(dict(found), rel=1e-9)
    other = laconic.evaluate(model, corpus, SAMPLED, max_documents=200, random_state=1)
    assert other["accuracy"] != found["accuracy"]


def test_samples_have_errors_and_everything_has_none(many):
    corpus, model = many
    everything = laconic.evaluate(model, corpus, SAMPLED)
    assert everything.errors == everything.sampled == {}
    assert "±" not in str(everything)
    assert dict(laconic.evaluate(model, corpus, SAMPLED, max_documents=None)) == dict(everything)
    found = laconic.evaluate(model, corpus, ["diversity", *SAMPLED], max_documents=200)
    assert found.sampled == dict.fromkeys(SAMPLED, 200)
    for name, error in found.errors.items():
        assert 0 < error < 0.2 * everything[name]
        # for accuracy, the classifier also learns from fewer documents
        assert abs(found[name] - everything[name]) < 5 * error
    share = found["accuracy"]
    assert found.errors["accuracy"] == pytest.approx(
        math.sqrt(share * (1 - share) / 200 * (1 - 200 / 500))
    )
    assert type(found["accuracy"]) is float
    lines = str(found).splitlines()
    assert [" ± " in line for line in lines[:4]] == [False, True, True, True]
    abouts = [about for *_, about in found.table()]
    assert len({line.index(about) for line, about in zip(lines, abouts, strict=False)}) == 1
    assert lines[-1] == (
        "Perplexity, accuracy and neighbours (±) are estimated from 200 documents drawn at random."
    )


def test_only_labelled_documents_are_drawn(many):
    corpus, model = many
    labels = corpus.labels.astype(object)
    labels[::2] = None
    some = corpus.replace(labels=labels)
    found = laconic.evaluate(model, some, ["accuracy"], max_documents=200)
    assert found.sampled == {"accuracy": 200}
    assert "leaves out 250 of 500 documents" in str(found)
    # all 250 labelled documents are used, although there are more documents than that
    found = laconic.evaluate(model, some, ["accuracy"], max_documents=300)
    assert found.sampled == {}
    assert found["accuracy"] == laconic.evaluate(model, some, ["accuracy"])["accuracy"]


def test_bootstrap_samples_are_limited(many, monkeypatch):
    corpus, model = many
    seen = []
    fit = type(model).fit
    monkeypatch.setattr(
        type(model), "fit", lambda self, X, y=None: seen.append(len(X)) or fit(self, X)
    )
    found = laconic.evaluate(model, corpus, ["stability", "bootstrap"], max_documents=100)
    assert seen == [500] * 4 + [100] * 4
    assert 0 < found.errors["bootstrap"] < 0.5
    assert "stability" not in found.errors


def test_the_error_of_the_perplexity_is_the_spread_of_samples(many):
    corpus, model = many
    subject = subject_of(model, corpus)
    mixtures, held = subject.completion
    random = np.random.default_rng(0)
    samples = []
    for _ in range(200):
        rows = random.integers(len(corpus), size=100)
        samples.append(completion_likelihood(subject.probabilities, mixtures[rows], held[rows]))
    spread = np.std([sample.perplexity for sample in samples])
    assert np.mean([sample.error for sample in samples]) == pytest.approx(spread, rel=0.15)


def test_estimates_are_numbers():
    found = Evaluation({"npmi": 0.5, "accuracy": Estimate(0.25, 0.0125, 300)}, {})
    assert found.errors == {"accuracy": 0.0125}
    assert found.sampled == {"accuracy": 300}
    assert str(found).splitlines()[1].split()[:4] == ["accuracy", "0.250", "±", "0.013"]


def test_mistakes_get_a_sentence(many):
    corpus, model = many
    with refused("max_documents", "at least 1", "got 0"):
        laconic.evaluate(model, corpus, max_documents=0)
