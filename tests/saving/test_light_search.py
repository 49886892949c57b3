"""Tests of models that are loaded to be searched: stand-ins code texts like the estimators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import laconic
from laconic.corpus.corpus import Corpus
from laconic.errors import ModelFileError
from laconic.fitted.pipeline_steps import last_step, steps_of
from laconic.models import CLASSES
from laconic.models.coding import HOMES
from laconic.saving.models import load, load_to_search, save
from laconic.saving.stand_ins import CODING_PARAMETERS, StandIn
from laconic.weighting.weights import SCHEMES, Z_SCORES
from tests.saving.examples import fitted
from tests.saving.test_stand_ins import edited

LIGHT = [name for name, cls in CLASSES.items() if cls in HOMES]


def answers(model: Any, texts: list[str]) -> list[Any]:
    """Return everything that a search of a loaded model says about some queries."""
    index = laconic.search(model)
    hits = [index.query(text[:60], k=5) for text in texts[:6]]
    told = [
        (*(getattr(hit, name) for name in ("id", "score", "lexical", "background", "keywords")),
         str(hit.snippet), hit.snippet.words, hit.snippet.related)
        for found in [*hits, index.like(3), index.like([texts[7]])]
        for hit in found
    ]  # fmt: skip
    codes = [index._coder.code(text).tolist() for text in texts[:20]]
    return [told, codes, index.unknown("nonsense words")]


def is_light(model: Any) -> bool:
    return all(isinstance(step, StandIn) for step in steps_of(model))


@pytest.mark.parametrize("name", CLASSES)
def test_every_pipeline_answers_the_same(
    name: str, planted: Corpus, texts: list[str], tmp_path: Path
) -> None:
    corpus = laconic.read(texts, stop_words=None)
    model = fitted(name, True, corpus, planted.labels)
    path = save(model, tmp_path / "a.model", index=laconic.search(model, corpus))
    light = load_to_search(path)
    assert is_light(light) == (name in LIGHT)
    assert answers(light, texts) == answers(load(path), texts)


def test_known_families_are_light() -> None:
    assert LIGHT == ["sc", "slsa", "plsa"]
    assert set(CODING_PARAMETERS) == {*LIGHT, "vectorizer", "weighting"}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("sc", {"codes": "lasso"}),
        ("sc", {"codes": "projection"}),
        ("sc", {"positive": False}),
        ("sc", {"words_per_topic": None}),
        ("slsa", {"codes": "projection"}),
        ("slsa", {"codes": "auto", "topics_per_document": 2.0}),
        ("slsa", {"positive": False}),
        ("plsa", {"doc_smoothing": -0.01, "topics_per_document": None}),
        ("plsa", {"ngram_range": (1, 2)}),
        ("plsa", {"lemmatizer": "english"}),
        ("plsa", {"phrases": True}),
        *(("slsa", {"weighting": scheme}) for scheme in SCHEMES if scheme not in Z_SCORES),
    ],
)
def test_options_of_coding(
    name: str, options: dict[str, Any], texts: list[str], tmp_path: Path
) -> None:
    corpus = laconic.read(texts, stop_words=None)
    model = laconic.pipeline(name, n_components=4, max_iter=5, tol=10.0, **options).fit(texts)
    path = save(model, tmp_path / "a.model", index=laconic.search(model, corpus))
    light = load_to_search(path)
    assert is_light(light)
    assert answers(light, texts) == answers(load(path), texts)


def test_codes_are_those_of_transform(texts: list[str], tmp_path: Path) -> None:
    """A query is weighted by idf in addition, so the index without idf is compared."""
    for name in LIGHT:
        model = laconic.pipeline(name, n_components=4, random_state=0).fit(texts)
        index = laconic.search(model, laconic.read(texts, stop_words=None))
        index._coder.idf = None
        for text in texts[:20]:
            expected = model.transform([text]).toarray().ravel()
            np.testing.assert_array_equal(index._coder.code(text), expected)


@pytest.mark.parametrize(
    ("part", "values"),
    [("params", {"codes": 7}), ("params", {"positive": "yes"}), ("params", {"codes": "many"})],
)
def test_invalid_parameters_are_refused_by_the_estimator(
    part: str, values: dict[str, Any], planted: Corpus, tmp_path: Path
) -> None:
    path = edited(fitted("slsa", True, planted, None), tmp_path, part, **values)
    with pytest.raises(ModelFileError, match=next(iter(values))):
        load_to_search(path)


def test_z_scores_need_the_estimators(planted: Corpus, tmp_path: Path) -> None:
    model = laconic.pipeline(
        "slsa", n_components=3, weighting="z-scores", positive=False, tol=10.0
    ).fit(planted)
    light = load_to_search(save(model, tmp_path / "a.model"))
    assert not is_light(light)
    assert last_step(light).components_.shape[0] == 3
