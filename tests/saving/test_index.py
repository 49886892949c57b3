"""Tests of search indexes saved with a model: loading and checks against damage."""

from __future__ import annotations

import copy
import json
import pickle
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import laconic
from laconic import Corpus, ModelFileError
from laconic.files.array_reader import ArrayReader
from laconic.fitted.code_rows import DenseRows
from laconic.fitted.documents import encode, kept_documents
from laconic.retrieval.codes import Codes
from laconic.retrieval.index import SearchIndex
from laconic.saving.index import check_index
from tests.messages import refused
from tests.saving.examples import without_manifest

TEXTS = [
    "Kittens purr, and a café cat naps",
    "The storm took the mast; captains wait for wind",
    "",
    "cat and kitten drink milk by the harbour",
    "anchor, rope and a deck in the storm",
    "A cat! " * 30 + "and then the captain",
]


def counted(texts=TEXTS, **columns) -> Corpus:
    corpus = laconic.read(texts, stop_words="english")
    return Corpus(
        corpus.counts, corpus.vocabulary, texts=texts, vectorizer=corpus.vectorizer, **columns
    )


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return counted(ids=list("abcdef"), titles=["One", "Two", None, "Four", "Fünf", "Six"])


@pytest.fixture(scope="module")
def model(corpus):
    return laconic.pipeline("slsa", n_components=2).fit(corpus)


@pytest.fixture
def kept(model, corpus, tmp_path) -> Path:
    path = tmp_path / "kept.model"
    return laconic.save(model, path, index=laconic.search(model, corpus))


def told(index, query) -> list:
    hits = index.query(query) if isinstance(query, str) else index.like(*query)
    return [
        (*(getattr(hit, name) for name in ["id", "score", "lexical", "background", "title", "row"]),
         str(hit.snippet), hit.snippet.words, hit.snippet.related, hit.keywords)
        for hit in hits
    ]  # fmt: skip


QUERIES = ["a kitten", "storms", "cafe", "captain of the harbour", "FÜNF", (0,), ("Six",)]


def same(one, other) -> bool:
    return all(told(one, query) == told(other, query) for query in QUERIES) and (
        one.unknown("katten") == other.unknown("katten")
    )


# ---- saving and loading -------------------------------------------------------------------------


def test_loaded_it_answers_the_same(model, corpus, kept):
    made, loaded = laconic.search(model, corpus), laconic.search(laconic.load(kept))
    assert same(made, loaded)
    assert repr(loaded) == repr(made)
    assert any(told(loaded, query) for query in QUERIES)


def test_arrays_stay_in_files_and_nothing_is_pickled(kept):
    parts = laconic.search(laconic.load(kept)).parts
    postings = parts.lexical.postings
    for array in (postings.documents, postings.counts, parts.texts.packed, parts.texts.ends):
        assert isinstance(array, ArrayReader)
    assert {path.suffix for path in kept.iterdir()} == {".npy", ".json", ".txt"}
    for path in kept.glob("*.npy"):
        np.load(path, allow_pickle=False)


def test_an_index_is_read_when_it_is_used(kept, monkeypatch):
    monkeypatch.setattr("laconic.saving.index.decode_index", lambda *args: pytest.fail("read"))
    monkeypatch.setattr(ArrayReader, "take", lambda *args: pytest.fail("read"))
    loaded = laconic.load(kept)
    assert len(laconic.topics(loaded)) == 2
    assert loaded.transform(TEXTS).shape == (6, 2)


def test_a_loaded_index_survives_the_replacement_of_its_folder(model, corpus, kept):
    loaded, expected = laconic.load(kept), laconic.search(model, corpus)
    other = laconic.pipeline("slsa", n_components=2).fit(corpus)
    laconic.save(other, kept, force=True)
    assert same(expected, laconic.search(loaded))


def test_a_loaded_model_with_documents_can_be_copied_and_pickled(model, corpus, kept):
    expected = laconic.search(model, corpus)
    for clone in (lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy):
        documents = clone(kept_documents(laconic.load(kept)))
        documents.topics = model[-1].components_
        assert same(expected, SearchIndex(model, documents, documents.index))
        assert (documents.codes != encode(model, corpus)).nnz == 0
    other = copy.copy(laconic.load(kept))
    assert same(expected, laconic.search(other))


def test_a_loaded_model_that_is_saved_again_keeps_it(kept, tmp_path):
    loaded = laconic.load(kept)
    laconic.save(loaded, tmp_path / "again")
    assert same(laconic.search(loaded), laconic.search(laconic.load(tmp_path / "again")))
    laconic.save(loaded, kept, force=True)  # replace the files of the loaded model
    assert same(
        laconic.search(laconic.load(tmp_path / "again")), laconic.search(laconic.load(kept))
    )


def test_other_documents_take_its_place(kept, corpus, tmp_path):
    loaded = laconic.load(kept)
    laconic.save(loaded, tmp_path / "other", corpus=corpus[:2])
    with refused("No search index"):
        laconic.search(laconic.load(tmp_path / "other"))


def test_fitted_again_it_has_none(kept, corpus, tmp_path):
    loaded = laconic.load(kept)
    loaded.fit(corpus)
    with refused("No search index"):
        laconic.search(loaded)


def test_the_documents_are_kept_too(model, corpus, kept):
    assert laconic.similar(laconic.load(kept), "a").equals(laconic.similar(model, "a", corpus))


@pytest.mark.parametrize("ids", [None, [7, 8, 9, 10, 11, 12]])
def test_ids_keep_their_type(model, ids, tmp_path):
    corpus = counted(ids=ids)
    made = laconic.search(model, corpus)
    laconic.save(model, tmp_path / "m", corpus=corpus, index=made)
    loaded = laconic.search(laconic.load(tmp_path / "m"))
    assert told(made, "cat") == told(loaded, "cat")
    assert type(loaded.query("cat")[0].id) is int


@pytest.mark.parametrize("dense", [False, True])
def test_sparse_and_whole_codes(corpus, tmp_path, dense):
    model = laconic.pipeline("slsa", n_components=4).fit(corpus)
    made = laconic.search(model, corpus)
    codes = made.parts.codes.rows.block(0, len(corpus)).toarray()
    codes = codes + 1 if dense else np.eye(6, 4, dtype=np.float32)
    made.parts.codes = Codes.of(sp.csr_matrix(codes))
    laconic.save(model, tmp_path / "m", index=made)
    loaded = laconic.search(laconic.load(tmp_path / "m"))
    assert isinstance(loaded.parts.codes.rows, DenseRows) == dense
    assert same(made, loaded)


def test_counts_without_texts_runs_of_words_and_bare_models(tmp_path):
    corpus = laconic.read(TEXTS, ngram_range=(1, 2), keep_texts=False)
    for name, fitted_on in {"named": corpus, "by position": corpus.counts}.items():
        model = laconic.SparseLSA(2).fit(fitted_on)
        made = laconic.search(model, corpus, language=None)
        laconic.save(model, tmp_path / name, index=made)
        loaded = laconic.search(laconic.load(tmp_path / name))
        for query in ("drink milk", "the storm"):
            assert told(made, query) == told(loaded, query)
            assert loaded.query(query)[0].background > 0
            assert loaded.query(query)[0].snippet == ""


def test_a_tokenizer_of_ones_own(tmp_path):
    def split(text: str) -> list[str]:
        return text.split(" ")

    corpus = laconic.read(["red fox-cub", "blue whale", "fox-cub"], tokenizer=split)
    model = laconic.pipeline("slsa", n_components=2).fit(corpus)
    made = laconic.search(model, corpus)
    laconic.save(model, tmp_path / "m", index=made)
    loaded = laconic.search(laconic.load(tmp_path / "m", tokenizer=split))
    assert told(made, "fox-cub") == told(loaded, "fox-cub")
    assert {hit.row for hit in loaded.query("fox-cub", k=2)} == {0, 2}
    without = laconic.search(laconic.load(tmp_path / "m"))
    with refused("tokenizer", "split", "laconic.load"):
        without.query("fox-cub")
    assert without.like(0)


def test_what_is_said_of_it(kept, model, tmp_path):
    facts = laconic.describe(kept)
    sizes = sum(path.stat().st_size for path in kept.glob("index.*"))
    assert facts["index_bytes"] == sizes > 0
    assert facts["index_language"] == "english"
    assert facts["index_texts"] is True
    assert facts["index_words"] == len(laconic.search(laconic.load(kept)).parts.lexical.stems)
    assert facts["documents"] == 6
    laconic.save(model, tmp_path / "without")
    assert laconic.describe(tmp_path / "without")["index_bytes"] == 0


# ---- refused indexes ----------------------------------------------------------------------------


def test_an_index_of_another_model_or_corpus(model, corpus, tmp_path):
    index = laconic.search(model, corpus)
    other = laconic.pipeline("slsa", n_components=2).fit(corpus)
    with refused("another model", "laconic.search(model, corpus)"):
        laconic.save(other, tmp_path / "m", index=index)
    with refused("6 documents", "2"):
        laconic.save(model, tmp_path / "m", index=index, corpus=corpus[:2])
    assert not (tmp_path / "m").exists()


def header(change: Callable[[dict], None]) -> Callable[[Path], None]:
    def damage(kept: Path) -> None:
        tree = json.loads((kept / "model.json").read_text())
        change(tree)
        (kept / "model.json").write_text(json.dumps(tree))

    return damage


def array(name: str, change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    def damage(kept: Path) -> None:
        path = kept / f"index.{name}.npy"
        np.save(path, change(np.load(path)))

    return damage


def index_field(name: str, value: object) -> Callable[[Path], None]:
    return header(lambda tree: tree["index"].__setitem__(name, value))


def gone(name: str) -> Callable[[Path], None]:
    return lambda kept: (kept / name).unlink()


def lines(name: str, change: Callable[[str], str]) -> Callable[[Path], None]:
    return lambda kept: (kept / name).write_text(change((kept / name).read_text()))


def to_nan(values: np.ndarray) -> np.ndarray:
    values[0] = np.nan
    return values


DAMAGE = {
    "a newer format": (
        header(lambda t: t.__setitem__("format", 99)),
        "model.json",
        "newer version of laconic",
        "format 99",
    ),
    "no documents": (header(lambda t: t.pop("documents")), "model.json", "index", "documents"),
    "no postings": (gone("index.postings.counts.npy"), "postings.counts.npy", "missing"),
    "no texts": (gone("index.texts.packed.npy"), "texts.packed.npy", "missing"),
    "no stems": (gone("index.stems.txt"), "stems.txt", "missing"),
    "short postings": (
        array("postings.counts", lambda a: a[:-1]),
        "postings.counts.npy",
        "shape",
        "expected",
    ),
    "wide postings": (
        array("postings.counts", lambda a: a.astype(np.float64)),
        "float64",
        "expected uint8",
    ),
    "wild documents": (
        array("postings.documents", lambda a: a + 1000),
        "kept.model",
        "unknown documents",
    ),
    "documents twice": (
        array("postings.documents", np.zeros_like),
        "kept.model",
        "not sorted or occur twice",
    ),
    "lengths not finite": (array("postings.norms", to_nan), "model.json", "lengths", "NaN"),
    "negative lengths": (
        array("postings.norms", np.negative),
        "model.json",
        "lengths of documents",
        "from 0",
    ),
    "moments not finite": (array("moments", to_nan), "model.json", "moments of its codes"),
    "moments of other topics": (
        header(lambda t: t["index"].__setitem__("moments", t["index"]["idf"])),
        "model.json",
        "moments of its codes",
    ),
    "postings that do not add up": (
        array("postings.ends", lambda a: a + 1),
        "model.json",
        "postings are inconsistent",
    ),
    "texts that are not compressed": (
        array("texts.packed", np.zeros_like),
        "kept.model",
        "texts are inconsistent",
    ),
    "texts in blocks that do not add up": (
        array("texts.blocks", lambda a: a + 1),
        "kept.model",
        "texts are inconsistent",
    ),
    "fewer forms": (
        lines("index.forms.txt", lambda t: t.split("\n", 1)[1]),
        "forms.txt",
        "lines",
        "expected",
    ),
    "texts that do not add up": (
        array("texts.ends", lambda a: a + 1000),
        "kept.model",
        "inconsistent",
    ),
    "texts of too few": (
        header(lambda t: t["index"]["texts"]["ends"].__setitem__("shape", [5])),
        "texts.ends.npy",
        "expected shape (5,)",
        "found (6,)",
    ),
    "no field": (header(lambda t: t["index"].pop("agreement")), "is damaged"),
    "an absurd agreement": (index_field("agreement", 7), "agreement", "7"),
    "a language that is none": (index_field("language", "klingon"), "language", "klingon"),
    "a number for a language": (index_field("language", 3), "is damaged"),
    "fewer stems and forms": (
        header(lambda t: t["index"].__setitem__("forms", {"words": "vocabulary", "count": 19})),
        "index",
        "words",
        "stems",
    ),
    "settings that are none": (index_field("reading", 3), "is damaged"),
    "a list": (header(lambda t: t.__setitem__("index", [1])), "is damaged"),
    "a file outside": (
        header(lambda t: t["index"]["stems"].__setitem__("words", "../x")),
        "'../x.txt'",
        "outside the folder",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_gets_a_sentence(kept, damage):
    do, *parts = DAMAGE[damage]
    do(without_manifest(kept))
    with refused(str(kept), *parts, kind=ModelFileError, golden=parts != ["is damaged"]):
        read_all(kept)


def read_all(kept: Path) -> None:
    """Load a model, and read its documents and its index, which are otherwise read on use."""
    documents = kept_documents(laconic.load(kept))
    documents.check()
    check_index(documents.index)


def test_texts_that_are_no_text_get_a_sentence_when_they_are_read(kept):
    packed = zlib.decompress(np.load(kept / "index.texts.packed.npy").tobytes())
    damaged = zlib.compress(bytes(byte | 0x80 for byte in packed))
    array("texts.packed", lambda a: np.frombuffer(damaged, np.uint8))(without_manifest(kept))
    array("texts.blocks", lambda a: np.array([[a[0, 0], len(damaged)]]))(kept)
    header(lambda t: t["index"]["texts"]["packed"].__setitem__("shape", [len(damaged)]))(kept)
    hit = laconic.search(laconic.load(kept)).query("cat")[0]
    with refused("kept.model", "document 5", "UTF-8", kind=ModelFileError):
        _ = hit.snippet
