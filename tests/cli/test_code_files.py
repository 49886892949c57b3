"""Tests of codes that are written part by part."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

from laconic.cli.code_files import CODE_WRITERS, CodesPart, codes_of
from laconic.cli.outputs import PART_WRITERS
from laconic.corpus.corpus import Corpus
from laconic.datasets import make_topics
from laconic.models.sparse_lsa.estimator import SparseLSA


def parts(n_parts: int, with_ids: bool = True) -> list[CodesPart]:
    whole = sp.random(40, 5, density=0.4, format="csr", dtype=np.float32, random_state=0)
    ids = np.array([f"{'x' * (row % 7)}{row}" for row in range(40)], dtype=object)
    bounds = np.linspace(0, 40, n_parts + 1).astype(int).tolist()
    return [
        CodesPart(start, whole[start:stop], ids[start:stop] if with_ids else None)
        for start, stop in pairwise(bounds)
    ]


@pytest.mark.parametrize("with_ids", [True, False])
def test_parts_give_the_same_files_as_a_whole(with_ids: bool) -> None:
    for ending, write in CODE_WRITERS.items():
        files = [BytesIO(), BytesIO()]
        for file, n_parts in zip(files, (1, 5), strict=True):
            write(parts(n_parts, with_ids), file)
            file.seek(0)
        if ending == ".npz":
            matrices = [sp.load_npz(file) for file in files]
            assert (matrices[0] != matrices[1]).nnz == 0
            assert matrices[1].dtype == np.float32
            assert matrices[1].indices.dtype == np.int32
            names = [np.load(BytesIO(file.getvalue())).get("ids") for file in files]
            assert np.array_equal(*names)
            assert with_ids == (names[0] is not None)
        elif ending == ".parquet":
            tables = [pl.read_parquet(file) for file in files]
            assert tables[0].equals(tables[1])
            assert tables[0]["id"].dtype == (pl.String if with_ids else pl.Int64)
        else:
            assert files[0].getvalue() == files[1].getvalue()


def test_a_part_without_topics_has_no_rows() -> None:
    empty = CodesPart(0, sp.csr_matrix((3, 2), dtype=np.float32))
    for ending in (".csv", ".parquet"):
        file = BytesIO()
        CODE_WRITERS[ending](
            [empty, CodesPart(3, sp.csr_matrix(np.eye(2, dtype=np.float32)))], file
        )
        read = pl.read_csv if ending == ".csv" else pl.read_parquet
        assert read(file.getvalue())["id"].to_list() == [3, 4]


def test_codes_and_ids_of_a_corpus_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.corpus.chunks.CHUNK_ROWS", 16)
    made, _ = make_topics(60, 80, 3, words_per_topic=10)
    corpus = made.replace(ids=[f"d{row}" for row in range(60)])
    model = SparseLSA(n_components=3).fit(corpus)
    stored = Corpus.open(corpus.save(tmp_path / "small.corpus"))
    found = list(codes_of(model, stored))
    assert max(len(part.ids) for part in found) <= 16
    assert np.concatenate([part.ids for part in found]).tolist() == corpus.ids.tolist()
    assert (sp.vstack([part.codes for part in found]) != model.transform(corpus)).nnz == 0
    best = sp.vstack([part.codes for part in codes_of(model, stored, top=1)])
    assert best.getnnz(axis=1).max() == 1


def test_tables_in_parts() -> None:
    tables = [
        pl.DataFrame({"id": ["a"], "margin": [0.5]}),
        pl.DataFrame({"id": ["b"], "margin": [2.0]}),
    ]
    for ending in (".csv", ".parquet"):
        file = BytesIO()
        PART_WRITERS[ending](iter(tables), file)
        read = pl.read_csv if ending == ".csv" else pl.read_parquet
        assert read(file.getvalue()).equals(pl.concat(tables))
