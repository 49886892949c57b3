"""Figure 1 of the PCP paper: keywords highlighted in two example stories.

It is not known which words the figure colours, so our keywords can only be compared with the titles
that the figure prints above the stories.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from benchmarks.harness import Run
from benchmarks.papers.pcp import as_printed, excess
from benchmarks.reuters import Stories, counted, reuters, words_of

TITLES = ("CHRYSLER <C> SETS STOCK SPLIT", "U.S. COMMERCE'S ORTNER SAYS YEN UNDERVALUED")
AROUND = range(1_500, 2_500)  # stories that are fitted; the examples are 2,012 and 2,020
STEP = 5.0  # value of i, where λ = i/√m
N_SHOWN = 350  # number of characters shown of a story


class Highlighted(NamedTuple):
    """A story and its keywords in order of decreasing weight."""

    title: str
    body: str
    keywords: list[str]
    title_words: set[str]  # words of the title that are in the vocabulary


def pcp_stories(run: Run) -> None:
    """Figure 1: keywords in the two Reuters stories shown in the paper."""
    stories = reuters(run)
    part = stories.first() if run.smoke else stories.at(AROUND)
    wanted = tuple(part.titles[:2]) if run.smoke else TITLES
    run.note(
        f"PCP as printed (inexact ALM) of the {len(part):,} stories around the two examples, with "
        f"their 3,000 most frequent words, bodies without titles, λ={STEP:g}/√m as in the paper. "
        "Keywords are in [brackets]. The text of the figure does not show which words are "
        "coloured, so only the words of the titles, which are printed above the stories, can be "
        "counted."
    )
    for story in highlighted(part, wanted, 1.0 if run.smoke else STEP):
        found = len(story.title_words.intersection(story.keywords))
        run.row(f"keywords, '{story.title}'", len(story.keywords), "words", tolerance=0.05)
        run.row(f"title words among keywords, '{story.title}'", found, "", tolerance=0.05)
        run.row(f"title words in the vocabulary, '{story.title}'", len(story.title_words), "")
        run.note(f"{story.title}: {', '.join(story.keywords[:15])}.")
        run.note(mark(story.body, set(story.keywords))[:N_SHOWN] + " …")


def highlighted(part: Stories, wanted: tuple[str, ...], step: float) -> list[Highlighted]:
    """Return the stories whose titles start with the texts in `wanted`, with their keywords."""
    data = counted(part, title_words=False)
    part_of = as_printed(data.counts, step / np.sqrt(data.counts.shape[1]))
    S = excess(data.counts, part_of.sparse)
    known = set(map(str, data.vocabulary))
    found = []
    for beginning in wanted:
        row = next(row for row, title in enumerate(part.titles) if title.startswith(beginning))
        order = S[row].indices[np.argsort(-S[row].data, kind="stable")]
        words = [str(word) for word in data.vocabulary[order]]
        named = words_of(part.titles[row]) & known
        found.append(Highlighted(part.titles[row], part.bodies[row], words, named))
    return found


def mark(text: str, words: set[str]) -> str:
    """Return the text as one line, with brackets around the given words."""
    line = " ".join(text.split())
    return re.sub(
        r"[A-Za-z]+",
        lambda found: f"[{found[0]}]" if found[0].lower() in words else found[0],
        line,
    )
