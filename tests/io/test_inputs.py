"""Tests that data as other libraries have them are read without conversion."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils import Bunch

import laconic
from tests.messages import refused

TEXTS = ["the cat sat on the mat", "a dog ran", "", "cat and dog"]
TOKENS = [text.split() for text in TEXTS]
GROUPS = ["a", "b", "a", "b"]
KEYS = ["w", "x", "y", "z"]


# --- tokens ---


@pytest.mark.parametrize(
    "make",
    [list, tuple, pd.Series, pl.Series, pa.array, iter, lambda docs: [np.array(d) for d in docs]],
)
def test_tokens_are_counted_as_they_are(make: Any) -> None:
    corpus = laconic.read(make([["New York", "cat", "cat"], [], ["Cat", "I"]]), stop_words=None)
    assert corpus[0].words == {"New York": 1, "cat": 2}
    assert corpus[2].words == {"Cat": 1, "I": 1}
    assert corpus.n_empty == 1
    assert corpus.texts.tolist() == ["New York cat cat", "", "Cat I"]


def test_settings_that_select_words_apply_to_tokens() -> None:
    corpus = laconic.read(TOKENS, stop_words=["and", "the"], min_df=2, max_df=1.0)
    assert corpus.vocabulary.tolist() == ["cat", "dog"]
    upper = laconic.read([["CAT", "cat"]], lowercase=True, stop_words=None)
    assert upper[0].words == {"cat": 2}
    pairs = laconic.read([["big", "cat"]], ngram_range=(2, 2), stop_words=None)
    assert pairs.vocabulary.tolist() == ["big cat"]


def test_a_model_of_tokens_takes_tokens_and_texts() -> None:
    corpus = laconic.read(TOKENS * 5, stop_words=None)
    model = laconic.pipeline("plsa", n_components=2, random_state=0).fit(corpus)
    tokens = laconic.read([["cat", "CAT", "dog"]], vocabulary=model)
    assert tokens[0].words == {"cat": 1, "dog": 1}
    assert (model.transform(["cat dog"]) != model.transform(tokens)).nnz == 0


def test_tokens_that_are_not_tokens() -> None:
    for documents, options, parts in (
        ([["cat", 3]], {}, ("document 0", "3", "int")),
        ([["cat"], "a dog"], {}, ("document 1", "str", "lists of tokens")),
        ([["cat"]], {"tokenizer": str.split}, ("tokenizer=", "tokens")),
        ([["cat"]], {"text": "body"}, ("text='body'", "no columns")),
        ([("the cat sat on the mat again", "pets")], {}, ("document 0", "is a text", "labels")),
        ([[], []], {}, ("empty lists",)),
    ):
        with refused(*parts):
            laconic.read(documents, **options)


# --- gensim ---


def test_bags_of_words_of_gensim(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    gensim = pytest.importorskip("gensim")
    dictionary = gensim.corpora.Dictionary(TOKENS)
    bags = [dictionary.doc2bow(tokens) for tokens in TOKENS]
    expected = laconic.read(TOKENS, stop_words=None, min_df=1, max_df=1.0)
    path = str(tmp_path / "bags.mm")
    gensim.corpora.MmCorpus.serialize(path, bags, id2word=dictionary)
    stored = gensim.corpora.MmCorpus(path)
    for source, words in (
        (bags, dictionary),
        (iter(bags), dict(dictionary)),
        (bags, dictionary.token2id),
        (stored, dictionary),
    ):
        corpus = laconic.read(source, vocabulary=words)
        assert corpus.counts.dtype == np.int32
        assert (corpus.align(expected.vocabulary).counts != expected.counts).nnz == 0
    weighted = laconic.read(gensim.models.TfidfModel(bags)[bags], vocabulary=dictionary)
    assert weighted.counts.dtype == np.float32
    assert weighted.shape == (4, len(dictionary))
    with caplog.at_level(logging.INFO, "laconic"):
        assert laconic.read(bags).vocabulary is None
    assert any("no names" in line for line in caplog.messages)


def test_a_corpus_of_gensim_may_know_its_words(tmp_path: Path) -> None:
    gensim = pytest.importorskip("gensim")
    dictionary = gensim.corpora.Dictionary(TOKENS)
    bags = [dictionary.doc2bow(tokens) for tokens in TOKENS]
    path = str(tmp_path / "bags.lda-c")
    gensim.corpora.BleiCorpus.serialize(path, bags, id2word=dictionary)
    corpus = laconic.read(gensim.corpora.BleiCorpus(path))
    assert corpus[0].words == {"cat": 1, "mat": 1, "on": 1, "sat": 1, "the": 2}
    aligned = laconic.read(gensim.corpora.BleiCorpus(path), vocabulary=laconic.read(["dog cat"]))
    assert aligned.vocabulary.tolist() == ["cat", "dog"]
    assert aligned.counts.toarray().tolist() == [[1, 0], [0, 1], [0, 0], [1, 1]]


def test_bags_of_words_that_do_not_fit() -> None:
    for bags, options, parts in (
        ([[(0, 1), (5, 2)]], {"vocabulary": ["cat", "dog"]}, ("word number 5", "2 words")),
        ([[(0, 1)]], {"vocabulary": {0: "cat", 7: "dog"}}, ("from 0 to 1", "compactify")),
        ([[(0, 1)], [(-1, 2)]], {}, ("document 1", "word number, count")),
        ([[(0, 1)], [(0.5, 2)]], {}, ("document 1", "word number, count")),
        ([[(0, 1)]], {"min_df": 2}, ("min_df=", "already counted")),
        ([[(0, -1)]], {}, ("negative",)),
    ):
        with refused(*parts):
            laconic.read(bags, **options)


# --- tables ---


def frames() -> dict[str, Any]:
    columns = {"body": TEXTS, "group": GROUPS, "n": [1, 2, 3, 4]}
    arrow = pa.table(columns)
    return {
        "dict of lists": columns,
        "dict of arrays": {name: np.array(values) for name, values in columns.items()},
        "list of dicts": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values())],  # noqa: B905
        "pandas": pd.DataFrame(columns),
        "pandas with an index": pd.DataFrame(columns, index=pd.Index(KEYS, name="key")),
        "pandas with two levels": pd.DataFrame(columns).set_index(["group", "n"], drop=False),
        "polars": pl.DataFrame(columns),
        "arrow table": arrow,
        "arrow batch": arrow.to_batches()[0],
    }


@pytest.mark.parametrize("name", frames())
def test_tables(name: str) -> None:
    corpus = laconic.read(frames()[name], text="body", label="group")
    assert corpus.texts.tolist() == TEXTS
    assert corpus.labels.tolist() == GROUPS
    assert (None if corpus.ids is None else corpus.ids.tolist()) == (
        KEYS if name == "pandas with an index" else None
    )


def test_indices_of_pandas() -> None:
    frame = pd.DataFrame({"body": TEXTS}, index=pd.MultiIndex.from_arrays([KEYS, GROUPS]))
    frame.index.names = ["key", "group"]
    corpus = laconic.read(frame, id="key", label="group")
    assert corpus.ids.tolist() == KEYS
    assert corpus.labels.tolist() == GROUPS
    assert laconic.read(pd.Series(TEXTS, index=KEYS)).ids.tolist() == KEYS
    assert laconic.read(pd.Series(TEXTS, index=[3, 1, 4, 5])).ids is None
    assert laconic.read(pd.Series(TEXTS, index=["a", "a", "b", "c"])).ids is None


def test_names_of_pandas() -> None:
    levels = pd.MultiIndex.from_tuples([("post", "body"), ("post", "group"), ("n", "")])
    frame = pd.DataFrame([["a cat", "x", 1], ["dog", "y", 2]], columns=levels)
    corpus = laconic.read(frame, text="post.body", label="post.group")
    assert corpus.labels.tolist() == ["x", "y"]
    twice = pd.DataFrame([["a cat", "x"]], columns=["text", "text"])
    with refused("2 columns", "'text'", kind=laconic.ReadError):
        laconic.read(twice)
    with refused("2 columns", "'text'", kind=laconic.ReadError):
        laconic.read(pa.table([["a cat"], ["x"]], names=["text", "text"]))


def test_columns_of_different_length() -> None:
    with refused("same length", "'text' has 1", "'group' has 2", kind=laconic.ReadError):
        laconic.read({"text": ["cat"], "group": [1, 2]})


def test_column_that_was_taken_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "laconic"):
        laconic.read({"review": TEXTS, "n": [1, 2, 3, 4]})
    assert "table: text from the column 'review'" in caplog.messages


def test_datasets_of_hugging_face() -> None:
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])}
    )
    columns = {"text": TEXTS, "label": [0, 1, -1, 1]}
    dataset = datasets.Dataset.from_dict(columns, features=features)
    for source in (dataset, dataset.with_format("numpy"), dataset.to_iterable_dataset()):
        corpus = laconic.read(source, label="label")
        assert corpus.texts.tolist() == TEXTS
        assert corpus.labels.tolist() == ["neg", "pos", "", "pos"]
    chosen = laconic.read(dataset.select([3, 0]), label="label")
    assert chosen.texts.tolist() == [TEXTS[3], TEXTS[0]]
    with refused("'train', 'test'", "dataset['train']"):
        laconic.read(datasets.DatasetDict({"train": dataset, "test": dataset}))


def test_bunches_of_scikit_learn() -> None:
    bunch = Bunch(data=TEXTS, target=np.array([0, 1, 0, 1]), target_names=["cats", "dogs"])
    assert laconic.read(bunch).labels.tolist() == ["cats", "dogs", "cats", "dogs"]
    numbers = Bunch(data=TEXTS, target=np.array([7, 8, 7, 8]))
    assert laconic.read(numbers).labels.tolist() == [7, 8, 7, 8]
    counts = Bunch(data=np.eye(2), target=None, feature_names=["cat", "dog"])
    assert laconic.read(counts).vocabulary.tolist() == ["cat", "dog"]
    with refused("document 0", "bytes", "load_files"):
        laconic.read(Bunch(data=[b"cat"], target=np.array([0])))


# --- tables of numbers ---


def counts_frame() -> pd.DataFrame:
    vectorizer = CountVectorizer()
    counts = vectorizer.fit_transform(TEXTS)
    words = vectorizer.get_feature_names_out()
    return pd.DataFrame(counts.toarray(), columns=words, index=KEYS)


def test_frames_of_counts() -> None:
    frame = counts_frame()
    sparse = pd.DataFrame.sparse.from_spmatrix(
        sp.csr_matrix(frame.to_numpy()), index=KEYS, columns=frame.columns
    )
    polars = pl.DataFrame({"id": KEYS, **{name: frame[name].to_list() for name in frame}})
    for source in (frame, sparse, polars):
        corpus = laconic.read(source, id=None if source is not polars else "id")
        assert corpus.ids.tolist() == KEYS
        assert corpus[0].words == {"cat": 1, "mat": 1, "on": 1, "sat": 1, "the": 2}
    assert laconic.read(frame.assign(y=GROUPS), label="y").labels.tolist() == GROUPS


def test_dicts_of_counts() -> None:
    corpus = laconic.read([{"cat": 2}, {}, {"dog": 1, "cat": 1}])
    assert corpus.vocabulary.tolist() == ["cat", "dog"]
    assert corpus.counts.toarray().tolist() == [[2, 0], [0, 0], [1, 1]]


def expression(n_genes: int = 200) -> pl.DataFrame:
    values = np.random.default_rng(0).poisson(3, (12, n_genes))
    genes = {f"GENE{number}": values[:, number] for number in range(n_genes)}
    return pl.DataFrame({"sample": [f"S{row}" for row in range(12)], **genes})


def test_a_frame_of_numbers_is_not_text() -> None:
    frame = expression()
    for source in (frame, frame.to_pandas(), frame.with_columns(tissue=pl.lit("lung"))):
        with refused("200 columns of numbers", "format='matrix'", "transpose=True", "text="):
            laconic.read(source)
    corpus = laconic.read(frame, format="matrix")
    assert corpus.ids.tolist() == frame["sample"].to_list()
    assert corpus.vocabulary.tolist() == frame.columns[1:]
    assert corpus.counts.toarray().tolist() == frame.drop("sample").to_numpy().tolist()
    sideways = frame.drop("sample").transpose(include_header=True, header_name="gene")
    turned = laconic.read(sideways, format="matrix", transpose=True)
    assert turned.vocabulary.tolist() == corpus.vocabulary.tolist()
    assert (turned.counts != corpus.counts).nnz == 0
    assert turned.ids.tolist() == [f"column_{row}" for row in range(12)]


def test_matrices_that_cannot_be_counts() -> None:
    frame = counts_frame().astype(float)
    for value, parts in (
        (np.nan, ("1 value is missing", "'x'", "'mat'", "SimpleImputer")),
        (-0.5, ("'x'", "'mat'", "-0.5", "negative", "SparseLSA")),
        (np.inf, ("'x'", "'mat'", "infinite")),
    ):
        bad = frame.copy()
        bad.loc["x", "mat"] = value
        with refused(*parts, kind=laconic.ReadError):
            laconic.read(bad)
    for options, parts in (
        ({"min_df": 2}, ("min_df=", "already counted")),
        ({"format": "matrix", "text": "cat"}, ("text='cat'", "word")),
        ({"label": "y"}, ("no column 'y'",)),
        ({"transpose": True, "label": "cat"}, ("label=", "transpose=True")),
    ):
        with refused(*parts, kind=laconic.ReadError):
            laconic.read(frame, **options)
    with refused("no column names the rows", "id=", kind=laconic.ReadError):
        laconic.read(frame.reset_index(drop=True), transpose=True)
    with refused("'n'", "found 'few'", kind=laconic.ReadError):
        laconic.read(frame.assign(n=["1", "2", "few", "3"]), format="matrix")


def test_matrix_on_its_side() -> None:
    counts = np.array([[1, 0, 5], [2, 3, 0]])
    for source in (counts, sp.csr_matrix(counts)):
        corpus = laconic.read(source, transpose=True, vocabulary=["cat", "dog"])
        assert corpus[2].words == {"cat": 5}
    assert laconic.read(counts.tolist()).shape == (2, 3)


# --- AnnData ---


def cells() -> Any:
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(sp.csr_matrix(np.array([[1, 0, 2], [0, 3, 1]], dtype=np.float32)))
    data.obs_names, data.var_names = ["c1", "c2"], ["TP53", "MYC", "GAPDH"]
    data.obs["kind"] = pd.Categorical(["T cell", None])
    data.layers["scaled"] = data.X.toarray() - 1
    return data


def test_anndata(tmp_path: Path) -> None:
    data = cells()
    path = tmp_path / "cells.h5ad"
    data.write_h5ad(path)
    anndata = pytest.importorskip("anndata")
    backed = anndata.read_h5ad(path, backed="r")
    for source in (data, path, backed, data[:, :]):
        corpus = laconic.read(source, label="kind", title="kind")
        assert corpus.ids.tolist() == ["c1", "c2"]
        assert corpus.labels.tolist() == ["T cell", ""]
        assert corpus[1].words == {"MYC": 3, "GAPDH": 1}
    backed.file.close()
    aligned = laconic.read(data, vocabulary=["MYC", "TP53"])
    assert aligned.vocabulary.tolist() == ["MYC", "TP53"]


def test_anndata_that_cannot_be_read(tmp_path: Path) -> None:
    data = cells()
    for options, parts in (
        ({"layer": "counts"}, ("no layer 'counts'", "scaled")),
        ({"layer": "scaled"}, ("'scaled'", "negative", "layers: scaled")),
        ({"label": "knd"}, ("no column 'knd'", "'kind'?")),
        ({"text": "kind"}, ("text='kind'", "not texts")),
        ({"transpose": True}, ("transpose=", "AnnData")),
    ):
        with refused(*parts, kind=laconic.ReadError):
            laconic.read(data, **options)
    path = tmp_path / "cells.h5ad"
    path.write_bytes(b"not HDF5")
    with refused(str(path), "AnnData file", kind=laconic.ReadError, golden=False):
        laconic.read(path)


def test_a_gene_may_occur_twice() -> None:
    data = cells()
    data.var_names = ["TP53", "TP53-1", "TP53"]
    assert laconic.read(data).vocabulary.tolist() == ["TP53", "TP53-1", "TP53-2"]


# --- options and mistakes ---


def test_a_list_of_file_names_is_not_a_list_of_documents(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_text("text\ncat\n")
    with refused("name of a file", "pathlib.Path", "posts/*.csv"):
        laconic.read([str(path)])


def test_options_of_other_inputs() -> None:
    for source, options, parts in (
        (["cat"], {"delimiter": ";"}, ("delimiter=", "CSV")),
        (["cat"], {"transpose": True}, ("transpose=", "a matrix")),
        ({"text": ["cat"]}, {"sheet": "Posts"}, ("sheet=", "Excel")),
        (laconic.read(["cat"]), {"transpose": True}, ("transpose=", "a Corpus")),
        (np.eye(2), {"layer": "counts"}, ("layer=", "AnnData")),
    ):
        with refused(*parts):
            laconic.read(source, **options)


# --- labels and ids that are probably a mistake ---


@pytest.mark.parametrize(
    ("labels", "part"),
    [
        ([f"{day}-MAR-1987 01:49:03" for day in range(1, 26)], "look like dates"),
        ([f"1999-12-{day:02d}" if day > 1 else "12/1/1999" for day in range(1, 26)], "'12/1/1999'"),
        ([f"key{number}" for number in range(25)], "25 of 25 labels are different"),
        ([f"1999-12-{day:02d} 10:00" for day in range(1, 26)], None),
        ([str(1980 + year) for year in range(25)], None),
        (["a", "b"] * 12 + ["c"], None),
    ],
)
def test_labels_that_nobody_shares(
    labels: list[str], part: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    laconic.read({"text": ["a cat", "a dog"] * 12 + ["emu"], "y": labels}, label="y")
    warnings = [line.getMessage() for line in caplog.records if line.levelname == "WARNING"]
    assert len(warnings) == (part is not None)
    assert part is None or part in warnings[0]


def test_missing_labels_and_repeated_ids(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "laconic"):
        laconic.read({"text": TEXTS, "y": ["a", None, None, "b"], "id": [1, 2, 1, 1]}, label="y")
    assert "dict: 2 of 4 documents have no label" in caplog.messages
    assert any("1 id" in line and "'1' (3 times)" in line for line in caplog.messages)


def test_nothing_is_said_about_new_documents(caplog: pytest.LogCaptureFixture) -> None:
    fitted = laconic.read(TEXTS, stop_words=None)
    laconic.read({"text": TEXTS, "id": [1, 1, 1, 1]}, vocabulary=fitted)
    assert not [line for line in caplog.records if line.levelname == "WARNING"]
