"""Published exploits of model formats, and other ways to take memory or time, are refused at once.

Other hostile folders are in ``test_damaged.py``, hostile headers of arrays in
``tests/files/test_array_headers.py``.
"""

from __future__ import annotations

import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import laconic
from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError, ModelFileError
from laconic.files.arrays import save_array
from laconic.saving.models import load, save
from tests.saving.examples import fitted, without_manifest

MEMORY = 300 << 20  # no refusal may take more


@pytest.fixture(scope="module")
def model(planted: Corpus) -> Any:
    return fitted("plsa", True, planted, None)


@pytest.fixture
def folder(model: Any, planted: Corpus, tmp_path: Path) -> Path:
    return without_manifest(save(model, tmp_path / "a.model", corpus=planted))


@pytest.fixture
def store(planted: Corpus, tmp_path: Path) -> Path:
    texts = [f"text {row}" for row in range(len(planted))]
    return without_manifest(planted.replace(labels=None, texts=texts).save(tmp_path / "a.corpus"))


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()  # zero if the test has stopped it
    tracemalloc.stop()
    assert peak < MEMORY


def rewrite(folder: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    header = json.loads((folder / "model.json").read_text())
    change(header)
    (folder / "model.json").write_text(json.dumps(header))


def attributes(folder: Path) -> Callable[..., None]:
    return lambda **values: rewrite(
        folder, lambda header: header["steps"][-1]["attributes"].update(values)
    )


# --- JSON ----------------------------------------------------------------------------------------

JSON = {
    "a gigabyte": (None, "larger than 64 MB"),
    "three million entries": ('{"a": [' + "0," * 3_000_000 + "0]}", "more than 2,000,000 entries"),
    "deep lists": ('{"a": ' + "[" * 60 + "]" * 60 + "}", "nested more than 50"),
    "very deep lists": ("[" * 100_000, "nested more than 50"),
    "very deep objects": ('{"a":' * 100_000, "nested more than 50"),
    "key twice": ('{"format": 1, "format": 2}', "key 'format' twice"),
    "NaN": ('{"format": NaN}', "NaN, which is not valid"),
    "infinity": ('{"format": -Infinity}', "-Infinity, which is not valid"),
    "number too large": ('{"format": 1e400}', "too large"),
    "integer of 5000 digits": ('{"format": ' + "9" * 5000 + "}", "damaged"),
    "integer of 200 bits": (f'{{"format": {2**200}}}', "more than 128 bits"),
    "long key": ('{"' + "a" * 1000 + '": 1}', "more than 500 characters"),
    "lone surrogates": ('{"format": "\\ud800"}', "no valid format number"),
    "UTF-16": ('{"format": 1}'.encode("utf-16"), "damaged"),
}


@pytest.mark.parametrize("file", ["model.json", "notes.json"])
@pytest.mark.parametrize("case", JSON)
def test_hostile_json(case: str, file: str, folder: Path) -> None:
    data, message = JSON[case]
    path = folder / file
    if data is None:
        path.write_bytes(b"{")
        os.truncate(path, 1 << 30)  # A sparse file takes no space on disk.
    else:
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(ModelFileError, match=message) as error:
        load(folder)
    assert file in str(error.value)


def test_entries_by_the_hundred_thousand(folder: Path) -> None:
    tracemalloc.stop()  # It would take most of the time.
    attributes(folder)(**{f"a{number}_": 1 for number in range(100_000)})
    with pytest.raises(ModelFileError, match=r"100,0\d\d attributes"):
        load(folder)
    rewrite(folder, lambda header: header.update(steps=[{}] * 100_000))
    with pytest.raises(ModelFileError, match="100,000 steps"):
        load(folder)


# --- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "file",
    ["model.json", "manifest.json", "notes.json", "vocabulary.txt", "model.components_.npy"],
)
def test_a_pipe_or_a_device_does_not_hang(file: str, folder: Path) -> None:
    (folder / file).unlink(missing_ok=True)
    os.mkfifo(folder / file)
    with pytest.raises(ModelFileError, match="not a regular file"):
        load(folder)
    (folder / file).unlink()
    (folder / file).symlink_to("/dev/zero")
    with pytest.raises(ModelFileError, match="symbolic link"):
        load(folder)


@pytest.mark.parametrize("file", ["documents.parquet", "counts.data.npy", "vocabulary.txt"])
def test_a_pipe_in_a_store_does_not_hang(file: str, store: Path) -> None:
    (store / file).unlink()
    os.mkfifo(store / file)
    with pytest.raises(LaconicError):
        laconic.read(store)


def test_a_huge_vocabulary(folder: Path) -> None:
    os.truncate(folder / "vocabulary.txt", 3 << 30)
    with pytest.raises(ModelFileError, match="too large for a list of words"):
        load(folder)


@pytest.mark.parametrize("name", ["../model", "a" * 300, "a/../../b", "", "a\x00b", "C:\\x"])
def test_names_of_files(name: str, folder: Path) -> None:
    attributes(folder)(topic_shares_={"array": name, "dtype": "<f8", "shape": [4]})
    with pytest.raises(ModelFileError):
        load(folder)


# --- shapes --------------------------------------------------------------------------------------


def empty_csr(folder: Path, n_rows: int, n_columns: int, **more: Any) -> dict[str, Any]:
    """Write a CSR matrix without entries."""
    save_array(folder, "bomb.data", np.zeros(0, np.float32))
    save_array(folder, "bomb.indices", np.zeros(0, np.int32))
    save_array(folder, "bomb.indptr", np.zeros(n_rows + 1, np.int32))
    return {"csr": "bomb", "dtype": "<f4", "shape": [n_rows, n_columns], "matrix": True, **more}


def test_a_tiny_sparse_matrix_that_is_dense_in_memory(folder: Path) -> None:
    attributes(folder)(components_=empty_csr(folder, 100_000, 100_000_000, dense=True))
    with pytest.raises(ModelFileError, match="100000 x 100000000"):
        load(folder)
    attributes(folder)(components_=empty_csr(folder, 4, 10**15, dense=True))
    with pytest.raises(ModelFileError, match="columns"):
        load(folder)


def test_more_topics_than_a_model_can_have(folder: Path) -> None:
    save_array(folder, "many", np.zeros((3_000_000, 0), np.float32))
    attributes(folder)(
        components_={"array": "many", "dtype": "<f4", "shape": [3_000_000, 0]}, n_features_in_=0
    )
    with pytest.raises(ModelFileError):
        load(folder)


@pytest.mark.parametrize("shape", [[-1], ["4"], [4.0], [True], 4, None, [[4]], [10**30]])
def test_shapes_that_are_none(shape: Any, folder: Path) -> None:
    header = json.loads((folder / "model.json").read_text())
    tree = header["steps"][-1]["attributes"]["topic_shares_"]
    attributes(folder)(topic_shares_={**tree, "shape": shape})
    with pytest.raises(ModelFileError):
        load(folder)


# --- columns of stores ---------------------------------------------------------------------------


def test_a_column_that_fills_the_memory(
    store: Path, planted: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("laconic.corpus.stored_columns.MAX_TEXT", 1 << 20)
    pl.DataFrame({"texts": ["x" * 100_000] * len(planted)}).write_parquet(
        store / "documents.parquet"
    )
    assert (store / "documents.parquet").stat().st_size < 100_000
    corpus = laconic.read(store)
    with pytest.raises(ModelFileError, match="bytes of memory"):
        _ = corpus.texts


def test_rows_by_the_million(store: Path) -> None:
    pl.DataFrame({"texts": ["x"]}).select(
        pl.col("texts").repeat_by(5_000_000).explode()
    ).write_parquet(store / "documents.parquet")
    with pytest.raises(ModelFileError, match="5000000"):
        _ = laconic.read(store).texts


@pytest.mark.parametrize(
    "values", [[["a"]], [{"a": 1}], [b"\xff"]], ids=["lists", "objects", "bytes"]
)
def test_columns_of_other_types(values: list[Any], store: Path, planted: Corpus) -> None:
    pl.DataFrame({"texts": values * len(planted)}).write_parquet(store / "documents.parquet")
    with pytest.raises(ModelFileError, match="have the type"):
        _ = laconic.read(store).texts


# --- what never comes from a file ----------------------------------------------------------------


def test_paths_and_engines_never_come_from_a_file(
    planted: Corpus, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = without_manifest(save(fitted("slsa", False, planted, None), tmp_path / "a.model"))
    secret = tmp_path / "secret.gmt"
    os.mkfifo(secret)  # Reading the file would hang.
    rewrite(
        folder,
        lambda header: header["steps"][0]["params"].update(
            groups=str(secret), engine="tcp://127.0.0.1:1", checkpoint=str(tmp_path)
        ),
    )
    loaded = load(folder)
    assert loaded.groups is None
    assert loaded.engine == "threads"
    assert "groups" in caplog.text
    loaded.partial_fit(planted)


def test_a_path_of_groups_is_not_saved(planted: Corpus, tmp_path: Path) -> None:
    gmt = tmp_path / "sets.gmt"
    gmt.write_text("first\tabout\t" + "\t".join(map(str, planted.vocabulary[:9])) + "\n")
    model = laconic.SparseLSA(3, groups=str(gmt), max_iter=3, tol=1.0).fit(planted)
    folder = save(model, tmp_path / "a.model")
    assert str(gmt) not in (folder / "model.json").read_text()
    assert load(folder).group_names_[0] == "first"


def test_a_token_pattern_is_bounded(folder: Path) -> None:
    for pattern in ("(" * 5000, "a{99999999999}", "(", 7, "(a)(b)", "x" * 2000):
        rewrite(folder, lambda h, p=pattern: h["steps"][0]["params"].update(token_pattern=p))
        with pytest.raises(ModelFileError):
            load(folder)
