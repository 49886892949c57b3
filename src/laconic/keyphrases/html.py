"""HTML report with the keywords highlighted in the texts of documents.

The report is a single file without scripts or external resources. All text from the documents is
escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from laconic.text.passages import split_at
from laconic.text.words import strip_accents_in_place
from laconic.wording import plural

if TYPE_CHECKING:
    from laconic.corpus.corpus import Corpus
    from laconic.keyphrases.keyword import Keyword

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --quiet: #5c6672; --paper: #fbfaf7;
  --card: #ffffff; --line: #e2dfd8; --mark: 211 100% 45%; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e6e9; --quiet: #99a3af; --paper: #14171b; --card: #1c2026; --line: #30363e;
    --mark: 205 95% 58%; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 2rem 1rem 4rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .2rem; }
h2 { font-size: 1.1rem; line-height: 1.35; margin: 0 0 .6rem; overflow-wrap: anywhere; }
.about, .id, caption { color: var(--quiet); font-size: .85rem; }
article { background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  margin: 1.2rem 0; padding: 1rem 1.2rem; }
ul { display: flex; flex-wrap: wrap; gap: .4rem; list-style: none; margin: 0 0 .8rem; padding: 0; }
mark { background: hsl(var(--mark) / calc(.10 + .38 * var(--strength))); border-radius: .25em;
  color: inherit; padding: .05em .2em; box-decoration-break: clone;
  -webkit-box-decoration-break: clone; }
ul mark { padding: .15em .6em; border-radius: 1em; }
.text { font-family: Georgia, serif; overflow-wrap: anywhere; white-space: pre-wrap; margin: 0; }
details { margin-top: .8rem; }
summary { color: var(--quiet); cursor: pointer; font-size: .85rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0; text-align: right; }
th:first-child, td:first-child { text-align: left; }
"""

HEADINGS = {
    "word": "keyword",
    "count": "count",
    "expected": "expected",
    "position": "first position",
    "documents": "other documents",
    "burst": "mean count there",
    "residual": "PCP residual",
    "score": "score",
}


def write_page(
    path: str, force: bool, corpus: Corpus, keywords: Sequence[Sequence[Keyword]]
) -> None:
    """Write the report; if an error occurs, no partial file is left."""
    from laconic.files.atomic_file import new_file

    with new_file(path, force) as file:
        for piece in page(corpus, keywords):
            file.write(piece.encode("utf-8", "replace"))


def page(corpus: Corpus, keywords: Sequence[Sequence[Keyword]]) -> Iterator[str]:
    """Yield the report in pieces, one per document."""
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Keywords</title>\n<style>{STYLE}</style></head>\n<body>\n<h1>Keywords</h1>\n"
        f'<p class="about">{plural(len(corpus), "document")}. '
        "Stronger keywords have a stronger colour; hover over a keyword to see its evidence.</p>\n"
    )
    texts = [None] * len(corpus) if corpus.texts is None else corpus.texts
    for (id_, title), text, words in zip(names(corpus), texts, keywords, strict=True):
        yield _article(id_, title, text, words)
    yield "</body></html>\n"


def names(corpus: Corpus) -> list[tuple[str, str]]:
    """Return the id and title of each document; if there are no ids, rows are used."""
    ids = range(len(corpus)) if corpus.ids is None else corpus.ids
    titles = [""] * len(corpus) if corpus.titles is None else corpus.titles
    return [(str(id_), str(title or "")) for id_, title in zip(ids, titles, strict=True)]


def _article(id_: str, title: str, text: str | None, words: Sequence[Keyword]) -> str:
    strongest = max((word.score for word in words), default=1.0) or 1.0
    marks = {
        word.word: f'<mark style="--strength:{word.score / strongest:.2f}" '
        f'title="{escape(word.why())}">'
        for word in words
    }
    small = f' <span class="id">{escape(id_)}</span>' if title else ""
    items = "".join(f"<li>{mark}{escape(word)}</mark></li>" for word, mark in marks.items())
    listed = f"<ul>{items}</ul>\n" if words else '<p class="about">No keywords.</p>\n'
    body = "" if text is None else f'<p class="text">{_marked(str(text), marks)}</p>\n'
    return (
        f"<article>\n<h2>{escape(title or id_)}{small}</h2>\n{listed}{body}{_table(words)}"
        "</article>\n"
    )


def _marked(text: str, marks: dict[str, str]) -> str:
    """Escape the text and mark every keyword; phrases take precedence over single words."""
    if not marks:
        return escape(text)
    spellings = sorted(marks, key=len, reverse=True)
    choices = "|".join(f"({_pattern(word)})" for word in spellings)
    plain = strip_accents_in_place(text)  # words may have been counted without accents
    spans = [
        (*match.span(), marks[spellings[match.lastindex - 1]])  # type: ignore[operator]
        for match in re.finditer(rf"(?<!\w)(?:{choices})(?!\w)", plain, re.IGNORECASE)
    ]
    return "".join(
        f"{mark}{escape(piece)}</mark>" if mark else escape(piece)
        for piece, mark in split_at(text, spans, "")
    )


def _pattern(word: str) -> str:
    return r"[\s-]+".join(map(re.escape, strip_accents_in_place(word).split()))


def _table(words: Sequence[Keyword]) -> str:
    """Return the table of evidence, which is collapsed at first."""
    if not words:
        return ""
    columns = [name for name in HEADINGS if any(getattr(word, name) is not None for word in words)]
    head = "".join(f"<th>{HEADINGS[name]}</th>" for name in columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_cell(word, name)}</td>' for name in columns)}</tr>" for word in words
    )
    return (
        '<details><summary>Evidence</summary><div class="scroll"><table>'
        f"<tr>{head}</tr>{rows}</table></div></details>\n"
    )


def _cell(word: Keyword, name: str) -> str:
    value = getattr(word, name)
    if value is None:
        return ""
    if name == "position":
        return str(value + 1)
    return escape(value) if isinstance(value, str) else f"{value:.3g}"
