"""Tests of texts in languages without spaces."""

import pytest

import laconic
from laconic import Vectorizer
from laconic.text import segmentation
from laconic.text.segmentation import lacks_spaces
from tests.messages import refused, warned

CHINESE = [
    "自然语言处理是计算机科学的一个领域。",
    "机器学习模型可以处理自然语言。",
    "我们在北京学习计算机科学和数学。",
]
JAPANESE = ["東京都に住んでいる猫は可愛いです。", "猫は魚を食べます。東京は大きい都市です。"]
THAI = ["ฉันรักภาษาไทยมาก และฉันชอบอ่านหนังสือภาษาไทย", "ภาษาไทยเป็นภาษาที่สวยงาม"]


@pytest.mark.parametrize("texts", [CHINESE, JAPANESE, THAI])
def test_scripts_without_spaces(texts):
    assert lacks_spaces(texts)


@pytest.mark.parametrize(
    "text",
    ["", "北京", "The temple 北京 is in the city of Beijing.", "한국어는 띄어쓰기를 합니다 그리고"],
)
def test_other_texts_are_split_at_spaces(text):
    assert not lacks_spaces([text])


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (CHINESE, {"语言", "计算", "科学", "学习"}),
        (JAPANESE, {"東京", "猫"}),
        (THAI, {"ภาษา", "ไทย"}),
    ],
)
def test_icu_finds_the_words(texts, words):
    pytest.importorskip("icu4py")
    vectorizer = Vectorizer().fit(texts)
    assert vectorizer.settings_["tokenizer"] == "icu"
    assert words <= set(vectorizer.vocabulary_)
    assert not {"。", " ", "."} & set(vectorizer.vocabulary_)


def test_sentences_as_words_are_never_silent(monkeypatch):
    monkeypatch.setattr(segmentation, "find_spec", lambda name: None)
    with warned("without spaces", "laconic[languages]", "tokenizer="):
        vectorizer = Vectorizer().fit(CHINESE)
    assert vectorizer.settings_["tokenizer"] is None
    with refused("icu4py", "laconic[languages]"):
        Vectorizer(tokenizer="icu").fit(CHINESE)


def test_a_tokenizer_or_pattern_of_the_user_is_kept():
    assert Vectorizer(tokenizer=list).fit(CHINESE).settings_["tokenizer"] is list
    assert Vectorizer(token_pattern=r"\w").fit(CHINESE).settings_["tokenizer"] is None


def test_a_saved_model_splits_texts_like_the_fitted_one(tmp_path):
    pytest.importorskip("icu4py")
    model = laconic.pipeline("slsa", n_components=2).fit(CHINESE)
    laconic.save(model, tmp_path / "saved.model")
    loaded = laconic.load(tmp_path / "saved.model")
    new = ["北京的自然语言"]
    assert loaded["text"].settings_["tokenizer"] == "icu"
    assert (loaded.transform(new) != model.transform(new)).nnz == 0
    corpus = laconic.read(new, vocabulary=loaded)
    assert corpus[0].words["语言"] == 1


def test_search_splits_the_query():
    pytest.importorskip("icu4py")
    corpus = laconic.read(CHINESE)
    model = laconic.pipeline("slsa", n_components=2).fit(corpus)
    assert laconic.search(model, corpus).query("北京")[0].id == 2
