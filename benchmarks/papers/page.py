"""Generated parts of docs/papers.md, docs/papers-numbers.md and docs/papers-thresholds.md.

The first page has the rows that answer most questions, the second page has all rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase
from typing import NamedTuple

from benchmarks.markdown import table
from benchmarks.papers import headlines_pcp, headlines_sctm, headlines_slsa, headlines_stc
from benchmarks.papers.headlines import (
    MEANING,
    Cell,
    Headline,
    Judged,
    Results,
    Verdict,
    counted,
    judge,
)
from benchmarks.papers.names import PCP, SCTM, SPARSE_LSA, STC

MODULES = {
    SPARSE_LSA: headlines_slsa,
    STC: headlines_stc,
    SCTM: headlines_sctm,
    PCP: headlines_pcp,
}
HEADLINES: tuple[Headline, ...] = tuple(
    headline for module in MODULES.values() for headline in module.HEADLINES
)
KINDS = ("table", "figure", "section", "abstract")  # order of the rows of a paper
LEAD = "Where we did it differently:"
DIFFERS = "no: "  # begins a difference; if several rows share it, it is a lettered note
ALL, THRESHOLDS = "papers-numbers.md", "papers-thresholds.md"
COLUMNS = (
    "where",
    "what they say",
    "theirs",
    "their method, by us",
    "laconic",
    "same data and protocol?",
    "seeds",
    "verdict",
)


def sections(results: Results) -> dict[str, list[str]]:
    """Return the generated sections of docs/papers.md by name."""
    judged = [judge(headline, results) for headline in HEADLINES]
    index = [_index(paper, of_paper(judged, paper)) for paper in MODULES]
    used = [verdict for verdict in MEANING if any(one.verdict is verdict for one in judged)]
    found = {
        "counts": [_counts(judged), "", *index],
        "verdicts": [f"- **{verdict.value}**: {MEANING[verdict]}" for verdict in used],
    }
    for paper, module in MODULES.items():
        found[paper] = _table_with_notes(of_paper(judged, paper), results, module.DIFFERENT)
    return found


def all_numbers(results: Results) -> dict[str, list[str]]:
    """Return the generated sections of docs/papers-numbers.md by name."""
    judged = [judge(headline, results) for headline in HEADLINES]
    return {paper: _tables(of_paper(judged, paper), results) for paper in MODULES}


def thresholds() -> dict[str, list[str]]:
    """Return the generated sections of docs/papers-thresholds.md by name."""
    rows = [(f"{one.paper}, {one.where}", one.says, one.judged) for one in HEADLINES if one.judged]
    return {"thresholds": table(("paper", "what they say", "needed"), rows)}


def of_paper(judged: Sequence[Judged], paper: str) -> list[Judged]:
    """Return the rows of a paper: tables first, then figures and sections, each by number."""
    return sorted((one for one in judged if one.headline.paper == paper), key=_place)


def _place(one: Judged) -> tuple[int, str]:
    kind, _, number = one.headline.where.partition(" ")
    return KINDS.index(kind), number


def benchmark_names() -> list[str]:
    """Return the names of the benchmarks behind the page, each once."""
    return list(dict.fromkeys(cell.benchmark for one in HEADLINES for cell in one.cells))


# --- counts and index ----------------------------------------------------------------------------


def _counts(judged: Sequence[Judged]) -> str:
    """Return the opening sentence."""
    count = counted(judged)
    equal, read, ours, no, missing, waiting = (count[verdict] for verdict in Verdict)
    fitted = sum(one.verdict is Verdict.READING and one.headline.fitted for one in judged)
    return (
        f"We checked {sum(count.values())} numbers and statements in four papers: their own "
        f"methods and baselines, run by us, reproduce {equal}, and {read} more under one reading "
        f"of what the paper leaves open ({fitted} of these readings were chosen because they give "
        f"the number); {ours} hold only with laconic's algorithm, {no} do not hold, and for "
        f"{missing}, the data "
        "or the program are not available"
        + (f"; {waiting} wait for a result from committed code." if waiting else ".")
    )


def _index(paper: str, judged: Sequence[Judged]) -> str:
    """Return a line with links to the paper and its tables and figures, and their verdicts."""
    places = dict.fromkeys(_item(one.headline.where) for one in judged)
    items = [
        f'<a href="#{_anchor(paper, place)}">{place}</a> '
        f"({_found(one for one in judged if _item(one.headline.where) == place)})"
        for place in places
    ]
    links = f"[{paper}](#{_slug(paper)}) ([every number]({ALL}#{_slug(paper)}))"
    return f"- {links}, {_found(judged)}: {' · '.join(items)}"


def _found(judged: Iterable[Judged]) -> str:
    """Return the verdicts with their counts: "2 equal, 1 no"."""
    count = counted(list(judged))
    return ", ".join(f"{n} {verdict.value}" for verdict, n in count.items() if n) or "not counted"


def _item(where: str) -> str:
    """Return the table or figure without its part: "table 2" for "table 2 (a)"."""
    return re.sub(r"( \([a-z, ]+\)|, (left|right))$", "", where)


def _anchor_of(one: Judged) -> str:
    return _anchor(one.headline.paper, one.headline.where)


def _anchor(paper: str, where: str) -> str:
    return _slug(f"{paper} {_item(where)}")


def _slug(text: str) -> str:
    """Return the anchor of a heading as Markdown makes it."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower().replace(".", ""))


# --- the table of a paper ------------------------------------------------------------------------


class Scope(NamedTuple):
    """The rows that share lettered notes: those of a paper, or of one of its tables."""

    name: str
    letters: Mapping[str, str]  # long text -> letter
    short: bool  # whether thresholds are links

    def link(self, kind: str, text: str) -> str:
        return f'<a href="#{self.anchor(text)}">{kind} {self.letters[text]}</a>'

    def anchor(self, text: str) -> str:
        return _slug(f"{self.name} note {self.letters[text]}")


def _table_with_notes(
    every: Sequence[Judged], results: Results, different: Sequence[str]
) -> list[str]:
    """Return the main rows of a paper with lettered notes, and what we did differently."""
    main = [one for one in every if one.headline.main]
    scope = Scope(main[0].headline.paper, _letters(main), short=True)
    lines = [f"- {text}" for text in different]
    rows = _table(main, results, scope, Counter(map(_anchor_of, every)))
    return [*rows, *_notes(scope), "", LEAD, "", *lines]


def _tables(judged: Sequence[Judged], results: Results) -> list[str]:
    """Return all rows of a paper, with a heading for each table or figure."""
    lines: list[str] = []
    for where in dict.fromkeys(_item(one.headline.where) for one in judged):
        found = [one for one in judged if _item(one.headline.where) == where]
        scope = Scope(f"{found[0].headline.paper}: {where}", _letters(found), short=False)
        rows = [_row(one, results, one.headline.where, scope) for one in found]
        lines += [f"### {scope.name}", "", *table(COLUMNS, rows), *_notes(scope), ""]
    return lines[:-1]


def _table(
    judged: Sequence[Judged],
    results: Results,
    scope: Scope,
    of: Mapping[str, int],
) -> list[str]:
    """Return rows; the first of a table or figure has an anchor, and a link if rows are left out.

    `of` has the number of all rows of each table or figure.
    """
    seen: set[str] = set()
    shown = Counter(map(_anchor_of, judged))
    rows = []
    for one in judged:
        anchor = _anchor_of(one)
        mark, more = "", ""
        if anchor not in seen:
            mark = f'<a id="{anchor}"></a>'
            if of[anchor] > shown[anchor]:
                more = f" ([all {of[anchor]}]({ALL}#{anchor}))"
        seen.add(anchor)
        rows.append(_row(one, results, f"{mark}{one.headline.where}{more}", scope))
    return table(COLUMNS, rows)


def _letters(judged: Sequence[Judged]) -> dict[str, str]:
    """Return the letters of the readings, and of the differences that several rows share."""
    same = [one.headline.same for one in judged]
    shared = {text for text in same if text.startswith(DIFFERS) and same.count(text) > 1}
    texts = [
        text
        for one in judged
        for text in (one.headline.same, one.headline.reading)
        if text and (text == one.headline.reading or text in shared)
    ]
    return dict(zip(dict.fromkeys(texts), ascii_lowercase, strict=False))


def _row(one: Judged, results: Results, where: str, scope: Scope) -> list[str]:
    headline = one.headline
    theirs = one.literal
    if headline.literal is None and headline.ours is not None:
        theirs = "not run"
    return [
        where,
        headline.says,
        headline.theirs,
        _linked(theirs, headline.literal, results),
        _linked(one.ours, headline.ours, results),
        _same(headline, scope),
        headline.seeds,
        _verdict(one, scope.short),
    ]


def _same(headline: Headline, scope: Scope) -> str:
    """Return whether data and protocol are the paper's; letters stand for long notes."""
    same = headline.same
    if same in scope.letters:
        same = f"{DIFFERS}{scope.link('note', same)}"
    if not headline.reading:
        return same
    return f"{same}; {scope.link('reading', headline.reading)}{', fitted' * headline.fitted}"


def _notes(scope: Scope) -> list[str]:
    """Return the notes that the letters stand for, in one paragraph."""
    notes = " ".join(
        f'<b id="{scope.anchor(text)}">{letter}</b> {text.removeprefix(DIFFERS)}.'
        for text, letter in scope.letters.items()
    )
    return ["", f"Notes: {notes}"] if notes else []


def _verdict(one: Judged, short: bool) -> str:
    """Return the verdict with the threshold, if it is our own, or a link to it."""
    headline = one.headline
    more = []
    if headline.judged:
        more.append(f"[threshold]({THRESHOLDS})" if short else f"needed: {headline.judged}")
    if headline.uncounted:
        more.append(f"not counted: {headline.uncounted}")
    return f"**{one.verdict.value}**" + (f" ({'; '.join(more)})" if more else "")


def _linked(text: str, cell: Cell | None, results: Results) -> str:
    """Link a value to the page with all rows of its benchmark."""
    if cell is None or cell.benchmark not in results:
        return text
    return f"[{text}](results/{cell.benchmark}.md)"
