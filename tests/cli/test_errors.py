"""Invalid input leads to a one-line message on standard error, status 1 and no traceback."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import laconic
from laconic.io import READERS
from tests.saving.examples import without_manifest

from .running import Result, Run, mentions, real_run


def sentence(run: Run, *arguments: object, golden: bool = True) -> Result:
    """Run a command that must fail with a one-line error message."""
    result = run(*arguments, status=1, golden=golden)
    assert result.stdout == ""
    assert result.stderr.startswith("laconic: error: ")
    assert result.stderr.endswith("\n")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    assert "this is a bug" not in result.stderr
    return result


MTX = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 "

BAD_INPUTS: dict[str, tuple[str, str | bytes, str, tuple[str, ...]]] = {
    # file name, content, options, parts of the message
    "broken JSON": (
        "a.jsonl",
        '{"text": "a cat"}\n' * 16 + '{"text": oops}\n',
        "",
        ("a.jsonl", "line 17", "JSON"),
    ),
    "no such column": (
        "a.csv",
        "body,group\ncat,1\n",
        "--text boddy",
        ("a.csv", "'boddy'", "body, group", "'body'?"),
    ),
    "which column": ("a.csv", "a,b\nx,y\n", "", ("a.csv", "--text", "a, b")),
    "binary": ("a.txt", b"\x7fELF\x00\x01", "", ("a.txt", "binary")),
    "not UTF-8": ("a.txt", b"caf\xe9\n", "", ("a.txt", "0xe9", "UTF-8", "--encoding latin-1")),
    "unknown encoding": ("a.txt", "cat", "--encoding no", ("--encoding no", "utf-8")),
    "NaN": ("a.mtx", MTX + "nan\n", "", ("a.mtx", "NaN", "finite")),
    "infinite": ("a.mtx", MTX + "inf\n", "", ("a.mtx", "infinite")),
    "negative": ("a.mtx", MTX + "-1\n", "", ("a.mtx", "negative")),
    "empty": ("a.txt", "", "", ("a.txt: ", "empty")),
    "no words left": (
        "a.txt",
        "cat dog\nemu fox\n",
        "--min-df 2 --max-df 1.0",
        ("--min-df=2", "4 of 4 words", "lower --min-df", "raise --max-df"),
    ),
    "bad pattern": ("a.txt", "cat\n", "--token-pattern (", ("--token-pattern", "'('")),
    "stop words": ("a.txt", "cat\n", "--stop-words klingon", ("klingon", "english")),
    "no stop word file": ("a.txt", "cat\n", "--stop-words no.txt", ("no.txt", "no such file")),
    "unknown ending": (
        "a.xyz",
        "cat\n",
        "",
        ("a.xyz", "'.xyz'", "--format", "folder, lines, csv"),
    ),
}
# Cases in which a part of the message is worded by another library.
ELSEWHERE = {"broken JSON", "bad pattern", "stop words"}


@pytest.mark.parametrize("case", BAD_INPUTS)
def test_bad_inputs(run: Run, case: str) -> None:
    name, content, options, parts = BAD_INPUTS[case]
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    arguments = ("fit", name, "-q", "-o", "m", *options.split())
    mentions(sentence(run, *arguments, golden=case not in ELSEWHERE), *parts)
    assert not Path("m").exists()


def test_missing_and_empty_places(run: Run) -> None:
    Path("folder").mkdir()
    Path("posts.jsonl").touch()
    mentions(sentence(run, "fit", "post.jsonl", "-o", "m"), "error: post.jsonl: ", "posts.jsonl?")
    mentions(sentence(run, "info", "no/such/file"), "error: no/such/file: ", "no such file")
    mentions(sentence(run, "fit", "folder", "-o", "m"), "error: folder: ")
    mentions(sentence(run, "fit", "posts.jsonl", "-o", "no/m"), "no/m: ", "does not exist")


def test_vocabulary_and_matrix_disagree(run: Run) -> None:
    Path("a.mtx").write_text(MTX + "1\n")
    Path("a.vocab").write_text("one\ntwo\nthree\n")
    problem = sentence(run, "fit", "a.mtx", "-q", "-o", "m")
    mentions(problem, "a.mtx", "2 columns", "a.vocab", "3 words", "--vocabulary")


def test_a_model_for_a_corpus_and_the_other_way_round(run: Run, model: Path, posts: Path) -> None:
    run("convert", posts, "-o", "posts.corpus", "--text", "body")
    mentions(sentence(run, "topics", "posts.corpus"), "posts.corpus: ", "corpus", "laconic info")
    fit = sentence(run, "fit", model, "-o", "m")
    mentions(fit, "posts.model: ", "model", "laconic topics", "laconic info")
    mentions(sentence(run, "topics", "nothing.model"), "nothing.model: ", "no such folder")
    Path("file").write_text("x")
    mentions(sentence(run, "topics", "file"), "error: file: ")


def test_no_word_in_common(run: Run, model: Path) -> None:
    laconic.Corpus([[1]], ["zebra"]).save("other")
    mentions(sentence(run, "transform", model, "other"), "1 word)", "30 words")


def truncate(folder: Path) -> None:
    largest = max(folder.glob("*.npy"), key=lambda file: file.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-10])


def remove(folder: Path) -> None:
    next(folder.glob("*.npy")).unlink()


def newer(folder: Path) -> None:
    header = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    (folder / "model.json").write_text(json.dumps({**header, "format": 99}))


def garbage(folder: Path) -> None:
    (folder / "model.json").write_bytes(b"\xff\x00{")


def hide_a_pickle(folder: Path) -> None:
    file = next(folder.glob("*.npy"))
    with file.open("wb") as stream:
        np.save(stream, np.array([Explosive()], dtype=object), allow_pickle=True)


def lead_outside(folder: Path) -> None:
    text = (folder / "model.json").read_text(encoding="utf-8")
    (folder / "model.json").write_text(text.replace('"vocabulary"', '"../../etc/passwd"'))


def lie_about_a_shape(folder: Path) -> None:
    text = (folder / "model.json").read_text(encoding="utf-8")
    (folder / "model.json").write_text(text.replace("      30\n", "      3000\n"))


class Explosive:
    """An object that ends the test process if it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[int], object], tuple[int]]:
        return os._exit, (3,)


DAMAGES = [truncate, remove, newer, garbage, hide_a_pickle, lead_outside, lie_about_a_shape]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("command", ["topics", "transform", "senses", "classify", "info"])
def test_damaged_and_hostile_models(
    run: Run, model: Path, posts: Path, command: str, damage: Callable[[Path], None]
) -> None:
    shutil.copytree(model, "bad")
    damage(without_manifest(Path("bad")))
    document = [posts, "--text", "body"]
    more = {"transform": document, "classify": document, "senses": ["cat"]}.get(command, [])
    mentions(sentence(run, command, "bad", *more, golden=False), "bad")


@contextmanager
def small_disk(size: int) -> Iterator[None]:
    """Limit the size of files to `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_a_full_disk_leaves_the_old_model_whole(run: Run, model: Path, posts: Path) -> None:
    old = shutil.copytree(model, "old.model")
    before = contents(Path(old))
    given = ("fit", posts, "--text", "body", "-k", 2, "-o", old, "--force", "-q")
    with small_disk(600):
        result = sentence(run, *given, golden=False)
    mentions(result, "error: old.model: ", os.strerror(errno.EFBIG))
    assert contents(Path(old)) == before
    assert os.listdir() == ["old.model"]


@pytest.mark.filterwarnings(  # older versions of NumPy do not close the archive
    "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "npz"])
def test_a_full_disk_leaves_no_codes(ending: str, run: Run, model: Path, posts: Path) -> None:
    output = f"codes.{ending}"
    with small_disk(100):
        given = ("transform", model, posts, "--text", "body", "-o", output)
        result = sentence(run, *given, golden=False)
    mentions(result, f"error: {output}: ", os.strerror(errno.EFBIG))
    assert os.listdir() == []


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    done = real_run("topics", "x", "--debug", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("Traceback")
    assert "ModelFileError: x: " in done.stderr.splitlines()[-1]


def test_debug_can_be_asked_for_anywhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments in (["topics", "x", "--debug"], ["--debug", "topics", "x"]):
        assert isinstance(run(*arguments, status=1).exception, laconic.ModelFileError)
    monkeypatch.setenv("LACONIC_DEBUG", "1")
    assert isinstance(run("topics", "x", status=1).exception, laconic.ModelFileError)


def test_a_bug_says_that_it_is_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise KeyError("oops")

    monkeypatch.setitem(READERS, "lines", broken)
    Path("a.txt").write_text("cat\n")
    result = run("info", "a.txt", status=1)
    mentions(result, "laconic: error: KeyError: 'oops'", "bug", "--debug")
    assert result.stderr.count("\n") == 1
