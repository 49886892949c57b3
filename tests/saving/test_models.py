"""Tests that saved models are restored exactly, and that files never set the engine."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

import laconic
from laconic.corpus.corpus import Corpus
from laconic.models import MODELS
from laconic.saving.describe import describe
from laconic.saving.models import load, save
from tests.messages import check, refused
from tests.saving.examples import Keeper, assert_same, contents, fitted, without_manifest


@pytest.fixture(params=["bare on CSR", "bare on a corpus", "pipeline on a corpus", "on raw texts"])
def form(request: pytest.FixtureRequest, planted: Corpus, texts: list[str]) -> tuple[bool, Any]:
    """Return whether the model is in a pipeline, and the data that it is fitted on."""
    return {
        "bare on CSR": (False, planted.counts),
        "bare on a corpus": (False, planted),
        "pipeline on a corpus": (True, planted),
        "on raw texts": (True, texts),
    }[request.param]


@pytest.mark.parametrize("name", MODELS)
def test_transforms_are_bit_equal_after_a_round_trip(
    name: str, form: tuple[bool, Any], planted: Corpus, tmp_path: Path
) -> None:
    in_pipeline, data = form
    model = fitted(name, in_pipeline, data, planted.labels)
    save(model, tmp_path / "a.model")
    loaded = load(tmp_path / "a.model")
    assert type(loaded) is type(model)
    assert str(loaded) == str(model)
    assert_same(model.transform(data), loaded.transform(data))
    if not isinstance(data, list):
        assert_same(model.transform(data[:7]), loaded.transform(data[:7]))


@pytest.mark.parametrize("name", MODELS)
def test_a_second_round_trip_changes_nothing(name: str, planted: Corpus, tmp_path: Path) -> None:
    model = fitted(name, True, planted, planted.labels)
    save(model, tmp_path / "a.model")
    save(load(tmp_path / "a.model"), tmp_path / "b.model")
    assert contents(tmp_path / "a.model") == contents(tmp_path / "b.model")


@pytest.mark.parametrize("name", MODELS)
def test_saving_over_the_folder_it_was_loaded_from(
    name: str, planted: Corpus, tmp_path: Path
) -> None:
    model = fitted(name, False, planted, planted.labels)
    save(model, tmp_path / "a.model")
    loaded = load(tmp_path / "a.model")
    save(loaded, tmp_path / "a.model", force=True)
    assert_same(model.transform(planted), load(tmp_path / "a.model").transform(planted))


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_can_be_fitted_again(name: str, planted: Corpus, tmp_path: Path) -> None:
    model = fitted(name, False, planted, planted.labels)
    save(model, tmp_path / "a.model")
    loaded = load(tmp_path / "a.model")
    if hasattr(loaded, "partial_fit"):
        assert_same(
            model.partial_fit(planted).transform(planted),
            loaded.partial_fit(planted).transform(planted),
        )
    loaded.fit(planted, planted.labels)


# ---- the engine is never read from a file ----


@pytest.fixture
def scheduler() -> Iterator[socket.socket]:
    """Listen on a port that a malicious file could make a reader connect to."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield listener


@pytest.mark.parametrize("name", MODELS)
def test_a_model_file_does_not_choose_where_its_reader_connects(
    name: str, planted: Corpus, scheduler: socket.socket, small_chunks: None, tmp_path: Path
) -> None:
    address = f"tcp://127.0.0.1:{scheduler.getsockname()[1]}"
    model = fitted(name, True, planted, planted.labels)
    path = without_manifest(save(model, tmp_path / "a.model"))
    header = json.loads((path / "model.json").read_text())
    for step in header["steps"]:
        step["params"]["engine"] = address
    (path / "model.json").write_text(json.dumps(header))

    loaded = load(path)
    assert {step.get_params().get("engine", "threads") for _, step in loaded.steps} == {"threads"}
    assert_same(model.transform(planted), loaded.transform(planted))
    assert address not in json.dumps(describe(path))
    with pytest.raises(BlockingIOError):
        scheduler.accept()


def test_an_engine_is_not_written(planted: Corpus, tmp_path: Path) -> None:
    model = fitted("slsa", False, planted, None)
    model.set_params(engine="tcp://127.0.0.1:8786")
    path = save(model, tmp_path / "a.model")
    assert "8786" not in (path / "model.json").read_text()
    assert load(path).set_params(engine="serial").engine == "serial"


def test_raw_text_goes_into_a_loaded_pipeline(
    planted: Corpus, texts: list[str], tmp_path: Path
) -> None:
    corpus = laconic.read(texts)
    model = laconic.pipeline("slsa", n_components=4).fit(corpus)
    save(model, tmp_path / "a.model")
    assert_same(model.transform(corpus), load(tmp_path / "a.model").transform(texts))


def test_the_vocabulary_is_written_once(planted: Corpus, tmp_path: Path) -> None:
    save(fitted("slsa", True, planted, None), tmp_path / "a.model")
    names = [path.name for path in (tmp_path / "a.model").glob("*.txt")]
    assert names == ["vocabulary.txt"]
    lines = (tmp_path / "a.model" / "vocabulary.txt").read_text().split("\n")
    assert lines[:-1] == list(planted.vocabulary)


def test_arrays_are_mapped_read_only(planted: Corpus, tmp_path: Path) -> None:
    save(fitted("slsa", False, planted, None), tmp_path / "a.model")
    components = load(tmp_path / "a.model").components_
    assert not components.data.flags.writeable


# ---- tokenizers ----


def split_on_commas(text: str) -> list[str]:
    return text.split(",")


COMMAS = ["a b,c", "c,d e", "a b,d e"]


@pytest.fixture
def comma_model(tmp_path: Path) -> Path:
    vectorizer = laconic.Vectorizer(tokenizer=split_on_commas).fit(COMMAS)
    return save(vectorizer, tmp_path / "commas.model")


def test_a_tokenizer_is_saved_by_name_and_given_again(comma_model: Path) -> None:
    assert "test_models:split_on_commas" in (comma_model / "model.json").read_text()
    counts = load(comma_model, tokenizer=split_on_commas).transform(COMMAS).counts
    assert counts.toarray().tolist() == [[1, 1, 0], [0, 1, 1], [1, 0, 1]]


def test_a_method_of_str_is_saved_by_name_too(tmp_path: Path) -> None:
    vectorizer = laconic.Vectorizer(tokenizer=str.split).fit(["a b", "b c"])
    save(vectorizer, tmp_path / "words.model")
    assert "builtins:str.split" in (tmp_path / "words.model" / "model.json").read_text()


def test_raw_text_without_its_tokenizer_gets_a_sentence(comma_model: Path, tmp_path: Path) -> None:
    loaded = load(comma_model)
    with refused("split_on_commas", "load(path, tokenizer="):
        loaded.transform(COMMAS)
    again = save(loaded, tmp_path / "again.model")
    assert load(again, tokenizer=split_on_commas).transform(COMMAS).shape == (3, 3)


def test_a_tokenizer_survives_a_stored_corpus(tmp_path: Path) -> None:
    corpus = laconic.read(COMMAS * 5, tokenizer=split_on_commas)
    corpus.save(tmp_path / "a.corpus")
    model = laconic.pipeline("slsa", n_components=2).fit(laconic.read(tmp_path / "a.corpus"))
    loaded = load(save(model, tmp_path / "a.model"), tokenizer=split_on_commas)
    assert_same(model.transform(corpus), loaded.transform(COMMAS * 5))


def test_a_tokenizer_that_is_not_needed_is_logged(
    planted: Corpus, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    save(fitted("slsa", True, planted, None), tmp_path / "a.model")
    with caplog.at_level(logging.INFO, logger="laconic.saving.models"):
        load(tmp_path / "a.model", tokenizer=split_on_commas)
    (said,) = caplog.messages
    check(said, "a.model", "tokenizer")


@pytest.mark.usefixtures("keeper_is_known")
def test_strangers_and_unfitted_models_are_refused(tmp_path: Path) -> None:
    with refused("LinearRegression", "SparseLSA", "Weighting"):
        save(make_pipeline(Keeper().fit(0), LinearRegression()), tmp_path / "a.model")
    with pytest.raises(NotFittedError):
        save(Keeper(), tmp_path / "a.model")
    assert not (tmp_path / "a.model").exists()


def test_a_corpus_is_saved_by_its_own_method(tmp_path):
    with refused("Corpus", "corpus.save(path)"):
        laconic.save(laconic.Corpus([[1]], ["cat"]), tmp_path / "x.model")
