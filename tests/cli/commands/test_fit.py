"""Tests of ``laconic fit``: what it saves, what it prints, and how it stops."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

import laconic
from laconic.io.write import WRITERS
from laconic.saving.describe import describe
from tests.cli.running import PATIENCE, THEMES, Run, documents, mentions, real_run, started
from tests.messages import check

KILLED = 137


def test_the_saved_model_takes_raw_text(model: Path) -> None:
    fitted = laconic.load(model)
    codes = fitted.transform(["the cat in the oven", "storm and wind"]).toarray()
    assert codes.shape == (2, 3)
    words = [topic.words for topic in laconic.topics(fitted)]
    assert all(any(set(topic) <= set(theme) for theme in THEMES.values()) for topic in words)


def test_the_summary(run: Run, posts: Path) -> None:
    result = run("fit", posts, "--text", "body", "-k", 3, "-o", "my model")
    lines = dict(line.split("  ", 1) for line in result.stdout.splitlines())
    assert lines["documents"].strip() == "60"
    assert lines["words"].strip() == "30"
    assert lines["topics"].strip().startswith("3, ")
    assert lines["passes"].endswith("converged")
    assert lines["size"].strip().endswith("for search")
    mentions(
        result, "Wrote 'my model' (", "stop words", "none", "720 words", "laconic topics 'my model'"
    )


def test_json_is_one_object_with_stable_keys(run: Run, posts: Path) -> None:
    result = run("fit", posts, "--text", "body", "-k", 3, "-o", "m", "--json")
    facts = json.loads(result.stdout)
    assert list(facts) == [
        "model", "documents", "empty_documents", "words", "topics", "nonzeros", "zeros", "passes",
        "converged", "topics_per_document", "alpha", "weak_topics", "interrupted", "seconds",
        "output", "bytes", "document_bytes", "index_bytes",
    ]  # fmt: skip
    assert (facts["model"], facts["documents"], facts["topics"]) == ("sc", 60, 3)
    assert facts["converged"] is True
    assert facts["interrupted"] is False


def test_quiet_says_nothing(run: Run, posts: Path) -> None:
    result = run("fit", posts, "--text", "body", "-k", 3, "-o", "m", "-q")
    assert (result.stdout, result.stderr) == ("", "")


def test_verbose_says_each_pass(run: Run, posts: Path) -> None:
    result = run("fit", posts, "--text", "body", "-k", 3, "-o", "m", "-v")
    mentions(result, "SparseCoding", "pass 1")


def test_options_reach_model_weighting_and_vectorizer(run: Run, posts: Path) -> None:
    run(
        "fit", posts, "--text", "body", "--text", "title", "-o", "m", "-k", 2, "--alpha", "0.01",
        "-m", "slsa", "--signed", "--init", "random", "--max-iter", 150, "--tol", "1e-3",
        "--seed", 7,
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
    assert (text["min_df"], text["max_df"]) == (2, 1.0)  # of 60 documents
    assert text["stop_words"] is None  # too few words to detect the language


def test_stop_words_from_a_file_and_by_language(run: Run, posts: Path) -> None:
    Path("stop.txt").write_text("cat\npurr\n")
    run("fit", posts, "--text", "body", "-k", 2, "-o", "a", "--stop-words", "stop.txt")
    assert describe("a")["words"] == 28
    run("fit", posts, "--text", "body", "-k", 2, "-o", "b", "--stop-words", "de")
    assert describe("b")["steps"]["text"]["stop_words"] == "german"


def test_lemmas_and_phrases(run: Run) -> None:
    texts = ["The topic models of New York work", "A topic model in New York works", "Old cats"]
    Path("a.txt").write_text("\n".join([*texts, "The cat and the dog sleep on the mat"] * 10))
    run("fit", "a.txt", "-k", 2, "--lemmas", "--phrases")
    text = describe("a.model")["steps"]["text"]
    assert (text["lemmatizer"], text["phrases"]) == ("english", True)
    words = laconic.load("a.model")["text"].vocabulary_.tolist()
    assert {"new york", "topic model"} <= set(words)
    assert "models" not in words
    assert "new york" in run("topics", "a.model").stdout


def test_languages_without_spaces(run: Run) -> None:
    pytest.importorskip("icu4py")
    sentences = ["自然语言处理是计算机科学的一个领域。", "我们在北京学习数学和科学。"]
    Path("a.txt").write_text("\n".join(sentences * 10))
    run("fit", "a.txt", "-k", 2, "--min-df", 1)
    assert "科学" in laconic.load("a.model")["text"].vocabulary_
    Path("b.txt").write_text("one two\nthree\n")
    result = run("fit", "b.txt", "-k", 1, "--tokenizer", "icu", "-o", "icu")
    mentions(result, "no search index", "stop words")  # all words are stop words of English
    assert describe("icu")["steps"]["text"]["tokenizer"] == "icu"


def test_the_language_that_was_found_is_said(run: Run) -> None:
    words = "the cat and the dog were in the house of a friend with all of their toys"
    Path("a.txt").write_text(f"{words}\n" * 50 + "cat dog\nhouse toys\nfriend\n" * 60)
    result = run("fit", "a.txt", "-k", 1, "-o", "m")
    mentions(result, "stop words", "english")


@pytest.mark.parametrize("format", WRITERS)
def test_bags_of_words_get_no_settings_for_text(run: Run, posts: Path, format: str) -> None:
    run("convert", posts, "-o", "bag.txt", "--text", "body", "--to", format)
    run("fit", "bag.txt", "--format", format, "-k", 2, "-o", "m")
    assert describe("m")["words"] == 30
    result = run("fit", "bag.txt", "--format", format, "-o", "n", "--min-df", 2, status=1)
    mentions(result, "bag.txt", "--min-df")


def test_standard_input(run: Run) -> None:
    texts = "".join(document["body"] + "\n" for document in documents())
    done = real_run("fit", "-", "-k", "3", "-o", "m", input=texts)
    assert done.returncode == 0, done.stderr
    assert "documents  60" in done.stdout
    table = "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 2\n2 2 1\n2 3 1\n"
    assert "words      3" in run("fit", "-", "-k", 1, "-o", "n", input=table).stdout


def test_warnings_are_one_line_in_terms_of_options(run: Run, posts: Path) -> None:
    given = ("fit", posts, "--text", "body", "-q")
    slow = run(*given, "-k", 3, "-o", "m", "--max-iter", 1, golden=True)
    mentions(slow, "laconic: warning: ", "SparseCoding", "1 pass;", "--max-iter")
    assert slow.stderr.count("\n") == 1
    many = run(*given, "-k", 500, "-o", "n")
    mentions(many, "laconic: warning: 500 topics", "lower --topics")
    assert all(line.startswith("laconic: ") for line in many.stderr.splitlines())


def test_an_output_that_exists_is_refused_before_the_work(run: Run, model: Path) -> None:
    before = sorted((file.name, file.read_bytes()) for file in model.iterdir())
    result = run("fit", "no such input", "-o", model, status=1)
    mentions(result, f"laconic: error: {model}: ", "exists", "--force")
    assert sorted((file.name, file.read_bytes()) for file in model.iterdir()) == before


def test_force_replaces_a_model_but_nothing_else(run: Run, posts: Path) -> None:
    for topics in (2, 3):
        run("fit", posts, "--text", "body", "-k", topics, "-o", "m", "--force")
        assert describe("m")["parameters"]["n_components"] == topics
    Path("mine").mkdir()
    Path("mine", "thesis.doc").write_text("years of work")
    result = run("fit", posts, "--text", "body", "-o", "mine", "--force", status=1)
    mentions(result, "mine", "thesis.doc")
    assert Path("mine", "thesis.doc").read_text(encoding="utf-8") == "years of work"


USAGE = {
    "model": (["-m", "lda"], ("'-m' / '--model'", "'lda'", "slsa, plsa")),
    "format": (["--format", "doc"], ("'--format'", "'doc'", "folder, lines, csv")),
    "weighting": (["--weighting", "bm25"], ("'--weighting'", "'bm25'", "counts, ")),
    "init": (["--init", "x"], ("'--init'", "'x'", "pivot")),
    "engine": (["--engine", "gpu"], ("'--engine'", "'gpu'", "serial, threads, dask")),
    "topics": (["-k", "0"], ("'-k' / '--topics'", "'0'", " 1 ")),
    "alpha": (["--alpha", "nan"], ("'--alpha'", "'nan'", " 0 ")),
    "min_df": (["--min-df", "1.5"], ("'--min-df'", "'1.5'", "integer", "share")),
    "max_df": (["--max-df", "many"], ("'--max-df'", "'many'", "integer", "share")),
    "ngrams": (["--ngrams", "2-1"], ("'--ngrams'", "'2-1'", "range")),
    "ngrams text": (["--ngrams", "a"], ("'--ngrams'", "'a'", " 1-2")),
    "unknown": (["--colour"], ("--colour",)),
}


@pytest.mark.parametrize("case", USAGE)
def test_usage_errors(run: Run, posts: Path, case: str) -> None:
    options, parts = USAGE[case]
    result = run("fit", posts, "-o", "m", *options, status=2, golden=case != "unknown")
    mentions(result, *parts)
    assert result.stdout == ""
    assert not Path("m").exists()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_saves_the_model_so_far(tmp_path: Path, posts: Path) -> None:
    options = ("--text", "body", "-k", "3", "-v", "-o", "m")
    with started("fit", str(posts), *options, code=ENDLESS, cwd=tmp_path) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "for ever" in line:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    check(err, "laconic: warning: SparseCoding", "interrupted after", golden=False)
    assert "Traceback" not in err
    assert ", interrupted" in out
    fitted = laconic.load(tmp_path / "m")
    assert fitted[-1].converged_ is False
    assert fitted.transform(["the cat"]).shape == (1, 3)


# A program that runs the command line, but never returns from logging the end of the first pass.
ENDLESS = """
import logging, sys, threading

class Endless(logging.Handler):
    def emit(self, record):
        if "pass 1" in record.getMessage():
            print("for ever", file=sys.stderr, flush=True)
            never = threading.Event()
            while not never.wait(0.1):  # short waits, so that Ctrl-C is noticed
                pass

logging.getLogger("laconic").addHandler(Endless())

from laconic.cli.main import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_before_the_fit_writes_nothing(tmp_path: Path) -> None:
    options = ("-o", "m", "--debug")
    with started("fit", "-", *options, cwd=tmp_path, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        # More than a pipe can buffer, so the command is reading when write() returns.
        process.stdin.write("cat purr\n" * 20_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert out == ""
    check(err.rstrip("\n"), "laconic: interrupted", "nothing was written")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_killed_fit_continues_from_its_checkpoint(run: Run, posts: Path, monkeypatch) -> None:
    fit = ("fit", posts, "--text", "body", "-m", "plsa", "-k", 3, "--tol", 0, "--max-iter", 6)
    run(*fit, "-o", "whole.model")
    with monkeypatch.context() as patch:
        patch.setattr("laconic.saving.models.write_folder", _die)
        run(*fit, "-o", "continued.model", "--checkpoint", "states", status=KILLED)
    assert len(list(Path("states").iterdir())) == 1  # until the model has been saved
    result = run(*fit, "-o", "continued.model", "--checkpoint", "states")
    mentions(result, "continues after 6 passes", "states")
    assert not list(Path("states").iterdir())
    topics = "model.components_.npy"
    assert Path("continued.model", topics).read_bytes() == Path("whole.model", topics).read_bytes()


def _die(*arguments: object) -> None:
    raise SystemExit(KILLED)
