"""Tests of keywords that are extracted part by part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import laconic
from laconic import PCP, PLSA, Corpus
from laconic.files import scratch_folder
from laconic.keyphrases import keywords as module
from laconic.keyphrases.evidence import Tokens
from laconic.keyphrases.keywords import keyword_parts
from laconic.keyphrases.pairs import PHRASE_COUNT, PHRASE_SHARE, PairCounter

SUBJECTS = ["south korea", "gold price", "grain harvest", "steel strike", "oil field"]
WORDS = "the said of in 3 pct a report on markets with more new year trade bank"


def make_texts(n: int = 60) -> list[str]:
    draw = np.random.default_rng(1)
    texts = []
    for row in range(n):
        subject = SUBJECTS[row % 5]
        words = [*draw.choice(WORDS.split(), 20), f"rare{row}"]
        words[4], words[11] = subject, subject
        texts.append(" ".join(words))
    return texts


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus on disk whose rare words were left out."""
    corpus = laconic.read(make_texts(), min_df=3, stop_words="english")
    path = tmp_path_factory.mktemp("stores") / "texts.corpus"
    corpus.replace(ids=[f"d{row}" for row in range(60)]).save(path)
    return path


OPTIONS: list[dict[str, Any]] = [
    {},
    {"method": "counts"},
    {"method": "llr", "phrases": False},
    {"background": make_texts(30)},
]


@pytest.mark.parametrize("options", OPTIONS, ids=["best", "counts", "llr", "background"])
@pytest.mark.parametrize("on_disk", [True, False])
def test_parts_make_no_difference(
    store: Path, options: dict[str, Any], on_disk: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = laconic.read(store)
    corpus = corpus if on_disk else corpus[:]
    whole = laconic.keywords(corpus, 4, **options)
    if options.get("method") is None:
        assert "rare7" in [word.word for word in whole[7]]  # rare words are counted again
        assert "oil field" in [word.word for word in whole[9]]
    monkeypatch.setattr(module, "ROWS", 7)
    assert laconic.keywords(corpus, 4, **options) == whole
    parts = list(keyword_parts(corpus, 4, **options))
    assert [len(part.documents) for part in parts] == [7] * 8 + [4]
    assert parts[1].documents.ids.tolist() == [f"d{row}" for row in range(7, 14)]


@pytest.mark.parametrize("model", [PLSA(3), PCP()])
def test_expectations_of_a_model_are_computed_part_by_part(
    store: Path, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = laconic.read(store)
    fitted = model.fit(corpus)
    whole = laconic.keywords(corpus, 3, model=fitted)
    monkeypatch.setattr(module, "ROWS", 16)
    parts = laconic.keywords(corpus, 3, model=fitted)
    for one, other in zip(whole, parts, strict=True):
        assert [word.word for word in one] == [word.word for word in other]
        expected = [[word.expected for word in words] for words in (one, other)]
        assert expected[0] == pytest.approx(expected[1], rel=1e-4)


def test_a_part_is_ready_before_the_next_one_is_read(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROWS", 7)
    found = []
    best = module.Finder.best
    monkeypatch.setattr(
        module.Finder, "best", lambda self, *args: (found.append(1), best(self, *args))[1]
    )
    parts = keyword_parts(laconic.read(store))
    next(parts)
    assert len(found) == 1


def test_scratch_files_are_deleted(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROWS", 7)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    laconic.keywords(laconic.read(store), 2)
    assert not list(tmp_path.glob(f"{scratch_folder.PREFIX}*"))


def test_a_missing_text_is_named_by_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS", 2)
    corpus = Corpus(np.ones((4, 1)), ["cat"], texts=["cat", "cat", "cat", None])
    with pytest.raises(laconic.LaconicError, match="Document 3 has no text"):
        laconic.keywords(corpus)


# ---- pairs of words -------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 4, 25])
def test_pairs_are_counted_exactly_however_small_the_table(
    bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.keyphrases.pairs.MOST_BITS", bits)
    monkeypatch.setattr("laconic.keyphrases.pairs.PENDING", 50)
    draw = np.random.default_rng(0)
    n_words, parts = 12, []
    for _ in range(6):
        columns = np.minimum(draw.geometric(0.2, 200) - 2, n_words - 1).astype(np.int32)
        ends = np.array([50, 100, 150, 200])
        parts.append(Tokens(columns, ends, draw.choice([0, 4], 200, p=[0.2, 0.8]).astype(np.uint8)))
    counter = PairCounter(n_words, 1_200)
    times: dict[tuple[int, int], int] = {}
    for columns, ends, flags in parts:
        counter.add(Tokens(columns, ends, flags))
        for token in range(199):
            pair = int(columns[token]), int(columns[token + 1])
            if min(pair) >= 0 and flags[token] and token + 1 not in ends:
                times[pair] = times.get(pair, 0) + 1
    totals = draw.integers(1, 60, n_words).astype(float)
    for part in parts:
        counter.count(part, totals)
    expected = sorted(
        first * n_words + second
        for (first, second), n in times.items()
        if first != second
        and n >= PHRASE_COUNT
        and n >= PHRASE_SHARE * min(totals[first], totals[second])
    )
    assert counter.phrases(totals).tolist() == expected
    assert expected
