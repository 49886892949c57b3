"""Tests of ``laconic.explore``: a server outside notebooks, a report in a notebook."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import types
from html import unescape

import httpx
import pytest

import laconic
from laconic.fitted.notes import TopicNote, keep_notes
from laconic.web.explore import Explorer, in_notebook
from tests.messages import check, refused

from .asking import PATIENCE, get


@pytest.fixture(scope="module")
def fitted():
    corpus, _ = laconic.datasets.make_topics(120, 90, 3, words_per_topic=9)
    return laconic.PLSA(3).fit(corpus), corpus


@pytest.fixture
def notebook(monkeypatch):
    """Simulate a notebook: `IPython` is imported, and its shell has a kernel."""
    shell = types.SimpleNamespace(kernel=object())
    module = types.SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", module)
    return shell


def page_of(explorer):
    return unescape(re.search(r"srcdoc='(.*?)'", explorer._repr_html_(), re.DOTALL)[1])


# --- on a server ---------------------------------------------------------------------------------


def test_another_model_stands_beside_it_and_topics_can_be_named(fitted, tmp_path):
    model, corpus = fitted
    saved = laconic.save(laconic.PLSA(4).fit(corpus), tmp_path / "four.model", corpus=corpus)
    kept = laconic.save(model, tmp_path / "three.model", corpus=corpus)
    for given, other in ((model, saved), (kept, laconic.load(saved))):
        explorer = laconic.explore(
            given, compare=other, write=True, port=0, browser=False, block=False
        )
        with explorer:
            sides = get(f"{explorer.url}api/compare").json()["models"]
            assert [side["n_topics"] for side in sides] == [3, 4]
            address = f"{explorer.url}api/topics/1/notes"
            answer = httpx.put(address, json={"name": "ours"}, timeout=PATIENCE)
            assert answer.status_code == 200
    for named in (model, laconic.load(kept)):
        assert laconic.topics(named).frame["name"].drop_nulls().to_list() == ["ours"]
        keep_notes(named, {})


def test_served_in_a_thread_until_stopped(fitted, capsys):
    explorer = laconic.explore(*fitted, port=0, browser=False, block=False)
    try:
        assert explorer.url in capsys.readouterr().err
        found = get(f"{explorer.url}api/overview").json()
        assert found["n_topics"] == 3
        assert explorer.url in repr(explorer)
    finally:
        url = explorer.url
        explorer.stop()
    assert explorer.url is None
    assert "not running" in repr(explorer)
    with pytest.raises(httpx.ConnectError):
        get(url)
    explorer.stop()  # stopping a stopped server has no effect


def test_leaving_the_block_ends_the_server(fitted):
    with laconic.explore(*fitted, port=0, browser=False, block=False) as explorer:
        url = explorer.url
        assert get(url).status_code == 200
    with pytest.raises(httpx.ConnectError):
        get(url)


def test_serving_again_after_a_stop(fitted):
    explorer = laconic.explore(*fitted, port=0, browser=False, block=False)
    explorer.stop()
    url = explorer.serve(0, browser=False)
    assert explorer.serve(0, browser=False) == url  # the server that is already running
    assert get(url).status_code == 200
    explorer.stop()


def test_it_waits_until_interrupted(fitted, tmp_path):
    model, corpus = fitted
    laconic.save(model, tmp_path / "m.model", corpus=corpus)
    code = (
        "import laconic, sys\n"
        "explorer = laconic.explore(sys.argv[1], port=0, browser=False)\n"
        "print('over', explorer.url)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "m.model")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stderr.readline()
        url = re.search(r"http://127\.0\.0\.1:\d+/", line)[0]
        check(line.replace(url, "URL").strip(), "URL", "Ctrl-C")
        assert get(f"{url}api/overview").json()["title"] == "m.model"
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE) == ("over None\n", "")
        assert process.returncode == 0
    finally:
        process.kill()


def test_a_port_that_is_taken(fitted):
    with laconic.explore(*fitted, port=0, browser=False, block=False) as first:
        port = int(first.url.rstrip("/").rpartition(":")[2])
        with refused(f"port {port}", "in use", golden=False):
            laconic.explore(*fitted, port=port, browser=False, block=False)


def test_folders_of_a_model_and_a_corpus(fitted, tmp_path):
    model, corpus = fitted
    laconic.save(model, tmp_path / "m.model")
    corpus.save(tmp_path / "c.corpus")
    paths = tmp_path / "m.model", str(tmp_path / "c.corpus")
    with laconic.explore(*paths, port=0, browser=False, block=False) as explorer:
        assert get(f"{explorer.url}api/overview").json()["n_documents"] == 120


def test_a_folder_that_is_not_there(tmp_path):
    with refused("none.model", "no such folder"):
        laconic.explore(tmp_path / "none.model", block=False)


# --- in a notebook -------------------------------------------------------------------------------


def test_a_notebook_is_known_by_its_kernel(monkeypatch, notebook):
    assert in_notebook()
    notebook.kernel = None  # IPython in a terminal
    assert not in_notebook()
    monkeypatch.setitem(
        sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None)
    )  # imported by another library
    assert not in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not in_notebook()


def test_a_notebook_gets_the_report_without_a_server(fitted, notebook):
    explorer = laconic.explore(*fitted)
    assert isinstance(explorer, Explorer)
    assert explorer.url is None
    shown = explorer._repr_html_()
    assert re.match(
        r"<p>This is the report\. .*call <code>serve\(\)</code> on this explorer\.</p><iframe ",
        shown,
    )
    assert 'sandbox="allow-scripts"' in shown
    page = page_of(explorer)
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</html>\n")
    assert page.count("<article") == 3


def test_a_notebook_can_ask_for_a_server(fitted, notebook, capsys):
    with laconic.explore(*fitted, port=0, browser=False, block=False) as explorer:
        assert f'<a href="{explorer.url}"' in explorer._repr_html_()
        assert "serve()" not in explorer._repr_html_().split("</p>")[0]
    assert capsys.readouterr().err == ""


def test_the_page_in_a_notebook_follows_the_notes(fitted, notebook):
    explorer = laconic.explore(*fitted)
    before = page_of(explorer)
    assert page_of(explorer) == before
    keep_notes(fitted[0], {0: TopicNote('"><script>alert(1)</script>')})
    try:
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page_of(explorer)
        _, frame = explorer._repr_html_().split("</p>", 1)
    finally:
        keep_notes(fitted[0], {})
    assert frame.count("<") == 2  # only the tags <iframe> and </iframe>
    assert frame.count("'") == 2  # only the quotes around the page


def test_its_report_is_that_of_the_library(fitted, notebook, tmp_path):
    explorer = laconic.explore(*fitted)
    mine = explorer.report(tmp_path / "mine.html", n_documents=2, title="Mine")
    other = laconic.report(*fitted, tmp_path / "other.html", n_documents=2, title="Mine")
    assert mine.read_bytes() == other.read_bytes()
    with refused("mine.html", "exists", "force=True"):
        explorer.report(mine)
