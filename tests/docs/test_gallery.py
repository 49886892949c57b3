"""Test that the gallery consists of real reports, and says which corpora are missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import laconic
from docs.make_gallery import EXHIBITS, Exhibit, make_gallery, missing_files

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


def fit_planted(data: Path) -> tuple[object, laconic.Corpus]:
    corpus, _ = laconic.datasets.make_topics(60, 40, 3, words_per_topic=8)
    return laconic.pipeline("plsa", n_components=3, random_state=0).fit(corpus), corpus


def test_the_index_links_the_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exhibits = [
        Exhibit("planted", "Planted <topics>", "Made up.", fit_planted),
        Exhibit("far", "Far away", "Not here.", fit_planted, ("far.csv",)),
    ]
    index = make_gallery(tmp_path / "gallery", exhibits, None)
    page = index.read_text(encoding="utf-8")
    links = re.findall(r'href="([^"#]+)"', page)
    assert links == ["planted.html"]
    report = (index.parent / links[0]).read_text(encoding="utf-8")
    assert "<title>Planted &lt;topics&gt;</title>" in report
    assert "60 documents, 40 words, 3 topics; " in page
    model, _ = fit_planted(tmp_path)
    frame = laconic.topics(model, n_words=3).frame.sort("share", descending=True)
    assert [", ".join(words) for words in frame["words"]] == re.findall("<li>(.*?)</li>", page)
    assert page.count("<circle") == 3
    assert "Left out, because their data are missing: Far away." in page
    assert "Far away: left out (far.csv: LACONIC_DATA is not set)" in capsys.readouterr().out
    make_gallery(tmp_path / "gallery", exhibits, tmp_path)  # reports are replaced
    assert f"far.csv: not in {tmp_path}" in capsys.readouterr().out


def test_only_the_built_in_corpus_is_always_there() -> None:
    assert [each.name for each in EXHIBITS if not missing_files(each, None)] == ["docstrings"]
