"""Tests of converting several files on a real Dask cluster."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic.io import convert
from laconic.io.distributed import GROUP_BYTES, Files, groups
from tests.clusters import local_cluster
from tests.messages import refused

pytest.importorskip("distributed")
WORDS = ["apple", "banana", "cherry", "damson", "elder", "fig", "grape", "hazel", "iris", "juniper"]


def write_archive(folder: Path, n_files: int = 5) -> list[Path]:
    """Write files of different formats and lengths; one of them has no documents with words."""
    random = np.random.default_rng(0)
    files = []
    for number in range(n_files):
        rows = [
            {
                "id": f"{number}-{row}",
                "label": int(random.integers(3)),
                "body": " ".join(random.choice(WORDS, 12)) + f" only{number} the and of",
            }
            for row in range(10 + 7 * number)
        ]
        if number == 2:
            rows[3]["body"] = ""
        files.append(folder / f"part-{number}.jsonl{'.gz' if number % 2 else ''}")
        text = "".join(json.dumps(row) + "\n" for row in rows)
        compress = gzip.compress if number % 2 else bytes
        files[-1].write_bytes(compress(text.encode()))
    return files


@pytest.fixture(scope="module")
def cluster():  # type: ignore[no-untyped-def]
    from distributed import Client

    with local_cluster(2) as local, Client(local, set_as_default=False):
        yield local.scheduler_address


@pytest.mark.parametrize(
    "settings",
    [{}, {"keep_texts": False}, {"phrases": True, "min_df": 1}, {"lemmatizer": "english"}],
)
def test_a_cluster_writes_the_same_store(
    tmp_path: Path, cluster: str, monkeypatch: pytest.MonkeyPatch, settings: dict[str, object]
) -> None:
    files = write_archive(tmp_path)
    monkeypatch.setattr("laconic.io.distributed.GROUP_BYTES", 500)
    options = {"text": "body", "label": "label", **settings}
    alone = convert(files, tmp_path / "alone.corpus", **options)
    shared = convert(files, tmp_path / "shared.corpus", engine=cluster, **options)
    for name in ("counts.data", "counts.indices", "counts.indptr"):
        one, other = (tmp_path / f"{kind}.corpus" / f"{name}.npy" for kind in ("alone", "shared"))
        assert one.read_bytes() == other.read_bytes()
    assert shared.vocabulary.tolist() == alone.vocabulary.tolist()
    assert shared.ids.tolist() == alone.ids.tolist()
    assert shared.labels.tolist() == alone.labels.tolist()
    assert (shared.texts is None) == (alone.texts is None)
    assert shared.texts is None or list(shared.texts) == list(alone.texts)
    assert shared.vectorizer == alone.vectorizer
    assert not (tmp_path / "shared.corpus" / "parts").exists()


def test_an_error_names_the_file_and_leaves_nothing(tmp_path: Path, cluster: str) -> None:
    files = write_archive(tmp_path)
    with files[4].open("a") as file:
        file.write("{broken\n")
    with refused("part-4.jsonl", "line 39"):
        convert(files, tmp_path / "new.corpus", text="body", engine=cluster)
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name for file in files]


def test_counts_are_refused_among_texts(tmp_path: Path, cluster: str) -> None:
    files = write_archive(tmp_path, 2)
    matrix = tmp_path / "part-9.mtx"
    laconic.write(laconic.Corpus([[1, 2]], ["a", "b"]), matrix)
    with refused("part-9.mtx", "matrixmarket"):
        convert([*files, matrix], tmp_path / "new.corpus", text="body", engine=cluster)


def test_one_file_needs_no_cluster(tmp_path: Path) -> None:
    [file] = write_archive(tmp_path, 1)
    corpus = convert(file, tmp_path / "one.corpus", text="body", engine="tcp://127.0.0.1:1")
    assert len(corpus) == 10


def test_an_unknown_engine_is_refused(tmp_path: Path) -> None:
    with refused("engine", "thread", "threads"):
        convert(["a b"], tmp_path / "x.corpus", engine="thread")


def test_small_files_are_read_together(tmp_path: Path) -> None:
    paths = []
    for number, size in enumerate([10, 30, 60, 5, 5, 200, 1]):
        paths.append(str(tmp_path / f"{number}"))
        Path(paths[-1]).write_bytes(bytes(size))
    assert groups(paths, 40) == [
        Files(0, paths[:2]), Files(1, paths[2:3]), Files(2, paths[3:6]), Files(3, paths[6:]),
    ]  # fmt: skip
    assert len(groups(paths)) == 1
    assert GROUP_BYTES > 266
