"""Tests of report files: reproducible, small, written completely or not at all; errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import laconic
from laconic.web.report import page as page_module
from tests.messages import refused


@pytest.fixture(scope="module")
def fitted(planted_module):
    corpus, _ = planted_module
    return laconic.PLSA(5).fit(corpus), corpus


@pytest.fixture(scope="module")
def planted_module():
    return laconic.datasets.make_topics(200, 160, 5, words_per_topic=12, random_state=3)


def test_the_file_is_whole_and_alone_and_tells_no_time_and_no_path(fitted, tmp_path):
    path = laconic.report(*fitted, tmp_path / "r.html")
    assert path == tmp_path / "r.html"
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.html"]
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    assert str(tmp_path) not in page
    assert str(Path.home()) not in page
    assert re.search(r"20\d\d-\d\d-\d\d", page) is None


def test_the_same_bytes_in_another_process(fitted, tmp_path):
    model, corpus = fitted
    laconic.save(model, tmp_path / "m.model", corpus=corpus)
    here = laconic.report(tmp_path / "m.model", path=tmp_path / "here.html").read_bytes()
    code = "import laconic, sys; laconic.report(sys.argv[1], path=sys.argv[2])"
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "m.model"), str(tmp_path / "there.html")],
        check=True,
        timeout=300,
        env={**os.environ, "PYTHONHASHSEED": "1", "PATH": "", "HOME": str(tmp_path)},
    )
    assert (tmp_path / "there.html").read_bytes() == here


def test_a_saved_model_and_a_corpus_store(fitted, tmp_path):
    model, corpus = fitted
    laconic.save(model, tmp_path / "cats.model")
    corpus.save(tmp_path / "cats.corpus")
    path = laconic.report(tmp_path / "cats.model", tmp_path / "cats.corpus", tmp_path / "r.html")
    page = path.read_text(encoding="utf-8")
    assert "<h1>Topics of cats</h1>" in page
    assert "200 documents" in page
    assert "<cite>" in page


def test_a_hundred_topics_stay_below_a_megabyte(tmp_path):
    corpus, _ = laconic.datasets.make_topics(
        600, 2500, 100, words_per_topic=20, topics_per_document=3, document_length=80
    )
    words, draw = np.array(corpus.vocabulary), np.random.default_rng(0)
    texts = [
        " ".join(draw.permutation(np.repeat(words[row.indices], row.data)).tolist())
        for row in (corpus.counts[i] for i in range(len(corpus)))
    ]
    known = laconic.Corpus(
        corpus.counts,
        corpus.vocabulary,
        texts=texts,
        titles=[f"Title of document {i}" for i in range(len(corpus))],
        labels=[f"class {i % 20}" for i in range(len(corpus))],
    )
    model = laconic.PLSA(100, max_iter=5, tol=1.0).fit(known)
    path = laconic.report(model, known, tmp_path / "r.html")
    page = path.read_text(encoding="utf-8")
    assert page.count("<article") == 100
    assert page.count("<cite>") == 500
    assert page.count('<p class="text">') == 500
    assert path.stat().st_size < 1_500_000


# --- errors --------------------------------------------------------------------------------------


def test_an_existing_file_stays_without_force(fitted, tmp_path):
    path = tmp_path / "r.html"
    path.write_text("mine")
    with refused("r.html", "exists", "force=True"):
        laconic.report(*fitted, path)
    assert path.read_text() == "mine"
    laconic.report(*fitted, path, force=True)
    assert path.read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("name", "part"), [("", "is a folder"), ("missing/r.html", "missing does not exist")]
)
def test_a_place_where_no_file_can_be(name, part, fitted, tmp_path):
    with refused(part):
        laconic.report(*fitted, tmp_path / name)


@pytest.mark.parametrize("n_documents", [-1, 2.5, True, "3", 101])
def test_a_number_of_documents_that_is_none(n_documents, fitted, tmp_path):
    with refused("n_documents", "0 to 100", f"got {n_documents!r}"):
        laconic.report(*fitted, tmp_path / "r.html", n_documents=n_documents)
    assert not (tmp_path / "r.html").exists()


def test_more_documents_than_a_topic_has(fitted, tmp_path):
    page = laconic.report(*fitted, tmp_path / "r.html", n_documents=100).read_text("utf-8")
    sections = re.findall(r"<article.*?</article>", page, re.DOTALL)
    for section in sections:
        topic = int(re.search(r'data-topic="(\d+)"', section)[1])
        assert section.count("<cite>") == len(
            laconic.top_documents(fitted[0], topic, fitted[1], n=100)
        )


def test_a_folder_that_is_no_model(tmp_path):
    with refused("contains no model.json"):
        laconic.report(tmp_path, path=tmp_path / "r.html")


def test_a_model_that_is_not_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        laconic.report(laconic.PLSA(2), path=tmp_path / "r.html")


def test_nothing_is_left_when_drawing_fails(fitted, tmp_path, monkeypatch):
    def fail(*arguments):
        raise MemoryError

    monkeypatch.setattr(page_module, "word_index", fail)
    path = tmp_path / "r.html"
    path.write_text("mine")
    with pytest.raises(MemoryError):
        laconic.report(*fitted, path, force=True)
    assert path.read_text() == "mine"
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.html"]


def test_a_file_that_appears_meanwhile_stays(fitted, tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    whole = page_module.fitting

    def slow(*arguments):
        path.write_text("mine")
        return whole(*arguments)

    monkeypatch.setattr(page_module, "fitting", slow)
    with refused("r.html", "exists"):
        laconic.report(*fitted, path)
    assert path.read_text() == "mine"
