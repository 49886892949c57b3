"""Tests of tables as plain text and as HTML."""

from __future__ import annotations

from rich.cells import cell_len

from laconic.tables import Column, html_table, text_table

TOPIC = [Column("topic", "right"), Column("words", wraps=True)]
LONG = [f"word{number}" for number in range(40)]


def test_no_word_is_cut_at_any_width():
    for width in (20, 33, 60, 200):
        table = text_table(TOPIC, [["7", LONG], ["12", ["one"]]], width)
        assert max(map(len, table.splitlines())) <= width
        assert table.split()[3:-2] == [*(f"{word}," for word in LONG[:-1]), LONG[-1]]


def test_a_word_longer_than_a_line_stays_whole():
    table = text_table(TOPIC, [["0", ["cat", "x" * 50, "dog"]]], 30)
    assert table.splitlines()[2].strip() == "x" * 50 + ","


def test_items_with_spaces_are_not_broken():
    phrases = ["machine learning", "new york city", "neural network"]
    table = text_table(TOPIC, [["0", phrases]], 28)
    assert [line.strip(" ,") for line in table.splitlines()[2:]] == phrases[1:]


def test_the_widest_column_is_shortened_first():
    columns = [Column("name", wraps=True), Column("words", wraps=True)]
    table = text_table(columns, [["short name", LONG]], 60)
    assert table.splitlines()[1].startswith("short name  word0, ")


def test_wide_characters_take_two_columns():
    columns = [Column("word"), Column("n", "right")]
    lines = text_table(columns, [["漢字漢字", "1"], ["word", "22"]]).splitlines()
    assert len(set(map(cell_len, lines))) == 1


def test_control_characters_and_lines():
    columns = [Column("id"), Column("text", wraps=True)]
    table = text_table(columns, [["a\x1b[31m", "title\nits text\tgoes on"]])
    assert table.splitlines()[1:] == ["a [31m  title", "        its text goes on"]


def test_terminal_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    lines = text_table(TOPIC, [["0", LONG]]).splitlines()
    assert 36 < max(map(len, lines)) <= 44


def test_html_is_escaped():
    page = html_table([Column("<n>", "right")], [[["<b>", "a&b"]], ["one\ntwo"]], ["a < b"])
    assert "&lt;n&gt;" in page
    assert "&lt;b&gt;, a&amp;b" in page
    assert "one<br>two" in page
    assert "<p style=" in page
    assert "a &lt; b" in page
    assert "color" not in page  # the colours are those of the page, light or dark
