"""The explorer and the report show the names of seeds until a user gives other names."""

from __future__ import annotations

import laconic
from laconic.web import views
from laconic.web.page_data import PageData


def test_names_of_seeds_and_of_users(tmp_path):
    texts = ["cats purr and meow", "cats meow", "dogs bark", "dogs bark and growl"] * 6
    corpus = laconic.read(texts, stop_words="english", min_df=1, max_df=1.0)
    model = laconic.pipeline("plsa", 3, seeds={"Dogs": ["bark"], "Cats": ["meow"]}).fit(corpus)
    page = PageData.of(model, corpus, write=True)
    assert [views.topic(page, topic)["name"] for topic in range(3)] == ["Dogs", "Cats", None]
    assert views.all_notes(page)["topics"] == {}
    assert views.set_note(page, 0, {"name": "Hounds"})["name"] == "Hounds"
    assert views.topic(page, 0)["name"] == "Hounds"
    assert views.set_note(page, 0, {"name": None})["name"] == "Dogs"
    path = laconic.report(model, corpus, tmp_path / "report.html")
    assert "Cats" in path.read_text(encoding="utf-8")


def test_names_of_seeds_follow_edits():
    texts = ["cats purr and meow", "cats meow", "dogs bark", "dogs bark and growl"] * 6
    corpus = laconic.read(texts, stop_words="english", min_df=1, max_df=1.0)
    model = laconic.pipeline("plsa", 3, seeds={"Dogs": ["bark"], "Cats": ["meow"]}).fit(corpus)
    page = PageData.of(laconic.drop(model, 0), corpus)
    assert [page.note_of(topic).name for topic in range(2)] == ["Cats", None]
