"""Tests of similar documents, top documents of topics, and documents saved with a model."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse

import laconic
from laconic.corpus.corpus import Corpus
from laconic.datasets import make_topics
from laconic.errors import ModelFileError
from laconic.files.array_reader import ArrayReader
from laconic.files.arrays import save_array
from laconic.fitted import documents as module
from laconic.fitted.documents import Names, kept_documents
from laconic.models import MODELS
from tests.messages import refused
from tests.saving.examples import contents, without_manifest

N = 90


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Return ninety documents; the last but one is empty, and titles repeat but ids do not."""
    planted = make_topics(N, 80, 4, words_per_topic=12, topics_per_document=2, random_state=1)[0]
    counts = planted.counts.tolil()
    counts[N - 2] = 0
    counts[N - 1] = counts[7]  # a copy of document 7
    return Corpus(
        counts.tocsr(),
        planted.vocabulary,
        ids=[f"id-{i}" for i in range(N)],
        titles=[f"Title {i % 45}" for i in range(N)],
        labels=planted.labels,
    )


def fitted(name: str, corpus: Corpus, **parameters: Any) -> Any:
    return laconic.pipeline(name, n_components=4, **parameters).fit(corpus, corpus.labels)


@pytest.fixture(scope="module")
def model(corpus: Corpus) -> Any:
    return fitted("stc", corpus, topics_per_document=1.5)


@pytest.fixture
def kept(model: Any, corpus: Corpus, tmp_path: Path) -> Path:
    return laconic.save(model, tmp_path / "kept.model", corpus=corpus)


def hellinger(codes: np.ndarray, row: int) -> dict[int, float]:
    """Return the Hellinger distance of `row` to each document that shares a topic with it."""
    total = codes.sum(axis=1)
    shares = codes / np.where(total > 0, total, 1)[:, None]
    distances = np.sqrt(((np.sqrt(shares) - np.sqrt(shares[row])) ** 2).sum(axis=1) / 2)
    return {
        other: distances[other]
        for other in range(len(codes))
        if other != row and (codes[other] * codes[row]).any()
    }


# ---- distances ----


# codes of PCP can be negative
@pytest.mark.parametrize("name", [name for name in MODELS if name != "pcp"])
def test_distances_are_hellingers_and_in_order(name: str, corpus: Corpus) -> None:
    model = fitted(name, corpus)
    codes = model.transform(corpus).toarray().astype(np.float64)
    for row in (0, 7, 30):
        expected = hellinger(codes, row)
        table = laconic.similar(model, row, corpus, n=N)
        assert dict(table.schema) == {
            "document": pl.Int64, "id": pl.String, "title": pl.String, "distance": pl.Float64,
        }  # fmt: skip
        found = dict(zip(table["document"], table["distance"], strict=True))
        assert found.keys() == expected.keys()
        assert found == pytest.approx(expected, abs=1e-6)
        assert table["distance"].is_sorted()
        few = laconic.similar(model, row, corpus, n=3)
        assert few.equals(table.head(3))


def test_a_document_is_left_out_of_its_own_list_and_its_twin_is_not(
    model: Any, corpus: Corpus
) -> None:
    first = laconic.similar(model, 7, corpus).row(0, named=True)
    assert first == {"document": N - 1, "id": f"id-{N - 1}", "title": "Title 44", "distance": 0}
    assert laconic.similar(model, N - 1, corpus)["document"][0] == 7


def test_equally_near_documents_stand_by_row() -> None:
    same = [[3, 1, 0, 0]] * 5 + [[0, 0, 2, 2]] * 3
    corpus = Corpus(same, ["a", "b", "c", "d"])
    model = laconic.PLSA(2).fit(corpus)
    table = laconic.similar(model, 2, corpus)
    assert table["document"].to_list()[:4] == [0, 1, 3, 4]
    assert table["distance"].to_list()[:4] == [0] * 4
    assert laconic.similar(model, 2, corpus, n=2)["document"].to_list() == [0, 1]


def test_documents_without_a_topic_are_nobodys_neighbours(model: Any, corpus: Corpus) -> None:
    seen = {
        other
        for row in range(N)
        if row != N - 2
        for other in laconic.similar(model, row, corpus, n=N)["document"]
    }
    assert N - 2 not in seen
    assert 7 in seen
    with refused("'id-88'", "topic"):
        laconic.similar(model, N - 2, corpus)


@pytest.mark.parametrize("positive", [False, True])
def test_signed_codes_are_compared_by_their_angle(positive: bool) -> None:
    """Codes are signed if the topics are signed or if the documents have negative values."""
    corpus = np.random.default_rng(0).normal(size=(N, 20))
    corpus[N - 2] = 0
    model = laconic.SparseLSA(4, positive=positive, alpha=0.0 if not positive else 0.01).fit(corpus)
    codes = model.transform(corpus).toarray().astype(np.float64)
    assert (codes < 0).any()
    lengths = np.linalg.norm(codes, axis=1)
    cosines = codes @ codes[3] / np.where(lengths > 0, lengths, 1) / lengths[3]
    table = laconic.similar(model, 3, corpus, n=N)
    expected = {i: np.sqrt(1 - cosines[i]) for i in range(N) if cosines[i] > 0 and i != 3}
    found = dict(zip(table["document"], table["distance"], strict=True))
    assert found == pytest.approx(expected, abs=1e-6)


def test_a_signed_model_has_one_distance_whatever_its_codes(corpus: Corpus) -> None:
    model = fitted("slsa", corpus, positive=False, alpha=0, codes="projection")
    codes = model.transform(corpus).toarray().astype(np.float64)
    assert (codes >= 0).all()
    a, b = codes[3], codes[4]
    expected = np.sqrt(1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    table = laconic.similar(model, 3, corpus, n=N)
    found = dict(zip(table["document"], table["distance"], strict=True))
    assert found[4] == pytest.approx(expected, abs=1e-6)


def test_blocks_make_no_difference(
    model: Any, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = laconic.similar(model, 7, corpus), laconic.top_documents(model, 1, corpus)
    monkeypatch.setattr(module, "ROWS", 7)
    monkeypatch.setattr("laconic.fitted.document_sums.ROWS", 7)
    blocks = laconic.similar(model, 7, corpus), laconic.top_documents(model, 1, corpus)
    assert all(one.equals(other) for one, other in zip(whole, blocks, strict=True))


def test_codes_are_never_dense(
    model: Any, corpus: Corpus, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    largest = []
    for cls in (sparse.csr_matrix, sparse.csc_matrix):
        densify = cls.toarray

        def counted(self: Any, *args: Any, densify: Any = densify, **more: Any) -> Any:
            largest.append(self.shape[0])
            return densify(self, *args, **more)

        monkeypatch.setattr(cls, "toarray", counted)
        monkeypatch.setattr(cls, "todense", counted)
    laconic.similar(model, 7, corpus)
    laconic.top_documents(laconic.load(kept), 0)
    assert max(largest) == 1  # only the query, which is one row, was made dense


def test_the_form_of_output_that_a_model_is_set_to_does_not_matter(
    model: Any, corpus: Corpus
) -> None:
    dense = copy.deepcopy(model).set_output(transform="polars")
    dense[-1].sparse_output = False
    for table in (laconic.similar, laconic.top_documents):
        assert table(dense, 2, corpus).equals(table(model, 2, corpus))
    assert isinstance(dense.transform(corpus), pl.DataFrame)  # the output setting is unchanged


# ---- ways to name a document ----


def test_a_row_an_id_or_a_title(model: Any, corpus: Corpus) -> None:
    table = laconic.similar(model, 12, corpus[:45])
    assert table.equals(laconic.similar(model, np.int64(12), corpus[:45]))
    assert table.equals(laconic.similar(model, "id-12", corpus[:45]))
    assert table.equals(laconic.similar(model, "Title 12", corpus[:45]))


def test_without_ids_documents_go_by_their_rows(model: Any, corpus: Corpus) -> None:
    plain = Corpus(corpus.counts, corpus.vocabulary)
    table = laconic.similar(model, "12", plain)
    assert table.equals(laconic.similar(model, 12, plain))
    assert table["id"].to_list() == [str(row) for row in table["document"]]
    assert table["title"].to_list() == [None] * len(table)
    with refused("'90'", "0 to 89"):
        laconic.similar(model, "90", plain)


def test_documents_with_one_id_are_told_apart_by_their_rows(model: Any, corpus: Corpus) -> None:
    n = len(corpus)
    twice = Corpus(corpus.counts, corpus.vocabulary, ids=["10", *["7"] * (n - 2), "row:0"])
    with refused("88 documents", "id '7'", "row:1, row:2"):
        laconic.similar(model, "7", twice)
    assert laconic.similar(model, "row:2", twice).equals(laconic.similar(model, 2, twice))
    assert laconic.similar(model, "row:0", twice).equals(
        laconic.similar(model, n - 1, twice)
    )  # an id takes precedence over a row number
    with refused(f"document {n}", f"0 to {n - 1}"):
        laconic.similar(model, f"row:{n}", twice)
    with refused("id", "title", "'row:1x'"):
        laconic.similar(model, "row:1x", twice)


def test_a_new_document(model: Any, corpus: Corpus) -> None:
    words = corpus[7].words
    text = " ".join(word for word, count in words.items() for _ in range(int(count)))
    for document in ([text], corpus[[7]], corpus.counts[[7]]):
        table = laconic.similar(model, document, corpus)
        # documents equal to the query are included
        assert table["document"].to_list()[:2] == [7, N - 1]
        assert table["distance"].to_list()[:2] == [0, 0]


def test_what_can_be_wrong_with_a_document(model: Any, corpus: Corpus) -> None:
    cases = {
        "boo": ("'boo'", "'id-0'"),
        "id_12": ("'id_12'", "'id-12', 'id-"),
        "title 44": ("'title 44'", "'Title 44'"),
        "Title 3": ("2 documents", "'Title 3'", "id-3, id-48"),
        N: ("document 90", "0 to 89", "0 to 89"),
        -1: ("document -1", "0 to 89", "0 to 89"),
    }
    for document, parts in cases.items():
        with refused(*parts):
            laconic.similar(model, document, corpus)
    with refused("similar", "one document", "got 2"):
        laconic.similar(model, ["two", "texts"], corpus)
    with refused("document", "topic"):
        laconic.similar(model, ["nothing known"], corpus)
    with refused("n must", "at least 1", "got 0"):
        laconic.similar(model, 1, corpus, n=0)
    with refused("documents", "corpus="):
        laconic.similar(model, 1)
    with refused("counts", "texts", "laconic.pipeline"):
        laconic.similar(model[-1], ["a text"], corpus)
    twice = Corpus(corpus.counts, corpus.vocabulary, ids=["x"] * N)
    with refused("90 documents", "id 'x'", "row:0, row:1, row:2, …"):
        laconic.similar(model, "x", twice)


def test_a_model_without_topics_has_no_similar_documents(corpus: Corpus) -> None:
    with refused("Weighting", "topics"):
        laconic.similar(laconic.Weighting().fit(corpus), 1, corpus)


def test_names() -> None:
    names = Names.of(["Über", "é", None, "", "ab", "ba", "\ud800", 7])
    assert [names[i] for i in range(8)] == ["Über", "é", "", "", "ab", "ba", "?", "7"]
    assert names.rows_of("é").tolist() == [1]
    assert names.rows_of("").tolist() == [2, 3]
    assert names.rows_of("bb").tolist() == []
    assert names.suggest("bb") == []  # matches across the boundary of "ab" and "ba" do not count
    assert names.suggest("BA") == ["ba"]
    assert names.suggest("uber") == ["Über"]
    assert names.suggest("") == []
    assert (len(Names.of([])), Names.of([]).suggest("x")) == (0, [])


# ---- top documents of a topic ----


@pytest.mark.parametrize("name", MODELS)
def test_top_documents_have_most_of_a_topic(name: str, corpus: Corpus) -> None:
    model = fitted(name, corpus)
    codes = model.transform(corpus).toarray().astype(np.float64)
    for topic in range(4):
        table = laconic.top_documents(model, topic, corpus, n=N)
        has = np.flatnonzero(codes[:, topic] > 0)
        shares = codes[has, topic] / np.abs(codes[has]).sum(axis=1)
        found = dict(zip(table["document"], table["share"], strict=True))
        assert found == pytest.approx(dict(zip(has.tolist(), shares, strict=True)), abs=1e-6)
        worth = table["share"].to_numpy() * codes[table["document"].to_numpy(), topic]
        assert (np.diff(worth) <= 1e-6 * worth.max()).all()
        assert laconic.top_documents(model, topic, corpus, n=2).equals(table.head(2))


def test_a_document_that_hardly_says_anything_is_not_the_top_one() -> None:
    model = laconic.SparseLSA(2, alpha=0.1).fit([[4.0, 2, 0], [4, 3, 0], [0, 0, 2]])
    dog = int(model.transform([[0.0, 0, 1]]).toarray().argmax())
    table = laconic.top_documents(model, dog, np.array([[0.0, 0, 0.1], [0.5, 0, 5]]))
    assert table["document"].to_list() == [1, 0]
    assert table["share"][0] < table["share"][1]


def test_equal_shares_stand_by_weight_and_row() -> None:
    model = laconic.SparseLSA(2, alpha=0.1).fit([[4.0, 2, 0], [4, 3, 0], [0, 0, 2]])
    dog = int(model.transform([[0.0, 0, 1]]).toarray().argmax())
    table = laconic.top_documents(model, dog, np.array([[0.0, 0, 1], [0, 0, 5], [0, 0, 1]]))
    assert table["document"].to_list() == [1, 0, 2]
    assert table["share"].to_list() == [1, 1, 1]


def test_what_can_be_wrong_with_a_topic(model: Any, corpus: Corpus) -> None:
    for topic in (4, -1, "0", 1.5):
        with refused(f"topic {topic!r}", "0 to 3"):
            laconic.top_documents(model, topic, corpus)
    with refused("n must", "at least 1", "got 0"):
        laconic.top_documents(model, 0, corpus, n=0)
    with refused("documents", "corpus="):
        laconic.top_documents(model, 0)


# ---- documents saved with the model ----


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("bare", [False, True], ids=["pipeline", "bare"])
def test_kept_documents_answer_as_the_corpus_does(
    name: str, bare: bool, corpus: Corpus, tmp_path: Path
) -> None:
    model = (
        MODELS[name](n_components=4).fit(corpus, corpus.labels) if bare else fitted(name, corpus)
    )
    laconic.save(model, tmp_path / "a.model", corpus=corpus)
    loaded = laconic.load(tmp_path / "a.model")
    assert laconic.similar(loaded, "id-7").equals(laconic.similar(model, 7, corpus))
    assert laconic.top_documents(loaded, 2).equals(laconic.top_documents(model, 2, corpus))
    with refused("documents", "corpus="):
        laconic.similar(model, "id-7")  # saving does not change the model


def test_another_corpus_may_be_asked(kept: Path, corpus: Corpus) -> None:
    loaded = laconic.load(kept)
    part = corpus[:20]
    assert laconic.similar(loaded, 3, part)["document"].max() < 20
    assert laconic.similar(loaded, corpus[[3]], part)["document"][0] == 3


def test_kept_arrays_stay_in_files_and_are_plain(kept: Path) -> None:
    names = {path.name for path in kept.glob("documents.*")}
    assert names == {
        f"documents.{part}.npy"
        for part in (
            *("codes.data", "codes.indices", "codes.indptr"),
            *("ids.text", "ids.ends", "titles.text", "titles.ends"),
            *("labels.text", "labels.ends"),
        )
    }
    documents = kept_documents(laconic.load(kept))
    for array in (documents.rows.data, documents.ids.text, documents.titles.ends):
        assert isinstance(array, ArrayReader)
    assert documents.codes.dtype == np.float32


def test_saving_again_keeps_the_documents(kept: Path, tmp_path: Path) -> None:
    again = laconic.save(laconic.load(kept), tmp_path / "again.model")
    first = contents(kept)
    assert contents(again) == first
    laconic.save(laconic.load(kept), kept, force=True)
    assert contents(kept) == first


def test_documents_do_not_survive_a_fit(kept: Path, corpus: Corpus, tmp_path: Path) -> None:
    fits: dict[str, Callable[[Any], Any]] = {
        "fit": lambda model: model.fit(corpus),
        "last step": lambda model: model[-1].fit(model[:-1].transform(corpus)),
        "partial_fit": lambda model: model[-1].partial_fit(model[:-1].transform(corpus)),
        "another": lambda model: model.set_params(model=laconic.PLSA(3)).fit(corpus),
    }
    for name, fit in fits.items():
        loaded = laconic.load(kept)
        laconic.similar(loaded, 1)
        fit(loaded)
        with refused("documents", "corpus="):
            laconic.similar(loaded, 1)
        path = laconic.save(loaded, tmp_path / name)
        assert laconic.describe(path)["documents"] == 0
        assert not list(path.glob("documents*"))


@pytest.mark.parametrize("name", MODELS)
def test_documents_do_not_survive_a_fit_of_any_model(
    name: str, corpus: Corpus, tmp_path: Path
) -> None:
    model = MODELS[name](n_components=4).fit(corpus, corpus.labels)
    path = laconic.save(model, tmp_path / "a.model", corpus=corpus)
    for method in ("fit", "partial_fit"):
        loaded = laconic.load(path)
        if not hasattr(loaded, method):
            continue
        getattr(loaded, method)(corpus, corpus.labels)
        with refused("documents", "corpus="):
            laconic.similar(loaded, 1)


def test_documents_survive_copies_but_not_a_clone(kept: Path) -> None:
    from sklearn.base import clone

    loaded = laconic.load(kept)
    expected = laconic.similar(loaded, 1)
    for twin in (copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        assert laconic.similar(twin, 1).equals(expected)
    assert kept_documents(clone(loaded)) is None


def test_new_documents_replace_the_old(kept: Path, corpus: Corpus, tmp_path: Path) -> None:
    path = laconic.save(laconic.load(kept), tmp_path / "b.model", corpus=corpus[:10])
    assert laconic.describe(path)["documents"] == 10


def test_matrices_texts_and_no_documents_at_all(model: Any, corpus: Corpus, tmp_path: Path) -> None:
    laconic.save(model, tmp_path / "matrix", corpus=corpus.counts)
    assert laconic.similar(laconic.load(tmp_path / "matrix"), "7")["document"][0] == N - 1
    texts = [" ".join(document.words) for document in corpus]
    laconic.save(model, tmp_path / "texts", corpus=texts)
    facts = laconic.describe(tmp_path / "texts")
    assert (facts["documents"], facts["document_columns"]) == (N, [])
    laconic.save(model, tmp_path / "none", corpus=corpus[:0])
    loaded = laconic.load(tmp_path / "none")
    assert len(laconic.top_documents(loaded, 0)) == 0
    with refused("document 0"):
        laconic.similar(loaded, 0)


def test_odd_ids_and_titles_return(model: Any, corpus: Corpus, tmp_path: Path) -> None:
    odd = corpus[:3]
    odd = Corpus(
        odd.counts, odd.vocabulary, ids=[5, "", "two\nlines"], titles=["", None, "\\ 🙂 \ud800"]
    )
    documents = kept_documents(laconic.load(laconic.save(model, tmp_path / "a", corpus=odd)))
    assert [documents.id(row) for row in range(3)] == ["5", "1", "two\nlines"]
    assert [documents.title(row) for row in range(3)] == [None, None, "\\ 🙂 ?"]
    assert documents.find("\\ 🙂 \ud800") == 2


def test_a_step_called_documents_is_not_in_the_way(corpus: Corpus, tmp_path: Path) -> None:
    from sklearn.pipeline import Pipeline

    steps = [("documents.ids", laconic.Weighting()), ("documents", laconic.PLSA(3))]
    model = Pipeline(steps).fit(corpus)
    loaded = laconic.load(laconic.save(model, tmp_path / "a", corpus=corpus))
    assert laconic.similar(loaded, "id-7").equals(laconic.similar(model, 7, corpus))


def test_describe_counts_documents_without_reading_them(kept: Path, model: Any) -> None:
    facts = laconic.describe(kept)
    sizes = {path.name: path.stat().st_size for path in kept.iterdir()}
    ours = sum(size for name, size in sizes.items() if name.startswith("documents."))
    assert (facts["documents"], facts["document_columns"]) == (N, ["ids", "titles", "labels"])
    assert (facts["document_bytes"], facts["bytes"]) == (ours, sum(sizes.values()))
    for path in kept.glob("*.npy"):
        path.write_bytes(b"")
    assert laconic.describe(kept)["documents"] == N
    plain = laconic.describe(laconic.save(model, kept.with_name("plain")))
    assert (plain["documents"], plain["document_bytes"]) == (0, 0)


def test_an_unfit_corpus_writes_nothing(model: Any, tmp_path: Path) -> None:
    with refused("1 word)"):
        laconic.save(model, tmp_path / "a", corpus=Corpus([[1]], ["unheard"]))
    with refused("single text"):
        laconic.save(model, tmp_path / "a", corpus="a text")
    assert list(tmp_path.iterdir()) == []


# ---- damaged and hostile folders ----


def header(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        tree = json.loads((folder / "model.json").read_text())
        change(tree["documents"])
        (folder / "model.json").write_text(json.dumps(tree))

    return damage


def array(name: str, make: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        save_array(folder, f"documents.{name}", make(np.load(folder / f"documents.{name}.npy")))

    return damage


def with_nan(data: np.ndarray) -> np.ndarray:
    data[0] = np.nan
    return data


HOSTILE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "missing codes": (lambda f: (f / "documents.codes.data.npy").unlink(), "missing"),
    "missing ids": (lambda f: (f / "documents.ids.text.npy").unlink(), "missing"),
    "another count": (header(lambda d: d.update(count=9)), "9 documents"),
    "no count": (header(lambda d: d.pop("count")), "damaged"),
    "codes of no kind": (header(lambda d: d.update(codes=3)), "4 topics"),
    "codes of another width": (
        header(lambda d: d["codes"].update(shape=[N, 5])), "4 topics",
    ),
    "topics out of range": (array("codes.indices", lambda a: a + 4), "unknown topics"),
    "rows out of order": (array("codes.indptr", lambda a: a[::-1].copy()), "codes.indptr"),
    "finite": (array("codes.data", with_nan), "finite"),
    "other floats": (array("codes.data", lambda a: a.astype(float)), "float32"),
    "path above": (
        header(lambda d: d["ids"]["text"].update(array="../../etc/passwd")), "outside",
    ),
    "too few ids": (
        header(lambda d: d["ids"].update(ends=d["titles"]["text"])), "inconsistent",
    ),
    "ids past the end": (array("ids.ends", lambda a: a + 1), "inconsistent"),
    "ids before the start": (array("ids.ends", lambda a: a - 10), "inconsistent"),
    "ids short of the end": (array("titles.ends", lambda a: a // 2), "inconsistent"),
    "ids backwards": (array("ids.ends", lambda a: a[::-1].copy()), "inconsistent"),
    "ids of words": (header(lambda d: d.update(ids="x")), "damaged"),
    "documents of words": (
        lambda f: (f / "model.json").write_text(
            json.dumps({**json.loads((f / "model.json").read_text()), "documents": "x"})
        ),
        "damaged",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_damaged_documents_get_a_sentence(case: str, kept: Path) -> None:
    damage, problem = HOSTILE[case]
    laconic.load(kept)
    damage(without_manifest(kept))
    golden = problem != "damaged"  # Python wrote a part of these messages
    with refused(str(kept), problem, kind=ModelFileError, golden=golden) as caught:
        kept_documents(laconic.load(kept)).check()  # contents are checked when they are read
    assert "\n" not in str(caught.value)
    with contextlib.suppress(ModelFileError):
        assert laconic.describe(kept)["class"] == "STC"


def test_names_that_are_no_text_get_a_sentence_when_they_are_read(kept: Path) -> None:
    array("titles.text", lambda a: a | 0x80)(without_manifest(kept))
    with refused("name of document", "UTF-8", kind=ModelFileError):
        laconic.similar(laconic.load(kept), "id-7")


def test_documents_of_a_model_without_topics(kept: Path) -> None:
    tree = json.loads((without_manifest(kept) / "model.json").read_text())
    tree["steps"] = tree["steps"][:1]
    (kept / "model.json").write_text(json.dumps(tree))
    with refused(str(kept), "damaged", kind=ModelFileError, golden=False):
        laconic.load(kept)


def test_many_documents_are_compared_block_by_block(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = laconic.similar(laconic.load(kept), "id-7", n=20)
    monkeypatch.setattr("laconic.fitted.document_sums.ROWS", 7)
    assert laconic.similar(laconic.load(kept), "id-7", n=20).equals(few)


def test_tables_of_documents_print_whole_titles(corpus: Corpus) -> None:
    titles = [f"A title of more than thirty-two characters, number {i}" for i in range(N)]
    titled = corpus.replace(titles=titles)
    model = fitted("plsa", titled)
    for table in (
        laconic.similar(model, "id-7", titled, n=15),
        laconic.top_documents(model, 0, titled, n=15),
    ):
        assert isinstance(table, pl.DataFrame)
        assert len(table) == 15
        for text in (str(table), repr(table), table._repr_html_()):
            assert all(title in text for title in table["title"])
