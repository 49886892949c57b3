"""Tests of the words of a text: positions and stems."""

from __future__ import annotations

from laconic.text import words as module
from laconic.text.words import Words


def test_words_stand_where_they_are_found():
    words = Words("english", {})
    text = "İstanbul's Cafés"
    assert [text[start:stop] for start, stop in words.places(text)] == ["İstanbul", "Cafés"]
    stripped = Words("english", {"strip_accents": "unicode"})
    assert [text[start:stop] for start, stop in stripped.places(text)] == ["İstanbul", "Cafés"]
    grouped = Words("english", {"token_pattern": r"<(\w+)>"})
    assert grouped.split("<one> two") == ["one"]
    assert grouped.places("<one> two") == [(1, 4)]


def test_stems_are_remembered_and_forgotten(monkeypatch):
    plain = Words("english", {})
    words = ["cats", "cafés", "cats", "running", "dogs", "barking", "sails"]
    expected = ["cat", "cafe", "cat", "run", "dog", "bark", "sail"]
    assert plain.stems(words) == expected == plain.stems(words)
    monkeypatch.setattr(module, "MAX_CACHED_STEMS", 4)
    few = Words("english", {})
    for start in range(len(words)):
        part = words[start : start + 3]
        assert few.stems(part) == expected[start : start + 3]
        assert len(few.stem_cache) <= 4
    assert few.stems(words) == expected  # more words than the cache holds
