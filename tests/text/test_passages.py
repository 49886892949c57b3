"""Tests of passages: where they are cut, and which words are marked."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from laconic.text.passages import EXAMPLE_ROOM, ROOM, Snippet, cut_example, cut_snippet
from laconic.text.words import Words

WORDS = Words("english", {})
LONGEST = ROOM + 2 + 12  # including an … on both sides and a word of 12 letters that is not cut

words = st.sampled_from(["cat", "Cats", "dog", "dogs.", "bird!", "é", "the", "Öl", "x" * 12])
texts = st.lists(words, max_size=150).map(" ".join)


@given(texts, st.sets(st.sampled_from(["cat", "dog", "ol"])), st.sets(st.just("bird")))
def test_marks_stand_on_the_words(text, wanted, related):
    snippet = cut_snippet(text, WORDS, dict.fromkeys(wanted, 1.0), related)
    assert len(snippet) <= LONGEST
    for spans, stems in ((snippet.words, wanted), (snippet.related, related - wanted)):
        marked = [snippet[start:stop] for start, stop in spans]
        assert set(WORDS.stems([word.lower() for word in marked])) <= stems
    stems = set(WORDS.stems(WORDS.split(text)))
    assert bool(snippet.words) == bool(wanted & stems)
    assert "".join(piece for piece, _ in snippet.pieces()) == snippet
    kinds = [kind for _, kind in snippet.pieces()]
    assert kinds.count("word") == len(snippet.words)
    assert kinds.count("related") == len(snippet.related)


@given(texts)
def test_a_passage_is_of_the_text_and_whole_where_it_fits(text):
    snippet = cut_snippet(text, WORDS, {"dog": 1.0}, ())
    plain = " ".join(text.split())
    assert snippet.strip("…") in plain
    assert snippet.startswith("…") == (not plain.startswith(snippet.rstrip("…")))
    if len(plain) <= ROOM:
        assert snippet == plain


def test_the_passage_with_most_of_the_query():
    text = "a cat. " + "so much else " * 40 + "a cat and a dog. " + "and more " * 40
    snippet = cut_snippet(text, WORDS, {"cat": 1.0, "dog": 1.0}, ())
    assert [snippet[slice(*span)] for span in snippet.words] == ["cat", "dog"]
    assert snippet.startswith("…")
    assert snippet.endswith("…")


def test_a_rare_word_is_worth_more_than_frequent_ones():
    text = "cat dog " * 20 + "nothing here " * 40 + "zebra"
    snippet = cut_snippet(text, WORDS, {"cat": 0.1, "dog": 0.1, "zebra": 5.0}, ())
    assert snippet.endswith("zebra")


def test_without_a_word_of_the_query_related_ones_or_the_beginning():
    text = "It begins. " + "nothing here " * 40 + "a bird sings"
    assert cut_snippet(text, WORDS, {"cat": 1.0}, {"bird"}).endswith("a bird sings")
    assert cut_snippet(text, WORDS, {"cat": 1.0}, ()).startswith("It begins. nothing")
    assert cut_snippet("", WORDS, {"cat": 1.0}, ()) == ""


def test_it_begins_with_a_sentence_where_one_is_near():
    text = "nothing here " * 40 + "it ends here. Then a cat " + "and so on " * 40
    assert cut_snippet(text, WORDS, {"cat": 1.0}, ()).startswith("…Then a cat and")


def test_long_words_without_blanks_are_cut_somewhere():
    text = "x" * 5000 + "-cat-" + "y" * 5000
    snippet = cut_snippet(text, WORDS, {"cat": 1.0}, ())
    assert [snippet[slice(*span)] for span in snippet.words] == ["cat"]
    assert len(snippet) < 2 * ROOM


def test_line_breaks_and_control_characters_are_blanks():
    assert cut_snippet("a\tcat\n\nsat ", WORDS, {"cat": 1.0}, ()) == "a cat sat"


def test_it_is_a_str():
    snippet = Snippet("a cat", words=((2, 5),))
    assert isinstance(snippet, str)
    assert snippet == "a cat"
    assert f"{snippet}" == "a cat"
    assert snippet.related == ()


def test_examples_of_a_word():
    long = "one " * 50
    assert cut_example("a roll", "roll") == "a roll"
    assert cut_example("  A\n\tRoll ", "roll") == "A Roll"
    assert cut_example("rolls enroll roll", "roll") == "rolls enroll roll"
    assert cut_example("Un café serré", "cafe") == "Un café serré"
    assert cut_example("Im CAFÉ", "café") == "Im CAFÉ"
    assert cut_example("in New-York today", "new york") == "in New-York today"
    assert cut_example("what? (no", "(no") == "what? (no"
    assert cut_example("", "roll") == ""
    middle = cut_example(f"{long} roll {long}", "roll")
    assert re.fullmatch(r"…(one )+roll( one)+…", middle)
    assert len(middle) <= 2 * EXAMPLE_ROOM + 6
    assert re.fullmatch(r"one( one)+…", cut_example(long, "roll"))
    assert cut_example("x" * 200, "roll") == "x" * EXAMPLE_ROOM + "…"
    assert cut_example(f"{'x' * 200} roll {'y' * 200}", "roll") == "…roll…"
