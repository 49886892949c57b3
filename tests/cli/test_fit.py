"""``laconic fit``: what it saves, what it says, and how it stops."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import laconic
from laconic.cli.reading import DEFAULTS
from laconic.cli.writers import WRITERS
from laconic.io import BAGS, READERS
from laconic.persistence import describe

from .running import THEMES, Run, documents, environment, real_run


def test_the_saved_model_takes_raw_text(model: Path) -> None:
    fitted = laconic.load(model)
    codes = fitted.transform(["the cat in the oven", "storm and wind"]).toarray()
    assert codes.shape == (2, 3)
    words = laconic.topics(fitted)["words"].to_list()
    assert all(any(set(topic) <= set(theme) for theme in THEMES.values()) for topic in words)


def test_the_summary(run: Run, posts: Path) -> None:
    result = run("fit", posts, "--text", "body", "-k", 3, "-o", "my model")
    lines = dict(line.split("  ", 1) for line in result.stdout.splitlines())
    assert lines["documents"].strip() == "60"
    assert lines["words"].strip() == "30"
    assert lines["topics"].strip().startswith("3, ")
    assert lines["passes"].endswith("converged")
    assert lines["saved"].strip().startswith("my model (")
    assert "laconic: stop words: none (guessed from 720 words)" in result.stderr
    assert "Next: laconic topics 'my model'" in result.stderr


def test_json_is_one_object_with_stable_keys(run: Run, posts: Path) -> None:
    result = run("fit", posts, "--text", "body", "-k", 3, "-o", "m", "--json")
    facts = json.loads(result.stdout)
    assert list(facts) == [
        "model", "documents", "empty_documents", "words", "topics", "nonzeros", "zeros", "passes",
        "converged", "interrupted", "seconds", "output", "bytes", "document_bytes",
        "index_bytes",
    ]  # fmt: skip
    assert (facts["model"], facts["documents"], facts["topics"]) == ("slsa", 60, 3)
    assert facts["converged"] is True
    assert facts["interrupted"] is False


def test_quiet_says_nothing(run: Run, posts: Path) -> None:
    result = run("fit", posts, "--text", "body", "-k", 3, "-o", "m", "-q")
    assert (result.stdout, result.stderr) == ("", "")


def test_verbose_says_each_pass(run: Run, posts: Path) -> None:
    result = run("fit", posts, "--text", "body", "-k", 3, "-o", "m", "-v")
    assert "laconic: SparseLSA: pass 1" in result.stderr


def test_options_reach_model_weighting_and_vectorizer(run: Run, posts: Path) -> None:
    run(
        "fit", posts, "--text", "body", "--text", "title", "-o", "m", "-k", 2, "--alpha", "0.01",
        "--signed", "--init", "random", "--max-iter", 150, "--tol", "1e-3", "--seed", 7,
        "--engine", "serial", "--jobs", 1, "--weighting", "tfidf", "--stop-words", "none",
        "--min-df", 3, "--max-df", "0.9", "--max-features", 25, "--ngrams", "1-2",
        "--token-pattern", r"[a-zA-Z]+", "--no-lowercase", "--strip-accents", "unicode",
    )  # fmt: skip
    facts = describe("m")
    asked = {
        "n_components": 2, "alpha": 0.01, "positive": False, "init": "random", "max_iter": 150,
        "tol": 0.001, "random_state": 7, "n_jobs": 1, "verbose": 0,
    }  # fmt: skip
    assert facts["parameters"].items() >= asked.items()
    assert facts["steps"]["weighting"]["scheme"] == "tfidf"
    text = facts["steps"]["text"]
    assert (text["min_df"], text["max_df"], text["max_features"]) == (3, 0.9, 25)
    assert (text["stop_words"], text["lowercase"], text["strip_accents"]) == (
        None,
        False,
        "unicode",
    )
    assert list(text["ngram_range"]) == [1, 2]
    assert facts["words"] == 25


def test_defaults_for_texts(model: Path) -> None:
    text = describe(model)["steps"]["text"]
    assert (text["min_df"], text["max_df"]) == (DEFAULTS["min_df"], DEFAULTS["max_df"])
    assert text["stop_words"] is None  # too few words to tell the language


def test_stop_words_from_a_file_and_by_language(run: Run, posts: Path) -> None:
    Path("stop.txt").write_text("cat\npurr\n")
    run("fit", posts, "--text", "body", "-k", 2, "-o", "a", "--stop-words", "stop.txt")
    assert describe("a")["words"] == 28
    run("fit", posts, "--text", "body", "-k", 2, "-o", "b", "--stop-words", "de")
    assert describe("b")["steps"]["text"]["stop_words"] == "german"


def test_the_language_that_was_found_is_said(run: Run) -> None:
    words = "the cat and the dog were in the house of a friend with all of their toys"
    Path("a.txt").write_text(f"{words}\n" * 50 + "cat dog\nhouse toys\nfriend\n" * 60)
    result = run("fit", "a.txt", "-k", 1, "-o", "m")
    assert "laconic: stop words: english" in result.stderr


@pytest.mark.parametrize("name", READERS)
def test_every_format_is_known_as_text_or_as_counts(name: str) -> None:
    source = inspect.getsource(READERS[name])
    refuses_settings = "refuse_settings" in source or "refuse_options" in source
    assert refuses_settings == (name in BAGS)


@pytest.mark.parametrize("format", WRITERS)
def test_bags_of_words_get_no_settings_for_text(run: Run, posts: Path, format: str) -> None:
    run("convert", posts, "bag.txt", "--text", "body", "--to", format)
    run("fit", "bag.txt", "--format", format, "-k", 2, "-o", "m")
    assert describe("m")["words"] == 30
    result = run("fit", "bag.txt", "--format", format, "-o", "n", "--min-df", 2, status=1)
    assert "--min-df says how to count words in text" in result.stderr


def test_standard_input(tmp_path: Path) -> None:
    texts = "".join(document["body"] + "\n" for document in documents())
    done = real_run("fit", "-", "-k", "3", "-o", "m", input=texts, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "documents  60" in done.stdout
    table = "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 2\n2 2 1\n2 3 1\n"
    done = real_run("fit", "-", "-k", "1", "-o", "n", input=table, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "words      3" in done.stdout


def test_warnings_are_one_line_in_terms_of_options(run: Run, posts: Path) -> None:
    given = ("fit", posts, "--text", "body", "-q")
    slow = run(*given, "-k", 3, "-o", "m", "--max-iter", 1)
    assert slow.stderr == (
        "laconic: warning: SparseLSA did not converge in 1 passes; raise --max-iter or tol.\n"
    )
    many = run(*given, "-k", 500, "-o", "n")
    assert many.stderr.startswith("laconic: warning: 500 topics were asked for")
    assert "lower --topics" in many.stderr
    assert all(line.startswith("laconic: ") for line in many.stderr.splitlines())


def test_an_output_that_exists_is_refused_before_the_work(run: Run, model: Path) -> None:
    before = sorted((file.name, file.read_bytes()) for file in model.iterdir())
    result = run("fit", "no such input", "-o", model, status=1)
    assert result.stderr == f"laconic: error: {model}: exists; give --force to replace it\n"
    assert sorted((file.name, file.read_bytes()) for file in model.iterdir()) == before


def test_force_replaces_a_model_but_nothing_else(run: Run, posts: Path) -> None:
    for topics in (2, 3):
        run("fit", posts, "--text", "body", "-k", topics, "-o", "m", "--force")
        assert describe("m")["parameters"]["n_components"] == topics
    Path("mine").mkdir()
    Path("mine", "thesis.doc").write_text("years of work")
    result = run("fit", posts, "--text", "body", "-o", "mine", "--force", status=1)
    assert "which laconic did not write; it is not replaced" in result.stderr
    assert Path("mine", "thesis.doc").read_text() == "years of work"


USAGE = {
    "model": (["-m", "lda"], "'lda' is not known; give one of slsa"),
    "format": (["--format", "doc"], "'doc' is not known; give one of folder, lines, csv"),
    "weighting": (["--weighting", "bm25"], "'bm25' is not known; give one of counts"),
    "init": (["--init", "x"], "'x' is not known; give one of pivot"),
    "engine": (["--engine", "gpu"], "'gpu' is not known; give one of serial, threads, dask"),
    "topics": (["-k", "0"], "'0' is not a whole number of 1 or more"),
    "alpha": (["--alpha", "nan"], "'nan' is not a number of 0 or more"),
    "min_df": (["--min-df", "1.5"], "'1.5' is neither a whole number nor a share"),
    "max_df": (["--max-df", "many"], "'many' is neither a whole number nor a share"),
    "ngrams": (["--ngrams", "2-1"], "'2-1' is not a range"),
    "ngrams text": (["--ngrams", "a"], "'a' is not a range such as 1-2"),
    "unknown": (["--colour"], "--colour"),
}


@pytest.mark.parametrize("case", USAGE)
def test_usage_errors(run: Run, posts: Path, case: str) -> None:
    options, sentence = USAGE[case]
    result = run("fit", posts, "-o", "m", *options, status=2)
    assert sentence in result.stderr
    assert result.stdout == ""
    assert not Path("m").exists()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_saves_the_model_so_far(tmp_path: Path, posts: Path) -> None:
    process = subprocess.Popen(
        [
            sys.executable, "-c", ENDLESS, "fit", str(posts), "--text", "body", "-k", "3", "-v",
            "--max-iter", "1000000", "-o", "m",
        ],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "pass 3" in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "laconic: warning: SparseLSA was stopped after" in err
    assert "Traceback" not in err
    assert ", interrupted" in out
    fitted = laconic.load(tmp_path / "m")
    assert fitted[-1].converged_ is False
    assert fitted.transform(["the cat"]).shape == (1, 3)


# The command line on a model whose passes never converge, so that there is time for Ctrl-C.
ENDLESS = """
import time
from laconic.models.base import Update
from laconic.models.procrustes import Procrustes

once = Procrustes.update

def for_ever(self, stats):
    time.sleep(0.01)
    return once(self, stats)._replace(converged=False)

Procrustes.update = for_ever

from laconic.cli.main import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_before_the_fit_writes_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "laconic", "fit", "-", "-o", "m", "--debug"],
        cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write("cat purr\n" * 20_000)  # more than a pipe holds: it is being read by then
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert (out, err) == ("", "laconic: interrupted; nothing was written\n")
    assert list(tmp_path.iterdir()) == []
