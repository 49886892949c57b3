"""Tests of `laconic.io.convert`: the same corpus as in memory, part by part."""

from __future__ import annotations

import gc
import io
import json
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import laconic
from laconic.errors import LaconicError, ReadError
from laconic.files.manifest import load_manifest
from laconic.io import convert, read_any_size
from tests.corpus.examples import assert_equal
from tests.io.written import WRITERS
from tests.messages import refused

WORDS = [
    "cat", "cats", "dog", "dogs", "model", "models", "modelled", "new", "york", "times", "the",
    "and", "of", "zebra", "éclair", "Ünter", "中文", "😀", "strasse", "straße", "a", "x1",
    "internationalisation", "internationalisations", "internationalism",
]  # fmt: skip


def texts_of(n_texts: int, seed: int = 0) -> list[str]:
    """Texts with frequent and rare words, phrases, an empty text and words that occur once."""
    rng = np.random.default_rng(seed)
    shares = 1 / np.arange(1, len(WORDS) + 1)
    texts = []
    for row in range(n_texts):
        words = rng.choice(WORDS, rng.integers(0, 12), p=shares / shares.sum()).tolist()
        words += ["new", "york"] * int(rng.random() < 0.4) + [f"only{row}"] * (row % 5 == 0)
        texts.append(" ".join(words))
    return texts


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use so small parts that a few texts have many of them."""
    monkeypatch.setattr("laconic.text.counting.BATCH_CHARACTERS", 70)
    monkeypatch.setattr("laconic.text.parts.PART_WORDS", 12)
    monkeypatch.setattr("laconic.text.parts.BLOCK_ENTRIES", 15)
    monkeypatch.setattr("laconic.text.word_runs.BLOCK", 4)
    monkeypatch.setattr("laconic.io.metadata.FILE_ROWS", 7)


def assert_same(source, path: Path, **options) -> None:
    """Compare the store that `convert` writes with the one that is saved from memory."""
    in_memory = laconic.read(source, **options)
    saved = laconic.Corpus.open(in_memory.save(path.with_suffix(".saved"), force=True))
    converted = convert(source, path, force=True, **options)
    assert converted.path == path
    assert_equal(saved, converted)
    for name in ("counts.data.npy", "counts.indices.npy", "counts.indptr.npy", "corpus.json"):
        assert (path / name).read_bytes() == (saved.path / name).read_bytes()
    fingerprints = [load_manifest(folder).tree["fingerprint"] for folder in (path, saved.path)]
    assert fingerprints[0] == fingerprints[1]
    assert sorted(file.name for file in path.iterdir()) == sorted(
        file.name for file in saved.path.iterdir()
    )


LIMITS = (
    {},
    {"min_df": 2, "max_df": 0.5},
    {"min_df": 1, "max_df": 1.0, "max_features": 9},
    {"min_df": 0.1, "max_features": 3},
)
FORMS = (
    {"lemmatizer": "english"},
    {"lemmatizer": lambda word: word[:3]},
    {"phrases": True},
    {"phrases": True, "lemmatizer": "english", "stop_words": "english"},
    {"ngram_range": (1, 2), "strip_accents": "unicode"},
    {"tokenizer": str.split, "lowercase": False},
)


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(
    "settings",
    [*LIMITS, *({**forms, **LIMITS[i % 4]} for i, forms in enumerate(FORMS))],
    ids=lambda value: " ".join(value) or "auto",
)
def test_the_same_words_and_counts_as_in_memory(tmp_path, settings):
    assert_same(texts_of(60), tmp_path / "corpus", **{"stop_words": None, **settings})


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("seed", range(4))
def test_any_size_of_parts(tmp_path, monkeypatch, seed):
    rng = np.random.default_rng(seed)
    for name in ("counting.BATCH_CHARACTERS", "parts.PART_WORDS", "word_runs.BLOCK"):
        monkeypatch.setattr(f"laconic.text.{name}", int(rng.integers(1, 200)))
    texts = texts_of(int(rng.integers(1, 120)), seed)
    assert_same([*texts, "cat dog"], tmp_path / "corpus", n_jobs=int(rng.integers(1, 3)))


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("vocabulary", [["dog", "cat", "new york", "中文"], ["nothing"]])
@pytest.mark.parametrize("phrases", [False, True])
def test_a_fixed_vocabulary(tmp_path, vocabulary, phrases):
    assert_same(texts_of(30), tmp_path / "corpus", vocabulary=vocabulary, phrases=phrases)


@pytest.mark.usefixtures("small_parts")
def test_the_words_and_settings_of_another_corpus(tmp_path):
    other = laconic.read(texts_of(30, 1), lemmatizer="english", stop_words="english")
    assert_same(texts_of(30), tmp_path / "corpus", vocabulary=other)


LABELS = {
    "ints": [3, 1, 2],
    "bools": [True, False, True],
    "floats": [0.1, 2.5, 1e300],
    "numbers": [1, 2.5, 3],
    "an int and nothing": [1, None, 2],
    "a bool and an int": [True, 2, 3],
    "strings": ["a", "b", "ż"],
    "everything": ["a", 1, None, 2.5, True],
    "nothing": [None, None],
    "large ints": [2**63, 1],
    "NUL": ["a\0", "b"],
}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_labels_have_the_same_type_as_in_memory(tmp_path, labels):
    file = tmp_path / "posts.jsonl"
    rows = [{"text": text, "y": labels[row % len(labels)]} for row, text in enumerate(texts_of(9))]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert_same(file, tmp_path / "corpus", label="y")


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("keep_texts", [True, False])
def test_ids_and_titles_that_some_documents_have(tmp_path, keep_texts):
    file = tmp_path / "posts.jsonl"
    rows = [
        {"text": text, **({"id": f"d{row}"} if row > 9 else {}), "title": None if row % 2 else "T"}
        for row, text in enumerate(texts_of(20))
    ]
    rows[3]["text"] = "\ud800 lone surrogate"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert_same(file, tmp_path / "corpus", keep_texts=keep_texts)


@pytest.mark.parametrize("format", ["folder", "lines", "tsv", "json", "parquet", "uci", "store"])
def test_every_format(tmp_path, format):
    assert_same(WRITERS[format](tmp_path), tmp_path / "corpus", format=format)


@pytest.mark.usefixtures("small_parts")
def test_other_sources(tmp_path):
    files = []
    for part in range(3):
        files.append(tmp_path / f"{part}.csv")
        pl.DataFrame({"text": texts_of(20, part), "n": range(20)}).write_csv(files[-1])
    assert_same(files, tmp_path / "corpus", label="n")
    assert_same(str(tmp_path / "*.csv"), tmp_path / "corpus")
    assert_same([text.split() for text in texts_of(20)], tmp_path / "corpus")
    assert_same(pl.DataFrame({"body": texts_of(20)}), tmp_path / "corpus", text="body")
    assert_same(laconic.read(texts_of(20)), tmp_path / "corpus")
    assert_equal(
        convert((text for text in texts_of(20)), tmp_path / "corpus", force=True),
        laconic.Corpus.open(laconic.read(texts_of(20)).save(tmp_path / "other")),
    )


def test_standard_input(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(texts_of(9)).encode())))
    corpus = convert("-", tmp_path / "corpus", format="lines")
    assert corpus.texts.tolist() == texts_of(9)


FAILURES = {
    "no documents": ([], {}),
    "no words": (["", " "], {}),
    "only stop words": (["the and", "of the"], {"stop_words": "english"}),
    "pruned": (["a cat", "a dog"], {"min_df": 3}),
    "limits": (["cat dog", "cat dog", "cat"], {"min_df": 3, "max_df": 1}),
    "setting": (["cat"], {"min_df": -1}),
    "type": (["cat", 7], {}),
}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("texts", "options"), FAILURES.values(), ids=FAILURES.keys())
def test_the_same_errors_as_in_memory_and_nothing_is_written(tmp_path, texts, options):
    with pytest.raises(LaconicError) as in_memory:
        laconic.read(texts, **options)
    with pytest.raises(LaconicError) as on_disk:
        convert(texts, tmp_path / "corpus", **options)
    assert str(on_disk.value) == str(in_memory.value)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_line_leaves_the_old_corpus_as_it_was(tmp_path):
    path = tmp_path / "corpus"
    convert(["an old corpus"], path)
    file = tmp_path / "posts.jsonl"
    file.write_text('{"text": "a cat"}\n' * 50 + "{")
    with refused("posts.jsonl", "line 51", kind=ReadError, golden=False):
        convert(file, path, force=True)
    with refused("already exists", kind=LaconicError, golden=False):
        convert(file, path)
    assert laconic.read(path).texts.tolist() == ["an old corpus"]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["corpus", "posts.jsonl"]


def test_a_name_that_looks_like_a_pattern(tmp_path):
    folder = tmp_path / "a[b]*"
    folder.mkdir()
    assert len(convert(texts_of(9), folder / "corpus").texts) == 9


def test_memory_does_not_grow_with_the_texts(tmp_path, monkeypatch):
    monkeypatch.setattr("laconic.text.counting.BATCH_CHARACTERS", 10_000)
    monkeypatch.setattr("laconic.text.language.SAMPLE_CHARACTERS", 10_000)
    monkeypatch.setattr("laconic.text.parts.PART_WORDS", 800)
    monkeypatch.setattr("laconic.text.parts.BLOCK_ENTRIES", 1_000)
    monkeypatch.setattr("laconic.io.metadata.FILE_ROWS", 20)

    def texts(n_texts):
        for row in range(n_texts):  # Half of the words occur only once.
            yield " ".join(f"w{(row * 31 + i) % 500} once{row}x{i}" for i in range(25))

    def peak(n_texts):
        gc.collect()
        tracemalloc.start()
        convert(texts(n_texts), tmp_path / "corpus", force=True, n_jobs=1, min_df=2)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(100)
    few, many = peak(100), peak(500)
    assert many - few < 200 * 400  # a document has 500 characters and 400 bytes of counts


def test_texts_of_any_size_give_the_same_bits(tmp_path, monkeypatch):
    texts = texts_of(300)
    in_memory = read_any_size(texts)
    assert in_memory.path is None
    monkeypatch.setattr("laconic.io.rows.IN_MEMORY", 500)
    on_disk = read_any_size(texts)
    folder = on_disk.path
    assert "laconic-scratch" in str(folder)
    assert_equal(in_memory, on_disk)
    fits = [laconic.pipeline("slsa", n_components=4).fit(corpus) for corpus in (in_memory, on_disk)]
    components = [fit.named_steps["model"].components_ for fit in fits]
    assert np.array_equal(components[0].toarray(), components[1].toarray())
    part = on_disk.replace(titles=texts)
    del on_disk, fits
    gc.collect()
    assert part[7].text == texts[7]
    del part
    gc.collect()
    assert not folder.exists()
