"""Tests of the default settings for counting words, in Python and on the command line."""

import json

import pytest

import laconic
from laconic import Vectorizer
from laconic.models import MODELS
from laconic.text.defaults import NO_SETTINGS, SETTINGS, complete_settings
from tests.cli.running import in_process
from tests.text.languages import LANGUAGES, make_texts


def test_every_parameter_of_a_vectorizer_has_its_default():
    assert Vectorizer().get_params(deep=False) == {**SETTINGS, **NO_SETTINGS}
    assert list(complete_settings(None)) == list(Vectorizer().get_params(deep=False))


@pytest.mark.parametrize(
    ("n_documents", "min_df", "max_df"),
    [(3, 1, 1.0), (30, 2, 1.0), (150, 2, 0.5), (1_000, 3, 0.5), (4_000, 5, 0.5)],
)
def test_limits_grow_with_the_number_of_documents(n_documents, min_df, max_df):
    texts = [f"word{i // 10} word{i % 7}" for i in range(n_documents)]
    settings = Vectorizer().fit(texts).settings_
    assert (settings["min_df"], settings["max_df"]) == (min_df, max_df)


def test_automatic_limits_never_remove_all_words():
    vectorizer = Vectorizer().fit(["cat dog"] * 200)
    assert vectorizer.vocabulary_.tolist() == ["cat", "dog"]
    assert vectorizer.settings_["max_df"] == 1.0


def test_every_word_on_request():
    texts = make_texts("english", 300)
    corpus = laconic.read(texts, stop_words=None, min_df=1, max_df=1.0)
    assert "the" in corpus.vocabulary
    assert corpus.counts.sum() > laconic.read(texts).counts.sum()


def test_the_same_words_everywhere(tmp_path):
    texts = make_texts("english", 300)
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(texts))
    folder = tmp_path / "saved.model"
    words = laconic.read(texts).vocabulary.tolist()
    assert laconic.read(path).vocabulary.tolist() == words
    pipeline = laconic.pipeline("slsa", n_components=2).fit(texts)
    assert pipeline["text"].vocabulary_.tolist() == words
    fit = in_process("fit", path, "-k", 2, "-q", "-o", folder)
    assert fit.exit_code == 0, fit.output
    assert laconic.load(folder)["text"].vocabulary_.tolist() == words
    settings = json.loads(in_process("info", folder, "--json").stdout)["steps"]["text"]
    assert settings["stop_words"] == "english"
    assert (settings["min_df"], settings["max_df"]) == (2, 0.5)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in MODELS if name != "medstc"])
def test_no_stop_word_leads_a_topic(name, language):
    texts = make_texts(language, 500)
    model = laconic.pipeline(name, n_components=5, random_state=0).fit(texts)
    leading = {word for topic in laconic.topics(model, 10).frame["words"] for word in topic}
    assert len(leading) >= 20
    stop_words = set(LANGUAGES[language].stop_words.split())
    assert not {word.removeprefix("-") for word in leading} & stop_words


def test_new_documents_keep_the_words_of_the_model():
    model = laconic.pipeline("slsa", n_components=3).fit(make_texts("english", 400, seed=1))
    texts = make_texts("english", 150, seed=2)
    texts[0] = "planet"  # in one of 150 documents, so that min_df=2 leaves it out
    texts[1:] = [text.replace("planet", "comet") for text in texts[1:]]
    corpus = laconic.read(texts)
    assert "planet" not in corpus.vocabulary
    assert "planet" in model["text"].vocabulary_
    from_texts, from_corpus = model.transform(texts), model.transform(corpus)
    assert abs(from_texts - from_corpus).max() == 0
    counted = laconic.read(texts, vocabulary=model)
    assert laconic.evaluate(model, corpus) == laconic.evaluate(model, counted)


def test_a_corpus_without_texts_says_that_rare_words_are_missing(caplog):
    model = laconic.pipeline("slsa", n_components=3).fit(make_texts("english", 400))
    texts = [f"{text} novel" for text in make_texts("english", 150, seed=2)]
    model.transform(laconic.read(texts, max_df=1.0, keep_texts=False))
    assert "vocabulary=model" in caplog.text
