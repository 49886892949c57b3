"""Bad input gets one sentence on standard error, status 1, and no traceback."""

from __future__ import annotations

import json
import os
import resource
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import laconic

from .running import Run, real_run


def sentence(run: Run, *arguments: object) -> str:
    """The one line a failing command prints."""
    result = run(*arguments, status=1)
    assert result.stdout == ""
    assert result.stderr.startswith("laconic: error: ")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    assert "this is a bug" not in result.stderr
    return result.stderr.removeprefix("laconic: error: ").strip()


MTX = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 "

BAD_INPUTS: dict[str, tuple[str, str | bytes, str, str]] = {
    # name, content, options, what the sentence says
    "broken JSON": (
        "a.jsonl",
        '{"text": "a cat"}\n' * 16 + '{"text": oops}\n',
        "",
        "a.jsonl, line 17: broken JSON",
    ),
    "no such column": (
        "a.csv",
        "body,group\ncat,1\n",
        "--text boddy",
        "there is no column 'boddy'; the columns are: body, group; did you mean 'body'?",
    ),
    "which column": ("a.csv", "a,b\nx,y\n", "", "name it with --text (columns: a, b)"),
    "binary": ("a.txt", b"\x7fELF\x00\x01", "", "this is binary data, not text"),
    "not UTF-8": (
        "a.txt",
        b"caf\xe9\n",
        "",
        'is not UTF-8; give the encoding of the file, for example --encoding="latin-1"',
    ),
    "unknown encoding": ("a.txt", "cat", "--encoding no", "--encoding='no' is not known"),
    "NaN": ("a.mtx", MTX + "nan\n", "", "finite"),
    "infinite": ("a.mtx", MTX + "inf\n", "", "finite"),
    "negative": ("a.mtx", MTX + "-1\n", "", "must not be negative"),
    "empty": ("a.txt", "", "", "a.txt: "),
    "no words left": (
        "a.txt",
        "cat dog\nemu fox\n",
        "--min-df 2 --max-df 1.0",
        "--min-df=2 removed 4 of 4 words; lower --min-df or raise --max-df",
    ),
    "too few documents": (
        "a.txt",
        "cat dog\nemu cat\n",
        "",
        "raise --max-df or lower --min-df",
    ),
    "bad pattern": ("a.txt", "cat\n", "--token-pattern (", "--token-pattern"),
    "stop words": ("a.txt", "cat\n", "--stop-words klingon", "is not a known language"),
    "no stop word file": ("a.txt", "cat\n", "--stop-words no.txt", "no.txt: no such file"),
    "unknown ending": ("a.xyz", "cat\n", "", "give --format one of folder, lines, csv"),
}


@pytest.mark.parametrize("case", BAD_INPUTS)
def test_bad_inputs(run: Run, case: str) -> None:
    name, content, options, expected = BAD_INPUTS[case]
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert expected in sentence(run, "fit", name, "-q", "-o", "m", *options.split())
    assert not Path("m").exists()


def test_missing_and_empty_places(run: Run) -> None:
    Path("folder").mkdir()
    Path("posts.jsonl").touch()
    assert sentence(run, "fit", "post.jsonl", "-o", "m") == (
        "post.jsonl: no such file or folder; did you mean posts.jsonl?"
    )
    assert sentence(run, "info", "no/such/file").startswith("no/such/file: no such file")
    assert sentence(run, "fit", "folder", "-o", "m").startswith("folder: ")
    assert sentence(run, "fit", "posts.jsonl", "-o", "no/m").endswith("make it first")


def test_vocabulary_and_matrix_disagree(run: Run) -> None:
    Path("a.mtx").write_text(MTX + "1\n")
    Path("a.vocab").write_text("one\ntwo\nthree\n")
    problem = sentence(run, "fit", "a.mtx", "-q", "-o", "m")
    assert "the matrix has 2 columns, but the vocabulary a.vocab has 3 words" in problem
    assert "give the --vocabulary that belongs to it" in problem


def test_a_model_for_a_corpus_and_the_other_way_round(run: Run, model: Path, posts: Path) -> None:
    run("convert", posts, "posts.corpus", "--text", "body")
    assert sentence(run, "topics", "posts.corpus") == (
        "posts.corpus: is a corpus, not a model; see it with laconic info"
    )
    assert sentence(run, "fit", model, "-o", "m").endswith(
        "see it with laconic topics or laconic info"
    )
    assert "no such folder" in sentence(run, "topics", "nothing.model")
    Path("file").write_text("x")
    sentence(run, "topics", "file")


def test_no_word_in_common(run: Run, model: Path) -> None:
    laconic.Corpus([[1]], ["zebra"]).save("other")
    assert "None of the 1 words of this corpus" in sentence(run, "transform", model, "other")


def truncate(folder: Path) -> None:
    largest = max(folder.glob("*.npy"), key=lambda file: file.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-10])


def remove(folder: Path) -> None:
    next(folder.glob("*.npy")).unlink()


def newer(folder: Path) -> None:
    header = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps({**header, "format": 99}))


def garbage(folder: Path) -> None:
    (folder / "model.json").write_bytes(b"\xff\x00{")


def hide_a_pickle(folder: Path) -> None:
    file = next(folder.glob("*.npy"))
    with file.open("wb") as stream:
        np.save(stream, np.array([Explosive()], dtype=object), allow_pickle=True)


def lead_outside(folder: Path) -> None:
    text = (folder / "model.json").read_text()
    (folder / "model.json").write_text(text.replace('"vocabulary"', '"../../etc/passwd"'))


def lie_about_a_shape(folder: Path) -> None:
    text = (folder / "model.json").read_text()
    (folder / "model.json").write_text(text.replace("      30\n", "      3000\n"))


class Explosive:
    """Would end the test run if anything ever unpickled it."""

    def __reduce__(self) -> tuple[Callable[[int], object], tuple[int]]:
        return os._exit, (3,)


DAMAGES = [truncate, remove, newer, garbage, hide_a_pickle, lead_outside, lie_about_a_shape]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("command", ["topics", "transform", "senses", "classify", "info"])
def test_damaged_and_hostile_models(
    run: Run, model: Path, posts: Path, command: str, damage: Callable[[Path], None]
) -> None:
    shutil.copytree(model, "bad")
    damage(Path("bad"))
    document = [posts, "--text", "body"]
    more = {"transform": document, "classify": document, "senses": ["cat"]}.get(command, [])
    assert "bad" in sentence(run, command, "bad", *more)


def test_a_full_disk_leaves_the_old_model_whole(tmp_path: Path, model: Path, posts: Path) -> None:
    old = tmp_path / "old.model"
    shutil.copytree(model, old)
    before = sorted((file.name, file.read_bytes()) for file in old.iterdir())

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    done = real_run(
        "fit", str(posts), "--text", "body", "-k", "2", "-o", str(old), "--force",
        preexec_fn=small_disk,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1].startswith(f"laconic: error: {old}: cannot be written")
    assert "Traceback" not in done.stderr
    assert sorted((file.name, file.read_bytes()) for file in old.iterdir()) == before
    assert os.listdir(tmp_path) == ["old.model"]


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "npz"])
def test_a_full_disk_leaves_no_codes(ending: str, tmp_path: Path, model: Path, posts: Path) -> None:
    output = tmp_path / f"codes.{ending}"
    done = real_run(
        "transform", str(model), str(posts), "--text", "body", "-o", str(output),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"laconic: error: {output}: cannot be written: File too large"
    )
    assert os.listdir(tmp_path) == []


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    done = real_run("topics", "x", "--debug", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")
    assert done.stderr.rstrip().endswith("ModelFileError: x: there is no such folder")


def test_debug_can_be_asked_for_anywhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (["topics", "x", "--debug"], ["--debug", "topics", "x"]):
        assert isinstance(run(*arguments, status=1).exception, laconic.ModelFileError)
    monkeypatch.setenv("LACONIC_DEBUG", "1")
    assert isinstance(run("topics", "x", status=1).exception, laconic.ModelFileError)


def test_a_bug_says_that_it_is_one(run: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("laconic.models.topics.topics", broken)
    result = run("topics", model, status=1)
    assert result.stderr == (
        "laconic: error: KeyError: 'oops' (this is a bug; --debug shows where it happened)\n"
    )
